import Foundation
import Synchronization
import Testing
import WalletAuth
import WalletAuthVerifier
import WalletAuthWire

/// A phone's way to the world with a shop at one address of it: a backend in miniature, which lets requests in and asks for
/// consent by `WalletAuthVerifier`. Everything else goes on to the network.
final class Shopfront: HTTPTransport {
    static let path = "/payments"
    static let origin = "http://127.0.0.1:9"

    private struct State {
        var answers: [String: HTTPResponse] = [:]
        var receipts: [AuthenticationCodeClaims] = []
        var operation: WalletOperation
    }

    /// The app's request that pays here.
    static func payment() throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: origin + path)))
        request.httpMethod = "POST"
        request.httpBody = Data(#"{"basket":17}"#.utf8)
        return request
    }

    private let network: Network
    private let verifier: AccessTokenVerifier
    private let operations: WalletOperations
    private let state: Mutex<State>

    init(_ network: Network, issuer: URL, client: RegisteredClient, selling operation: WalletOperation) throws {
        self.network = network
        // A sandbox's issuer is written without a slash at its end, as the SDK's configuration has it.
        let issuer = TrustedIssuer(try Issuer(issuer.absoluteString))
        verifier = AccessTokenVerifier(
            issuer: issuer, audience: issuer.issuer.rawValue, externalURL: try WebURL(Self.origin))
        operations = WalletOperations(
            issuer: issuer,
            credential: .secret(try ClientID(client.id), try ClientSecret(client.secret ?? "")))
        state = Mutex(State(operation: operation))
    }

    /// What was carried out, each with the proof that its backend keeps.
    var receipts: [AuthenticationCodeClaims] { state.withLock { $0.receipts } }

    /// Sells something else from now on.
    func sell(_ operation: WalletOperation) { state.withLock { $0.operation = operation } }

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        guard request.url.absoluteString == Self.origin + Self.path else { return try await network.send(request) }
        do {
            let access = try await verifier.verify(
                PresentedRequest(
                    method: request.method, path: Self.path, authorization: request.headers.values("Authorization"),
                    proofs: request.headers.values("DPoP")),
                for: AccessRequirement())
            return try await pay(request, access)
        } catch let refusal as AccessRefusal {
            return response(refusal.answer)
        } catch let refusal as OperationRefusal {
            return response(refusal.answer)
        }
    }

    private func pay(_ request: HTTPRequest, _ access: VerifiedAccess) async throws -> HTTPResponse {
        guard let person = access.person, let key = request.headers["Idempotency-Key"] else {
            return HTTPResponse(status: 400)
        }
        if let answer = state.withLock({ $0.answers[key] }) { return answer }
        let body = try JSONValue.object(parsing: Array(request.body ?? Data()))
        let operation = state.withLock { $0.operation }
        let decision = try await operations.authorize(
            operation, by: person, scaDetails: try body["scaDetails"]?.object.map { try SCADetails($0) },
            attempt: try IdempotencyKey(key))
        switch decision {
        case .scaRequired(let required): return response(required.answer)
        case .authorized(_, let claims):
            let answer = HTTPResponse(status: 201, body: Data(#"{"status":"PAID"}"#.utf8))
            state.withLock { state in
                state.receipts.append(claims)
                state.answers[key] = answer
            }
            return answer
        }
    }

    private func response(_ answer: ProblemAnswer) -> HTTPResponse {
        HTTPResponse(
            status: answer.status, headers: HTTPFields(answer.headers.map { (name: $0.name, value: $0.value) }),
            body: Data(answer.body))
    }
}
