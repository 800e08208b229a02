import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthWire

@Suite(
    "Signing in without a browser", .threat("Cost and flooding by paid messages"),
    .covers("a code requested again too soon is not sent"))
struct NativeLoginTests {
    @Test("The right password signs in, bound to the device's key, with the server's attributes")
    func right() async throws {
        let world = World()
        let wallet = try world.wallet()
        let outcome = try await wallet.login(username: "alice", password: "correct horse")
        let attributes = try outcome.signedIn()
        #expect(attributes["push_enabled"] == .bool(false))
        #expect(wallet.identity?.subject == "sub-alice")
        #expect(wallet.identity?.tokenType == .dpop)
        #expect(world.userAgent.presented.isEmpty)
    }

    @Test("A configured merchant is asked for in every step, and the session is the merchant's")
    func merchant() async throws {
        let world = World()
        world.server.setState(of: "alice", .passwordChangeRequired)
        var configuration = world.configuration()
        configuration.merchantID = "merchant-1"
        let wallet = try Wallet(configuration: configuration)
        let outcome = try await wallet.login(username: "alice", password: "correct horse")
        let change = try outcome.passwordChange()
        try await change.choose(newPassword: "a better horse").signedIn()
        let steps = world.server.requests.filter { $0.path == "/oauth2/authorize-challenge" && $0.status != 400 }
        #expect(steps.count == 2)
        #expect(steps.allSatisfy { $0.form["merchant_id"] == "merchant-1" })
        #expect(wallet.identity?.merchantID == "merchant-1")
    }

    @Test(
        "A sign-in that the server has forgotten between two steps is reported by its own name, whatever else is reported"
    )
    func forgotten() async throws {
        let world = World()
        world.server.setState(of: "alice", .emailUnverified(code: "123456"))
        let wallet = try world.wallet()
        let outcome = try await wallet.login(username: "alice", password: "correct horse")
        let verification = try outcome.emailVerification()
        try await verification.confirm(code: "123456").signedIn()
        let error = await failure { try await verification.confirm(code: "123456") }
        #expect(error?.code == .invalidSession)
        #expect(error?.outcome == .refused)
        #expect(error?.statusCode == 400)
    }

    @Test("Whether the server takes the app is asked without a secret, and without signing in")
    func registration() async throws {
        let world = World()
        let wallet = try world.wallet()
        try await wallet.checkRegistration()
        let asked = world.server.requests.filter { $0.path == "/oauth2/authorize-challenge" }
        #expect(!asked.isEmpty)
        #expect(asked.allSatisfy { $0.form["username"] == nil && $0.form["password"] == nil })
        #expect(!wallet.isLoggedIn)
        var configuration = world.configuration()
        configuration.clientID = "com.example.typo"
        let typo = try Wallet(configuration: configuration)
        let error = await failure { try await typo.checkRegistration() }
        #expect(error?.code == "invalid_client")
        #expect(error?.outcome == .misconfigured)
        #expect(error?.operation == .checkRegistration)
        let impossible = await failure { try await wallet.checkRegistration(provider: "no provider") }
        #expect(impossible?.code == .unknownProvider)
    }

    @Test("Wrong, unknown and impossible credentials are one error, with the table's number")
    func wrong() async throws {
        let wallet = try World().wallet()
        for (name, password) in [("alice", "wrong"), ("nobody", "correct horse"), ("", "x"), ("alice", "")] {
            let error = await failure { try await wallet.login(username: name, password: password) }
            #expect(error?.code == .invalidCredentials)
            #expect(error?.statusCode == 401)
            #expect(error?.operation == .loginByUsernamePassword)
        }
        #expect(!wallet.isLoggedIn)
    }

    @Test("A password that has expired is changed, and the same sign-in goes on")
    func passwordChange() async throws {
        let world = World()
        world.server.setState(of: "alice", .passwordChangeRequired)
        let wallet = try world.wallet()
        let outcome = try await wallet.login(username: "alice", password: "correct horse")
        let change = try outcome.passwordChange()
        try await change.choose(newPassword: "a better horse").signedIn()
        #expect(wallet.isLoggedIn)
    }

    @Test("An unverified e-mail address is confirmed by its code, after a resend and a wrong one")
    func email() async throws {
        let world = World()
        world.server.setState(of: "alice", .emailUnverified(code: "123456"))
        let wallet = try world.wallet()
        let outcome = try await wallet.login(username: "alice", password: "correct horse")
        let verification = try outcome.emailVerification()
        let again = try await verification.resend().emailVerification()
        try await again.confirm(code: "000000").emailVerification()
        try await again.confirm(code: "123456").signedIn()
        #expect(wallet.isLoggedIn)
    }

