import Core
import FlowSupport
import Kernel
import Testing
import WalletAuthWire

@testable import SignIn

@Suite("Recovery on the hosted page")
struct HostedRecoveryTests {
    /// Recovers Ada's account in a browser, which is signed in then.
    /// - Returns: the password that is set.
    private func recover(
        on server: TestServer, in browser: TestBrowser, for client: TestClient
    ) async throws -> Password {
        var page = try await browser.open(client.request()).page()
        page = try await browser.submit(page, .recover(username: "ada")).page()
        let sent = try OneTimeCode(try await server.recoveryCode())
        page = try await browser.submit(page, .checkRecoveryCode(sent)).page()
        let password = try Password("another phrase 8")
        _ = try await browser.submit(page, .setPassword(password)).code()
        return password
    }

    @Test("Forgot your password: the name, the code, a new password, and back to the app with a code")
    func recovers() async throws {
        let server = try await TestServer.start()
        _ = try await server.reachableAccount()
        let client = try await server.bearerClient()
        let browser = TestBrowser(server)
        var page = try await browser.open(client.request()).page()
        #expect(page.resetCredentialsURL == nil)
        page = try await browser.submit(page, .forgotPassword()).page()
        #expect(page.step == .recovery(username: nil))
        let unknown = try await browser.submit(page, .recover(username: "nobody")).page()
        page = try await browser.submit(page, .recover(username: "ada")).page()
        #expect(page.step == .recoveryCode(canResend: true))
        #expect(page.notice == nil)
        #expect(page.step == unknown.step)
        #expect(page.notice == unknown.notice)
        let code = try await server.recoveryCode()
        let foreign = try await browser.submit(unknown, .checkRecoveryCode(OneTimeCode(code))).page()
        #expect(foreign.notice == .invalidCode)
        page = try await browser.submit(page, .checkRecoveryCode(OneTimeCode("wrong"))).page()
        #expect(page.notice == .invalidCode)
        page = try await browser.submit(page, .checkRecoveryCode(OneTimeCode(code))).page()
        #expect(page.step == .recoveredPassword)
        page = try await browser.submit(page, .mistypePassword).page()
        #expect(page.step == .recoveredPassword)
        #expect(page.notice == .passwordMistyped)
        page = try await browser.submit(page, .setPassword(Password("short"))).page()
        #expect(page.step == .recoveredPassword)
        let answer = try await browser.submit(page, .setPassword(Password("another phrase 8"))).code()
        _ = try await client.redeem(answer).tokens()
    }

    @Test("The page that asks for the code shows what was typed, after a wrong code and another code as well")
    func typedName() async throws {
        let server = try await TestServer.start()
        _ = try await server.reachableAccount()
        let client = try await server.bearerClient()
        let browser = TestBrowser(server)
        var page = try await browser.open(client.request()).page()
        page = try await browser.submit(page, .recover(username: "Ada@exmaple.com")).page()
        #expect(page.recoveryName == "Ada@exmaple.com")
        #expect(try await browser.load(page).page().recoveryName == "Ada@exmaple.com")
        page = try await browser.submit(page, .checkRecoveryCode(OneTimeCode("wrong"))).page()
        #expect(page.recoveryName == "Ada@exmaple.com")
        server.clock.advance(by: PasswordRecovery.interval)
        page = try await browser.submit(page, .resendRecoveryCode).page()
        #expect(page.recoveryName == "Ada@exmaple.com")
        // The page before keeps nothing of it.
        page = try await browser.submit(page, .usePassword()).page()
        #expect(page.recoveryName == nil)
    }

    @Test("Only a resent code is announced: the step itself mentions the first")
    func announces() async throws {
        let server = try await TestServer.start()
        _ = try await server.reachableAccount()
        let client = try await server.bearerClient()
        let browser = TestBrowser(server)
        var page = try await browser.open(client.request()).page()
        page = try await browser.submit(page, .recover(username: "ada")).page()
        #expect(page.notice == nil)
        server.clock.advance(by: PasswordRecovery.interval)
        page = try await browser.submit(page, .resendRecoveryCode).page()
        #expect(page.step == .recoveryCode(canResend: true))
        #expect(page.notice == .recoveryCodeSent)
    }

