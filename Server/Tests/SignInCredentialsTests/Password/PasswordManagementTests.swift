import Core
import FlowSupport
import Kernel
import Testing
import WalletAuthWire

@testable import SignIn

@Suite("Setting another password from an app")
struct PasswordManagementTests {
    private static let old = "correct horse battery"
    private static let new = "a fresh phrase 7"

    private func setUp(
        methods: [String] = ["pwd", "otp"], reachable: Bool = true
    ) async throws -> (server: TestServer, device: TestDevice) {
        let server = try await TestServer.start()
        let account = try await reachable ? server.reachableAccount() : server.account()
        return (server, try await .signedIn(account, server.publicClient(), methods: methods))
    }

    @Test("The caller's session goes on, every other one ends, and the holder is notified")
    func changes() async throws {
        let (server, device) = try await setUp()
        let other = try await TestDevice.signedIn(try #require(try await server.accountID()), device.app.client)
        _ = try await device.changePassword(from: Self.old, to: Self.new).get()
        _ = try await device.list(factors: ())
        await #expect(throws: OAuthRefusal.unusableToken(.ended)) { try await other.list(factors: ()) }
        #expect(try await server.messages().contains { $0.kind == "password_changed" })
        let app = TestApp(client: device.app.client)
        #expect(try await app.signIn().errorCode == "invalid_credentials")
        #expect(try await app.signIn(password: Self.new).errorCode == "mfa_required")
    }

    @Test("A code and a sign-in that were begun before it open nothing")
    func voidsWhatWasBegun() async throws {
        let (server, device) = try await setUp()
        let app = TestApp(client: device.app.client)
        let asked = try await app.signIn().asked()
        let sent = try await server.sentCode()
        let account = try #require(try await server.accountID())
        let code = try await app.client.code(for: account, boundTo: app.key)
        _ = try await device.changePassword(from: Self.old, to: Self.new).get()
        #expect(try await app.answer(sent, to: asked).isOver)
        let redeemed = try await app.redeem(code)
        #expect(redeemed.refusal != nil)
    }

    @Test("Without the present password it takes a sign-in of the last minutes")
    func withoutCurrent() async throws {
        let (server, device) = try await setUp()
        server.clock.advance(by: .minutes(4))
        _ = try await device.changePassword(from: nil, to: Self.new).get()
        server.clock.advance(by: .minutes(1))
        let late = try await device.changePassword(from: nil, to: "another phrase 8")
        #expect(
            late.refusal == .strongerSignIn(maximumAge: 300, acr: AuthenticationStrength.twoFactors))
    }

    @Test("A stolen password alone changes none, where the account has a second factor")
    func stolenPassword() async throws {
        let (_, device) = try await setUp(methods: ["pwd"])
        let outcome = try await device.changePassword(from: Self.old, to: Self.new)
        #expect(
            outcome.refusal == .strongerSignIn(maximumAge: 300, acr: AuthenticationStrength.twoFactors))
        let (_, plain) = try await setUp(methods: ["pwd"], reachable: false)
        _ = try await plain.changePassword(from: Self.old, to: Self.new).get()
    }

    @Test("A wrong present password changes nothing, and is counted like a sign-in's (a stolen session that guesses)")
    func guesses() async throws {
        let (server, device) = try await setUp()
        for _ in 0..<4 {
            let outcome = try await device.changePassword(from: "a wrong one", to: Self.new)
            #expect(outcome.refusal == .invalidCredentials)
        }
        let last = try await device.changePassword(from: "a wrong one", to: Self.new)
        #expect(last.refusal == .walletDeactivated)
        let account = try #require(try await server.accountID())
        #expect(try await server.record(of: account)?.state == .deactivated)
    }

    @Test(
        "A new password that breaks a rule is refused by its name",
        arguments: [
            ("short", PasswordRuleViolation.tooShort), ("password1", .tooCommon), ("correct horse battery", .unchanged),
        ])
    func unacceptable(password: String, fault: PasswordRuleViolation) async throws {
        let (_, device) = try await setUp()
        let outcome = try await device.changePassword(from: Self.old, to: password)
        #expect(outcome.refusal == .passwordUnacceptable(fault))
    }
}
