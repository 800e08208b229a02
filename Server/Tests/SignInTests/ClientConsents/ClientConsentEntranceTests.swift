import Core
import FlowSupport
import TestSupport
import Testing
import WalletAuthWire

@testable import Operations
@testable import SignIn

@Suite("Every way of signing in asks for the consent")
struct ClientConsentEntranceTests {
    private func expectConsent(
        _ outcome: AuthorizationAnswer.Outcome, in browser: TestBrowser, _ app: TestClient,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let page = try outcome.page()
        #expect(page.consent?.username == "ada", "\(page.step)", sourceLocation: sourceLocation)
        _ = try await app.redeem(browser.submit(page, .allow).code()).tokens()
    }

    @Test("After a second factor")
    func secondFactor() async throws {
        let server = try await TestServer.start()
        _ = try await server.reachableAccount()
        let (app, browser) = (try await server.relyingApp(), TestBrowser(server))
        let asked = try await browser.signIn(app.request()).page()
        let answered = try await browser.submit(asked, .answerFactor(Password(server.sentCode())))
        try await expectConsent(answered, in: browser, app)
    }

    @Test("After a password that had to be changed")
    func changedPassword() async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        try await server.administer(["account", "expire-password", "ada"])
        let (app, browser) = (try await server.relyingApp(), TestBrowser(server))
        let asked = try await browser.signIn(app.request()).page()
        #expect(asked.step == .newPassword)
        let answered = try await browser.submit(asked, .setPassword(Password("another phrase 8")))
        try await expectConsent(answered, in: browser, app)
    }

    @Test("After the PIN of the account")
    func accountPIN() async throws {
        let (server, _, _) = try await TestServer.withPIN()
        let (app, browser) = (try await server.relyingApp(), TestBrowser(server))
        let page = try await browser.open(app.request { $0["login_strategy"] = "PIN" }).page()
        let pin = try AccountPIN(TestServer.pin)
        try await expectConsent(
            browser.submit(page, .signInInstead(username: "ada", .accountPIN(pin))), in: browser, app)
    }

    @Test("After a recovery")
    func recovery() async throws {
        let server = try await TestServer.start()
        _ = try await server.reachableAccount()
        let (app, browser) = (try await server.relyingApp(), TestBrowser(server))
        var page = try await browser.open(app.request()).page()
        page = try await browser.submit(page, .forgotPassword()).page()
        page = try await browser.submit(page, .recover(username: "ada")).page()
        let code = try OneTimeCode(try await server.recoveryCode())
        page = try await browser.submit(page, .checkRecoveryCode(code)).page()
        let answered = try await browser.submit(page, .setPassword(Password("another phrase 8")))
        try await expectConsent(answered, in: browser, app)
    }

    @Test("After a passkey")
    func passkey() async throws {
        let server = try await TestServer.start()
        _ = try await server.reachableAccount()
        let (app, browser) = (try await server.relyingApp(), TestBrowser(server))
        var passkey = try SoftwarePasskey()
        _ = try await browser.add(&passkey)
        server.clock.advance(by: .hours(25))
        let other = TestBrowser(server)
        try await expectConsent(other.signIn(to: app, with: passkey), in: other, app)
    }
}
