import Core
import FlowSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import SignIn

@Suite("How often a signed-in browser goes on without a page", .covers("the sessions of one account at a client"))
struct SilentSignInTests {
    private struct Setting {
        let server: TestServer
        let client: TestClient
        let browser: TestBrowser

        /// A browser that signed in and has used up what it may do in a row.
        init() async throws {
            server = try await TestServer.start { $0.sessions.silentSignIns = 3 }
            _ = try await server.account()
            client = try await server.bearerClient()
            browser = TestBrowser(server)
            _ = try await browser.signIn(client.request()).code()
            for _ in 0..<3 { _ = try await browser.open(none).code() }
        }

        var none: FormParameters { get throws { try client.request { $0["prompt"] = "none" } } }
    }

    @Test("attack: a script with a browser's cookie gets no further code, and writes no further entry of the audit log")
    func flood() async throws {
        let setting = try await Setting()
        let entries = try await setting.server.rows(of: "security_events")
        for _ in 0..<10 {
            #expect(try await setting.browser.open(setting.none).redirect()["error"] == "temporarily_unavailable")
        }
        #expect(try await setting.server.rows(of: "security_events") == entries)
        // One more after each wait, until there was none for a while.
        setting.server.clock.advance(by: .seconds(10))
        _ = try await setting.browser.open(setting.none).code()
        #expect(try await setting.browser.open(setting.none).redirect()["error"] == "temporarily_unavailable")
        setting.server.clock.advance(by: .minutes(10))
        for _ in 0..<3 { _ = try await setting.browser.open(setting.none).code() }
    }

    @Test("attack: a script signs in again for each hundred codes, and all browsers of the account wait")
    func manyBrowsers() async throws {
        let setting = try await Setting()
        for _ in 0..<9 {
            let browser = TestBrowser(setting.server)
            _ = try await browser.signIn(setting.client.request()).code()
            for _ in 0..<3 { _ = try await browser.open(setting.none).code() }
        }
        let next = TestBrowser(setting.server)
        _ = try await next.signIn(setting.client.request()).code()
        #expect(try await next.open(setting.none).redirect()["error"] == "temporarily_unavailable")
        setting.server.clock.advance(by: .seconds(1))
        _ = try await next.open(setting.none).code()
    }

    @Test(
        "An app that redirects in a circle is stopped by a page that asks whether to continue",
        .threat("A flood of sessions"))
    func circle() async throws {
        let setting = try await Setting()
        let page = try await setting.browser.open(setting.client.request()).page()
        guard case .confirmation(username: "ada", _) = page.step else {
            Issue.record("another page: \(page.step)")
            return
        }
        #expect(page.notice == .tooManyAttempts(retryAfter: 10))
        let again = try await setting.browser.submit(page, .confirm).page()
        #expect(again.notice == .tooManyAttempts(retryAfter: 10))
        setting.server.clock.advance(by: .seconds(10))
        _ = try await setting.browser.submit(again, .confirm).code()
    }

    @Test("Another browser of the same person, and a new sign-in in this one, do not wait")
    func others() async throws {
        let setting = try await Setting()
        let other = TestBrowser(setting.server)
        _ = try await other.signIn(setting.client.request()).code()
        _ = try await other.open(setting.none).code()
        let login = try setting.client.request { $0["prompt"] = "login" }
        _ = try await setting.browser.signIn(login).code()
        _ = try await setting.browser.open(setting.none).code()
    }
}
