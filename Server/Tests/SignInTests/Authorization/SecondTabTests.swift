import Core
import FlowSupport
import Testing
import WalletAuthWire

@testable import SignIn

/// Forms that are open in a browser while it signs in elsewhere. Their binding is old, and their request begins again.
@Suite("Forms in a second tab", .covers("a form in a second tab, a double click or a reload fails"))
struct SecondTabTests {
    private struct Tabs {
        let browser: TestBrowser
        let client: TestClient
        let page: SignInPage
    }

    private static var password: SignInPage.Action {
        get throws { .signIn(username: "ada", password: try Password("correct horse battery")) }
    }

    /// Opens a page for one app, and signs in for another.
    private func open(_ adjust: (inout [String: String?]) -> Void = { _ in }) async throws -> Tabs {
        let server = try await TestServer.start()
        _ = try await server.account()
        let (first, second) = (try await server.bearerClient(), try await server.bearerClient("other"))
        let browser = TestBrowser(server)
        let page = try await browser.open(second.request(adjust)).page()
        _ = try await browser.signIn(first.request()).code()
        return Tabs(browser: browser, client: second, page: page)
    }

    @Test("After a sign-in in one tab, another app's form continues with that sign-in")
    func continues() async throws {
        let tabs = try await open { $0["state"] = "s-2" }
        let answer = try await tabs.browser.follow(tabs.browser.submit(tabs.page, Self.password)).redirect()
        #expect(answer["state"] == "s-2")
        #expect(answer["code"] != nil)
    }

    @Test("The request keeps what it asked for: a new sign-in is still a new sign-in")
    func keepsRequest() async throws {
        let tabs = try await open {
            $0["prompt"] = "login"
            $0["login_hint"] = "ada"
            $0["ui_locales"] = "de"
        }
        let page = try await tabs.browser.follow(tabs.browser.submit(tabs.page, Self.password)).page()
        #expect(page.step == .credentials(username: "ada"))
        #expect(try page.locales == [LocaleTag("de")])
    }

    @Test("Cancel is answered as Cancel, and does not sign in")
    func cancels() async throws {
        let tabs = try await open { $0["state"] = "s-2" }
        let answer = try await tabs.browser.submit(tabs.page, .cancel).redirect()
        #expect(answer["error"] == "access_denied")
        #expect(answer["state"] == "s-2")
        #expect(answer["code"] == nil)
    }

    @Test("A person who typed another name is asked to sign in, and does not go on as the one of the first tab")
    func anotherPerson() async throws {
        let tabs = try await open { $0["login_hint"] = "ada" }
        let password = try Password("correct horse battery")
        for typed in [
            SignInPage.Action.signIn(username: " Grace ", password: password), .recover(username: "Grace"),
        ] {
            let page = try await tabs.browser.follow(tabs.browser.submit(tabs.page, typed)).page()
            #expect(page.step == .credentials(username: "Grace"))
        }
        let unusable = SignInPage.Action.signIn(username: "no such name", password: password)
        _ = try await tabs.browser.follow(tabs.browser.submit(tabs.page, unusable)).code()
    }

    @Test("“Another account” asks which, and leaves the other tab's sign-in alone")
    func otherAccount() async throws {
        let tabs = try await open()
        let page = try await tabs.browser.follow(tabs.browser.submit(tabs.page, .useAnotherAccount)).page()
        #expect(page.step == .credentials(username: nil))
        _ = try await tabs.browser.open(tabs.client.request { $0["prompt"] = "none" }).code()
    }

    @Test("A page that was opened in time may begin again after its URL has expired")
    func expiredURL() async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        let (client, browser) = (try await server.bearerClient(), TestBrowser(server))
        let end = server.clock.now().seconds + 60
        let page = try await browser.open(client.request { $0["expires_at"] = String(end) }).page()
        _ = try await browser.signIn(client.request()).code()
        server.clock.advance(by: .seconds(61))
        _ = try await browser.follow(browser.submit(page, Self.password)).code()
    }

    @Test("Pressing the button twice ends at the app, since the second form is only old")
    func doubleClick() async throws {
        let tabs = try await open()
        let page = try await tabs.browser.open(tabs.client.request { $0["prompt"] = "select_account" }).page()
        _ = try await tabs.browser.submit(page, Self.password).code()
        let second = try await tabs.browser.submit(page, Self.password)
        #expect(second.restart?.hasPrefix("https://auth.example.com/oauth2/authorize?") == true)
        #expect(second.fault == nil)
    }

    @Test("The account page that was open before shows the account")
    func accountPage() async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        let browser = TestBrowser(server)
        let asked = AccountPageRequest(locales: [try LocaleTag("fr"), try LocaleTag("de")])
        let page = try await browser.openAccount(asked).page()
        _ = try await browser.signIn(try await server.bearerClient().request()).code()
        let answer = try await browser.press(Self.password, on: page)
        #expect(answer.restart == "https://auth.example.com/account?ui_locales=fr%20de")
        #expect(try await browser.openAccount(asked).accountPage().overview?.username == "ada")
    }

    @Test("A form without cookies, or one that expired, is still refused")
    func refused() async throws {
        let tabs = try await open()
        tabs.browser.server.clock.advance(by: .hours(1))
        #expect(try await tabs.browser.submit(tabs.page, .cancel).fault == .stalePage)
        let fresh = try await tabs.browser.open(tabs.client.request { $0["prompt"] = "login" }).page()
        tabs.browser.cookies.binding = nil
        #expect(try await tabs.browser.submit(fresh, Self.password).fault == .stalePage)
    }
}
