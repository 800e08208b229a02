import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthWire

@testable import WalletAuthPIN

@Suite("A PIN whose setting was refused")
struct RefusedSettingTests {
    /// A refusal of `PUT …/pin`.
    struct Refusal: Sendable, CustomTestStringConvertible {
        var status: Int
        var code: String
        var remaining: Int?

        var testDescription: String { "\(status) \(code)" + (remaining.map { ", \($0) left" } ?? "") }

        var response: HTTPResponse {
            var problem = Problem(status: status, code: code, title: "")
            problem.remainingAttempts = remaining
            return HTTPResponse(
                status: status, headers: ["Content-Type": Problem.contentType], body: Data(problem.json.bytes))
        }
    }

    /// The scripted server, which knows no PINs, with a server's share of a new PIN and one answer to every setting.
    private struct PINServer: HTTPTransport {
        let server: ScriptedServer
        let refusal: Refusal

        func send(_ request: HTTPRequest) async throws -> HTTPResponse {
            if request.method == "PUT", request.url.path.hasSuffix("/pin") { return refusal.response }
            guard request.url.path == "/v1/pin/evaluate" else { return try await server.send(request) }
            let asked = try PINEvaluationRequest(JSONValue.object(parsing: Array(request.body ?? Data())))
            guard case .enroll(let blinded) = asked.ask else {
                throw TransportFailure(.lost, reason: "the test sets a PIN only")
            }
            var answer = PINEvaluationResponse(
                challengeID: try ChallengeID("challenge-1"), nonce: try Nonce("challenge-1-nonce"), expiresIn: 120)
            answer.new = try SimulatedServer(epoch: 1).answer(blinded)
            return HTTPResponse(
                status: 200, headers: ["Content-Type": "application/json"], body: Data(answer.json.bytes))
        }
    }

    /// The epochs that may be in use, as the phone has them after its PIN was refused.
    private func candidates(after refusal: Refusal) async throws -> [Int64] {
        let clock = ManualClock()
        let server = ScriptedServer(clock: clock)
        server.addPerson("alice", password: "correct horse", subject: "51d0aa88-94b8-4eac-ab30-23ebf40c2985")
        let store = InMemoryStore()
        let ports = Wallet.Ports(
            transport: PINServer(server: server, refusal: refusal), store: store,
            userAgent: server.browser(of: "alice"), keys: InMemoryDeviceKeys(), presence: ScriptedUserPresence(),
            time: clock)
        let callback = try #require(URL(string: "https://app.example.com/callback"))
        let wallet = try Wallet(
            configuration: .init(
                environment: .production(issuer: ScriptedServer.defaultIssuer), clientID: "com.example.wallet",
                signIn: .full(redirectURI: callback), ports: ports))
        try await wallet.setUp()
        try await wallet.devices.enroll(name: "Phone", username: "alice")
        let error = await #expect(throws: WalletError.self) { try await wallet.pin.set("493817") }
        #expect(error?.code.rawValue == refusal.code)
        let enrollment = try await wallet.deviceAuthentication.signedInEnrollment(during: .setPIN)
        let kept = try #require(try await store.get(enrollment.pinItem).flatMap(StoredPIN.read))
        return kept.known.map { Int64($0.epoch.number) }
    }

    @Test(
        "The key stays where the refusal may answer a repetition: the PIN may be in use",
        arguments: [
            Refusal(status: 401, code: "invalid_credentials"), Refusal(status: 404, code: "device_not_found"),
            Refusal(status: 403, code: "device_suspended"), Refusal(status: 423, code: "device_deactivated"),
        ])
    func kept(refusal: Refusal) async throws {
        let candidates = try await candidates(after: refusal)
        #expect(candidates == [1])
    }

    @Test(
        "The key goes where the assertion was found to have the wrong PIN",
        arguments: [
            Refusal(status: 401, code: "invalid_credentials", remaining: 4), Refusal(status: 423, code: "pin_locked"),
        ])
    func dropped(refusal: Refusal) async throws {
        let candidates = try await candidates(after: refusal)
        #expect(candidates.isEmpty)
    }
}