    @Test("A code requested again too soon is not sent, and each step says so, and when the next can be sent")
    func sentCode() async throws {
        let world = World()
        world.server.setState(of: "alice", .emailUnverified(code: "123456"))
        let wallet = try world.wallet()
        let outcome = try await wallet.login(username: "alice", password: "correct horse")
        let verification = try outcome.emailVerification()
        #expect(verification.wasSent)
        #expect(verification.resendAfter == .seconds(30))
        world.clock.advance(by: .seconds(10))
        let early = try await verification.resend().emailVerification()
        #expect(!early.wasSent)
        #expect(early.resendAfter == .seconds(20))
        world.clock.advance(by: .seconds(20))
        let late = try await early.resend().emailVerification()
        #expect(late.wasSent)
    }

    @Test("A recovery's code that is asked for again too soon is not sent, and that is said")
    func sentRecoveryCode() async throws {
        let world = World()
        let challenge = try await world.wallet().recover(username: "alice")
        #expect(challenge.wasSent)
        let early = try await challenge.resend()
        #expect(!early.wasSent)
        #expect(early.resendAfter == .seconds(30))
        world.clock.advance(by: .seconds(30))
        #expect(try await early.resend().wasSent)
    }

    @Test("What has something else than digits in it is refused like a wrong code, and not sent: it costs no try")
    func impossibleCode() async throws {
        let world = World()
        let wallet = try world.wallet()
        world.server.setState(of: "alice", .emailUnverified(code: "123456"))
        let begun = try await wallet.login(username: "alice", password: "correct horse")
        let verification = try begun.emailVerification()
        world.server.setState(of: "bob", .secondFactor(answer: "42"))
        let asked = try await wallet.login(username: "bob", password: "battery staple")
        let challenge = try asked.secondFactor()
        let recovery = try await wallet.recover(username: "alice")
        let seen = world.server.requests.count
        for typed in ["12ab", "", "one two"] {
            for error in [
                await failure { try await verification.confirm(code: typed) },
                await failure { try await challenge.answer(typed) },
                await failure { try await recovery.answer(typed) },
            ] {
                #expect(error?.code == .invalidCredentials)
                #expect(error?.statusCode == 401)
                #expect(error?.reachedServer == false)
            }
        }
        #expect(world.server.requests.count == seen)
        try await verification.confirm(code: "123456").signedIn()
    }

    @Test("A second factor is asked for and answered")
    func secondFactor() async throws {
        let world = World()
        world.server.setState(of: "alice", .secondFactor(answer: "42"))
        let wallet = try world.wallet()
        let outcome = try await wallet.login(username: "alice", password: "correct horse")
        let challenge = try outcome.secondFactor()
        #expect(challenge.method == "otp")
        #expect(await failure { try await challenge.answer("41") }?.code == .invalidCredentials)
        try await challenge.answer("42").signedIn()
    }

    @Test("Where only a browser will do, it says so")
    func browserOnly() async throws {
        let world = World()
        world.server.setState(of: "alice", .browserOnly)
        let outcome = try await world.wallet().login(username: "alice", password: "correct horse")
        guard case .redirectToWeb = outcome else {
            Issue.record("expected the browser to be needed, got \(outcome)")
            return
        }
    }

    @Test("A deactivated wallet has its code and number")
    func deactivated() async throws {
        let world = World()
        world.server.setState(of: "alice", .deactivated)
        let wallet = try world.wallet()
        let error = await failure { try await wallet.login(username: "alice", password: "correct horse") }
        #expect(error?.code == .walletDeactivated)
        #expect(error?.statusCode == 421)
        #expect(error?.outcome == .refused)
    }

    @Test("A password is sent once: a lost answer is not followed by a second try that could lock the holder out")
    func sentOnce() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        world.server.inject(.loseAnswer, at: "/oauth2/authorize-challenge")
        _ = await failure { try await wallet.login(username: "alice", password: "correct horse") }
        #expect(world.server.requests.count { $0.path == "/oauth2/authorize-challenge" } == 1)
    }

    @Test("A server without native sign-in is reported as such")
    func unsupported() async throws {
        let world = World()
        let metadata =
            #"{"issuer":"https://auth.example.com","token_endpoint":"https://auth.example.com/oauth2/token"}"#
        world.server.inject(.answer(HTTPResponse(status: 200, body: Data(metadata.utf8))))
        let wallet = try world.wallet()
        #expect(await failure { try await wallet.login(username: "a", password: "b") }?.code == .unsupportedByServer)
    }
}
