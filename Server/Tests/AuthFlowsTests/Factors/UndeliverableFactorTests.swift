import AuthCore
import AuthStore
import Testing
import WalletAuthWire

@testable import AuthFlows

@Suite("Second factors whose codes nothing delivers")
struct UndeliverableFactorTests {
    private func setUp(
        _ undeliverable: Set<FactorKind> = [.email, .sms]
    ) async throws -> (server: TestServer, account: AccountID, app: TestApp) {
        let server = try await TestServer.start { $0.undeliverableFactors = undeliverable }
        let account = try await server.reachableAccount("ada")
        return (server, account, TestApp(client: try await server.publicClient()))
    }

    @Test("A new device is not let in by the password alone, nor asked for a code that never comes")
    func unmet() async throws {
        let (server, _, app) = try await setUp()
        let outcome = try await app.signIn()
        #expect(outcome.refusal?.error == "redirect_to_web")
        let sent = try await server.messages().filter { $0.kind == "second_factor_code" }
        #expect(sent.isEmpty)
    }

    @Test("They are not listed, and another factor is asked for in their place")
    func another() async throws {
        let (server, account, app) = try await setUp()
        let device = TestDevice(
            app: app, tokens: try await app.client.signIn(account, proof: app.key, methods: ["pwd", "otp"]))
        _ = try await device.authenticator()
        let listed = try await device.list(factors: ()).get()
        #expect(listed.factors.map(\.method) == ["totp"])
        let stranger = TestApp(client: app.client)
        let asked = try await stranger.signIn()
        #expect(asked.errorCode == "mfa_required")
        _ = server
    }

    @Test("attack: they go on to count: a stolen password changes nothing in the meantime")
    func changes() async throws {
        let (_, account, app) = try await setUp()
        let thief = TestDevice(
            app: app, tokens: try await app.client.signIn(account, proof: app.key, methods: ["pwd"]))
        let refused = try await thief.beginAuthenticator()
        #expect(refused.refusal == .strongerSignIn(maximumAge: 300, acr: AuthenticationStrength.twoFactors))
    }

    @Test("A channel that delivers is asked for as ever")
    func delivered() async throws {
        let (_, _, app) = try await setUp([.sms])
        let outcome = try await app.signIn()
        #expect(outcome.errorCode == "mfa_required")
    }
}
