import FlowSupport
import Testing
import WalletAuthWire

@testable import Operations
@testable import SignIn

/// A form that is posted twice, by a double click, before the browser has the cookies of the first response.
@Suite(
    "Right answers that a page posts twice", .threat("repeating a right code or new password"),
    .covers("a form in a second tab, a double click or a reload fails"))
struct RepeatedAnswerTests {
    /// The same browser, with the cookies that it had.
    private func double(_ browser: TestBrowser) -> TestBrowser {
        let double = TestBrowser(browser.server)
        double.cookies = browser.cookies
        return double
    }

    /// Presses a button twice. Both lead to the app.
    private func press(
        _ action: SignInPage.Action, on page: SignInPage, in browser: TestBrowser
    ) async throws {
        let second = double(browser)
        let first = try await browser.submit(page, action).code()
        let again = try await second.submit(page, action).code()
        #expect(first != again, "each code is valid once")
        #expect(second.cookies.session != nil)
    }

    @Test("“Continue as”, posted again by a reload: each time a code of its own")
    func confirmation() async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        let client = try await server.publicClient { $0.redirectURIs = ["http://127.0.0.1/callback"] }
        let browser = TestBrowser(server)
        let request = try client.request { $0["redirect_uri"] = "http://127.0.0.1:5000/callback" }
        _ = try await browser.signIn(request).code()
        let page = try await browser.open(request).page()
        let first = try await browser.submit(page, .confirm).code()
        let again = try await browser.submit(page, .confirm).code()
        #expect(first != again, "each code is valid once")
    }

    @Test("A code that was sent")
    func sentCode() async throws {
        let server = try await TestServer.start()
        _ = try await server.reachableAccount()
        let browser = TestBrowser(server)
        let page = try await browser.signIn(try await server.publicClient().request()).page()
        try await press(.answerFactor(Password(server.sentCode())), on: page, in: browser)
    }

    @Test("A recovery code, which the first form has spent")
    func recoveryCode() async throws {
        let server = try await TestServer.start()
        let account = try await server.reachableAccount()
        let client = try await server.publicClient()
        let codes = try await TestDevice.signedIn(account, client).makeRecoveryCodes().get().codes
        let browser = TestBrowser(server)
        let asked = try await browser.signIn(client.request()).page()
        let page = try await browser.submit(asked, .chooseFactor(.recoveryCode)).page()
        try await press(.answerFactor(Password(codes[0].reveal())), on: page, in: browser)
        let left = try await server.rows(of: "recovery_codes")
        #expect(left == 9)
    }

    @Test("The code that confirms an address")
    func emailCode() async throws {
        let server = try await TestServer.start()
        _ = try await server.account { $0.email = "ada@example.com" }
        let browser = TestBrowser(server)
        let page = try await browser.signIn(try await server.bearerClient().request()).page()
        try await press(.checkEmailCode(server.emailedCode()), on: page, in: browser)
    }

    @Test("A new password; another one is not set by the second form")
    func newPassword() async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        try await server.administer(["account", "expire-password", "ada"])
        let client = try await server.bearerClient()
        let browser = TestBrowser(server)
        let page = try await browser.signIn(client.request()).page()
        #expect(page.step == .newPassword)
        let other = double(browser)
        try await press(.setPassword(Password("a fresh phrase 7")), on: page, in: browser)
        let refused = try await other.submit(page, .setPassword(Password("another phrase 8"))).page()
        #expect(refused.step == .credentials(username: nil))
        _ = try await TestBrowser(server).signIn(client.request(), password: "a fresh phrase 7").code()
    }

    @Test("attack: not half a minute later, not with another answer, and not in another browser")
    func limits() async throws {
        let server = try await TestServer.start()
        _ = try await server.reachableAccount()
        let client = try await server.publicClient()
        let browser = TestBrowser(server)
        let page = try await browser.signIn(client.request()).page()
        let code = try await server.sentCode()
        let (guessing, late, stranger) = (double(browser), double(browser), TestBrowser(server))
        _ = try await stranger.open(client.request()).page()
        _ = try await browser.submit(page, .answerFactor(Password(code))).code()
        let wrong = code == "000000" ? "000001" : "000000"
        #expect(try await guessing.submit(page, .answerFactor(Password(wrong))).page().notice == .factorOver)
        #expect(try await stranger.submit(page, .answerFactor(Password(code))).restart != nil)
        server.clock.advance(by: RepeatedAnswer.lifetime)
        #expect(try await late.submit(page, .answerFactor(Password(code))).page().notice == .factorOver)
        #expect(late.cookies.session == nil)
    }
}
