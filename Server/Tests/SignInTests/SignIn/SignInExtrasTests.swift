import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite("What an app says about a sign-in, and learns with it", .covers("properties, requested_attributes"))
struct SignInExtrasTests {
    private func challenge(
        _ app: TestApp, _ step: AuthorizeChallengeRequest.Step, properties: [String: String] = [:],
        requested: [String] = []
    ) async throws -> NativeSignInOutcome {
        let request = AuthorizeChallengeRequest(
            clientID: app.client.id, codeChallenge: CodeChallenge(verifier: TestClient.verifier), step: step,
            properties: properties, requestedAttributes: requested)
        return try await app.client.server.flows.signIn.native.challenge(
            request, proof: try app.proof(), origin: TestServer.origin)
    }

    private func password() throws -> AuthorizeChallengeRequest.Step {
        .begin(.password(PasswordLogin(username: try Username("ada"), password: try Password("correct horse battery"))))
    }

    @Test("Properties are kept with the sign-in's entry in the audit log, those of its last step")
    func properties() async throws {
        let server = try await TestServer.start()
        _ = try await server.reachableAccount()
        let app = TestApp(client: try await server.publicClient())
        let asked = try await challenge(app, password(), properties: ["campaign": "spring"]).asked()
        let answer = Continuation.mfa(asked.prompt.token, answer: try Password(await server.sentCode()))
        _ = try await challenge(
            app, .proceed(asked.session, answer), properties: ["campaign": "spring", "store": "12"]
        ).code()
        let details = try await server.context.database.read { connection in
            try connection.row(
                "SELECT details FROM security_events WHERE kind = 'account.signed_in'", [])?.text("details")
        }
        let entry = try JSONValue.object(parsing: Array((details ?? "").utf8))
        #expect(entry["properties"] == .object(JSONObject(strings: ["campaign": "spring", "store": "12"])))
    }

    @Test("Requested attributes are returned along with the usual ones, and unknown names are ignored")
    func attributes() async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        let app = TestApp(client: try await server.publicClient())
        try await app.becomeKnown()
        let usual = try await challenge(app, password()).attributes()
        #expect(usual.names == ["last_login", "last_password_update"])
        let more = try await challenge(
            app, password(), requested: ["push_enabled", "email_verified", "preferred_username", "shoe_size"]
        ).attributes()
        #expect(
            more.names == [
                "last_login", "last_password_update", "email_verified", "preferred_username", "push_enabled",
            ])
        #expect(more["preferred_username"] == "ada")
        #expect(more["push_enabled"] == .bool(false))
    }
}

extension NativeSignInOutcome {
    /// The additional attributes of an outcome that has to be a code.
    fileprivate func attributes() throws -> JSONObject {
        guard case .authorized(let answer) = self else { throw Unexpected(what: errorCode ?? "no code") }
        return answer.additionalAttributes
    }
}
