import Crypto
import Foundation
import Synchronization
import WalletAuthVerifier
import WalletAuthWire

/// The authorization server as a backend sees it, in memory: keys, tokens, operations. The rules of consuming are the
/// server's own; end to end the real one takes its place.
final class StandInServer: BackendTransport {
    private struct Operation {
        var request: WalletOperationRequest
        var event: SCAEventID
        var isExempt: Bool
        var isVerified: Bool
        var use: (key: String, code: AuthenticationCode)?
    }

    private struct State {
        var operations: [String: Operation] = [:]
        var answersToLose = 0
    }

    static let client = "wallet-backend"
    let issuer: Issuer
    let clock = StillClock()
    /// Up to so much, in cents, it lets pass without consent.
    let exemptUpTo: Int64
    private let key = P256Signer(P256.Signing.PrivateKey(), keyID: "key-1")
    private let state = Mutex(State())

    init(exemptUpTo: Int64 = 30_00) throws {
        issuer = try Issuer("https://auth.example")
        self.exemptUpTo = exemptUpTo
    }

    /// The person agreed to an operation, on their phone.
    func agree(to details: SCADetails) {
        state.withLock { $0.operations[details.operationID.rawValue]?.isVerified = true }
    }

    /// So many answers to consuming get lost on their way.
    func loseAnswers(_ count: Int) { state.withLock { $0.answersToLose = count } }

    func send(_ request: OutboundRequest) async throws -> OutboundResponse {
        let operations = issuer.url(path: Endpoints.walletOperations.path)
        switch request.url {
        case issuer.oauthMetadataURL:
            var metadata = ServerMetadata(issuer: issuer)
            metadata.keysURL = try WebURL(issuer.url(path: Endpoints.keys.path))
            metadata.tokenEndpoint = try WebURL(issuer.url(path: Endpoints.token.path))
            return OutboundResponse(status: 200, body: metadata.json.bytes)
        case issuer.url(path: Endpoints.keys.path):
            return OutboundResponse(status: 200, body: JWKSet([key].compactMap(\.publicJWK)).json.bytes)
        case issuer.url(path: Endpoints.token.path):
            let body = #"{"access_token":"backend-token","token_type":"Bearer","expires_in":300}"#
            return OutboundResponse(status: 200, body: Array(body.utf8))
        case operations: return try create(request)
        case _ where request.url.hasPrefix(operations) && request.url.hasSuffix("/consume"):
            return try consume(request, id: String(request.url.dropFirst(operations.count + 1).dropLast(8)))
        default: return OutboundResponse(status: 404)
        }
    }

    private func create(_ request: OutboundRequest) throws -> OutboundResponse {
        let asked = try WalletOperationRequest(JSONValue.object(parsing: request.body ?? []))
        let isExempt = asked.operation.amount.map { $0.minorUnits <= exemptUpTo } ?? false
        let fresh = try SCAEventID(UUID().uuidString.lowercased())
        let operation = state.withLock { state in
            let known =
                state.operations[asked.id.rawValue]
                ?? Operation(request: asked, event: fresh, isExempt: isExempt, isVerified: isExempt)
            state.operations[asked.id.rawValue] = known
            return known
        }
        guard operation.request == asked else { return problem(409, "operation_exists") }
        let status: WalletOperationStatus =
            operation.use != nil ? .authorized : isExempt ? .exempt : operation.isVerified ? .verified : .scaRequired
        let response = WalletOperationResponse(
            id: asked.id, status: status, eventID: isExempt ? nil : operation.event,
            availableVerifications: isExempt ? [] : [AvailableVerification(.email, destination: "a…@example.com")],
            exemption: isExempt ? .lowValue : nil, findings: [], expiresAt: clock.now().advanced(by: .seconds(300)))
        return OutboundResponse(status: 201, body: response.json.bytes)
    }