    @Test(
        "A browser signed in by a recovery must sign in again where two factors are asked for, and not with prompt=none"
    )
    func strongerAfterwards() async throws {
        let server = try await TestServer.start()
        _ = try await server.reachableAccount()
        let client = try await server.bearerClient()
        let browser = TestBrowser(server)
        let password = try await recover(on: server, in: browser, for: client)
        server.clock.advance(by: .seconds(1))
        let silent = try await browser.open(
            client.request {
                $0["acr_values"] = AuthenticationStrength.twoFactors
                $0["prompt"] = "none"
            }
        ).redirect()
        #expect(silent["error"] == "interaction_required")
        var page = try await browser.open(client.request { $0["acr_values"] = AuthenticationStrength.twoFactors })
            .page()
        #expect(page.step == .credentials(username: nil))
        page = try await browser.submit(page, .signIn(username: "ada", password: password)).page()
        let answer = SignInPage.Action.answerFactor(try Password(try await server.sentCode()))
        // For a day that password and a code to that mailbox are one factor.
        let refused = try await browser.submit(page, answer).redirect()
        #expect(refused["error"] == "unmet_authentication_requirements")
        server.clock.advance(by: .hours(24))
        page = try await browser.open(client.request { $0["acr_values"] = AuthenticationStrength.twoFactors }).page()
        page = try await browser.submit(page, .signIn(username: "ada", password: password)).page()
        let later = SignInPage.Action.answerFactor(try Password(try await server.sentCode()))
        let code = try await browser.submit(page, later).code()
        let claims = try await server.claims(of: client.redeem(code).tokens())
        #expect(claims.acr == AuthenticationStrength.twoFactors)
    }

    @Test("attack: no sign-in links the browser of a recovery by the mailbox while the account cools")
    func linksNothing() async throws {
        let server = try await TestServer.start()
        _ = try await server.reachableAccount()
        let client = try await server.bearerClient()
        let browser = TestBrowser(server)
        let password = try await recover(on: server, in: browser, for: client)
        for wait in [Duration.seconds(31), .hours(24)] {
            server.clock.advance(by: wait)
            var page = try await browser.open(client.request { $0["prompt"] = "login" }).page()
            page = try await browser.submit(page, .signIn(username: "ada", password: password)).page()
            guard case .secondFactor = page.step else {
                Issue.record("no code was asked for: \(String(describing: page.step))")
                return
            }
            let answer = SignInPage.Action.answerFactor(try Password(try await server.sentCode()))
            _ = try await browser.submit(page, answer).code()
        }
        // The sign-in of a day later has linked it.
        server.clock.advance(by: .seconds(31))
        let page = try await browser.open(client.request { $0["prompt"] = "login" }).page()
        _ = try await browser.submit(page, .signIn(username: "ada", password: password)).code()
    }

    @Test("attack: another browser cannot go on with a recovery, and no code is checked on a page that asked for none")
    func otherBrowser() async throws {
        let server = try await TestServer.start()
        _ = try await server.reachableAccount()
        let client = try await server.bearerClient()
        let browser = TestBrowser(server)
        let first = try await browser.open(client.request()).page()
        let page = try await browser.submit(first, .recover(username: "ada")).page()
        let sent = try OneTimeCode(try await server.recoveryCode())
        let thief = TestBrowser(server)
        _ = try await thief.open(client.request()).page()
        #expect(try await thief.submit(page, .checkRecoveryCode(sent)).restart != nil)
        #expect(try await browser.submit(first, .checkRecoveryCode(sent)).fault == .stalePage)
        #expect(try await browser.submit(page, .setPassword(Password("another phrase 8"))).fault == .stalePage)
    }
}