    private func consume(_ request: OutboundRequest, id: String) throws -> OutboundResponse {
        let consumption = try OperationConsumption(JSONValue.object(parsing: request.body ?? []))
        let attempt = request.headers.first { $0.name == IdempotencyKey.headerName }?.value ?? ""
        // What is signed is made before the lock, and kept by the first to come.
        guard let known = state.withLock({ $0.operations[id] }) else { return problem(404, "operation_not_found") }
        let code = try code(for: known.request, event: known.isExempt ? nil : known.event)
        let (answer, isLost) = state.withLock { state -> (OutboundResponse, Bool) in
            guard var operation = state.operations[id], operation.request.operation == consumption.operation,
                consumption.account == operation.request.account,
                consumption.eventID == (operation.isExempt ? nil : operation.event)
            else { return (problem(409, "operation_changed"), false) }
            if let use = operation.use {
                guard use.key == attempt else { return (problem(409, "sca_already_used"), false) }
            } else {
                guard operation.isVerified else { return (problem(409, "sca_not_verified"), false) }
                operation.use = (attempt, code)
                state.operations[id] = operation
            }
            let isLost = state.answersToLose > 0
            if isLost { state.answersToLose -= 1 }
            let body = OperationAuthorization(authenticationCode: operation.use?.code ?? code).json.bytes
            return (OutboundResponse(status: 200, body: body), isLost)
        }
        if isLost { throw OutboundFailure(.lost, reason: "the connection broke") }
        return answer
    }

    private func code(for request: WalletOperationRequest, event: SCAEventID?) throws -> AuthenticationCode {
        let basis: AuthenticationCodeClaims.Basis =
            if let event {
                .verified(
                    AuthenticationCodeClaims.Consent(
                        eventID: event, payloadHash: .operation(Array("payload".utf8)), methods: ["pwd", "otp"],
                        at: clock.now()))
            } else {
                .exempt(.lowValue)
            }
        let claims = AuthenticationCodeClaims(
            issuer: issuer, clientID: try ClientID(Self.client), account: request.account, id: UUID().uuidString,
            issuedAt: clock.now(), operationID: request.id, operation: request.operation, basis: basis)
        return try AuthenticationCode(compact("wallet-operation+jwt", claims.json))
    }

    /// An access token for the backend, bound to an app's key.
    func token(
        of phone: Phone, boundTo app: P256Signer?, scope: String = "accounts payments",
        acr: String = AuthenticationStrength.twoFactors[0], audience: String
    ) throws -> String {
        var claims = JSONObject()
        claims.set("iss", issuer)
        claims.set("sub", phone.account)
        claims.set("aud", audience)
        claims.set("client_id", "app")
        claims.set("exp", clock.now().advanced(by: .seconds(300)))
        claims.set("iat", clock.now())
        claims.set("jti", UUID().uuidString)
        claims.set("scope", scope)
        claims.set("sid", phone.session)
        claims.set("auth_time", clock.now())
        claims.set("acr", acr)
        if let jwk = app?.publicJWK {
            var confirmation = JSONObject()
            confirmation.set("jkt", jwk.thumbprint)
            claims["cnf"] = .object(confirmation)
        }
        return try compact("at+jwt", claims)
    }

    private func compact(_ type: String, _ claims: JSONObject) throws -> String {
        let header = JSONObject(strings: ["typ": type, "alg": "ES256", "kid": "key-1"])
        let input = Base64URL.encode(header.bytes) + "." + Base64URL.encode(claims.bytes)
        return input + "." + Base64URL.encode(try key.sign(Array(input.utf8)))
    }

    private func problem(_ status: Int, _ code: String) -> OutboundResponse {
        OutboundResponse(status: status, body: Problem(status: status, code: code, title: code).json.bytes)
    }
}

/// A clock by which waiting takes no time.
final class StillClock: BackendClock {
    private let waited = Mutex(Duration.zero)

    func now() -> NumericDate { NumericDate(clamping: Int64(Date().timeIntervalSince1970)) }

    func uptime() -> Duration { waited.withLock { $0 } }

    func sleep(for duration: Duration) async throws { waited.withLock { $0 += duration } }
}
