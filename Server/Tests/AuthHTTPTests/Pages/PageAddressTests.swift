import Core
import HTTPTypes
import HummingbirdTesting
import Operations
import Testing
import WalletAuthWire

@testable import HTTP
@testable import Kernel
@testable import SignIn
@testable import Web

/// A form leads to a page at an address of its own, which a browser loads again without sending the form.
@Suite("The address of a page after a form", .covers("a form in a second tab, a double click or a reload fails"))
struct PageAddressTests {
    private static let signInPage = BrowserOverHTTP.signInPage
    private static let pin = "804613972558"
    private static let login = [("username", "maria"), ("password", "correct horse battery")]

    private func typed(_ password: String) -> [(String, String)] { [("username", "maria"), ("password", password)] }

    /// A page that is the same for all its forms.
    private func text(of page: TestResponse) -> String { page.text.replacing(/value="[^"]*"/, with: "") }

    /// Presses a button that leads to a page.
    /// - Returns: the path of that page.
    private func address(
        _ action: String, on page: TestResponse, at path: String, _ typed: [(String, String)] = [],
        _ browser: inout BrowserOverHTTP
    ) async throws -> String {
        let answer = try await browser.submit(action, on: page, at: path, typed)
        #expect(answer.status == .seeOther, "\(action): \(answer.text)")
        #expect(answer.headers[.cacheControl] == "no-store")
        let next = try #require(answer.nextPage, "\(action): \(answer.headers[.location] ?? "nowhere")")
        #expect(next.utf8.count < 2_500, "\(action): \(next.utf8.count) bytes")
        return next
    }

    @Test("After a wrong password on the page of a payment, reloading spends no attempt, and a HEAD neither")
    func payment() async throws {
        try await TestServer.serve { server, client in
            let shop = try await ShopOverHTTP.open(server, client) { $0.consentReturnURLs = [ShopOverHTTP.returnURL] }
            let event = try await shop.ask()
            let challenged = try await shop.challengePage(event)
            let link = try #require(try challenged.member("redirectUrl"), "\(challenged.text)")
            let path = String(link.dropFirst(TestServer.issuer.count))
            var browser = BrowserOverHTTP(client: client)
            let page = try await browser.open(path)
            let wrong = [("password", "a wrong one")]
            let next = try await address("agree", on: page, at: "/consent", wrong, &browser)
            for _ in 0..<6 {
                let shown = try await browser.open(next)
                #expect(shown.status == .badRequest)
                #expect(shown.text.contains("Attempts left: 4."), "\(shown.text)")
                #expect(shown.headers[.cacheControl] == "no-store")
                let head = try await client.execute(
                    uri: next, method: .head, headers: [.cookie: browser.cookieHeader])
                #expect(head.status == .badRequest)
            }
            // Another tab's try counts on the page as well.
            _ = try await browser.press("agree", on: page, at: "/consent", wrong)
            #expect(try await browser.open(next).text.contains("Attempts left: 3."))
            var stranger = BrowserOverHTTP(client: client)
            #expect(try await stranger.open(next).status == .badRequest)
            _ = try await stranger.open(path)
            let elsewhere = try await stranger.open(next)
            #expect(elsewhere.status == .seeOther)
            #expect(elsewhere.headers[.location]?.hasPrefix(TestServer.issuer + "/consent?ticket=") == true)
            let agreed = try await browser.press(
                "agree", on: browser.open(next), at: "/consent", [("password", PhoneOverHTTP.password)])
            #expect(agreed.status == .seeOther, "\(agreed.text)")
            #expect(try await browser.open(next).text.contains("Approved"))
        }
    }

    @Test("A refused payment says so at its address, and the page before says that it is over")
    func refusedPayment() async throws {
        try await TestServer.serve { server, client in
            let shop = try await ShopOverHTTP.open(server, client) { $0.consentReturnURLs = [ShopOverHTTP.returnURL] }
            let event = try await shop.ask()
            let link = try #require(try await shop.challengePage(event).member("redirectUrl"))
            let path = String(link.dropFirst(TestServer.issuer.count))
            var browser = BrowserOverHTTP(client: client)
            let page = try await browser.open(path)
            let before = try await address("agree", on: page, at: "/consent", [("password", "a wrong one")], &browser)
            let next = try await address("refuse", on: page, at: "/consent", [], &browser)
            for _ in 0..<2 {
                #expect(try await browser.open(next).text.contains("Someone else may be signed in as you"))
            }
            let back = try await browser.open(before)
            #expect(!back.text.contains("name=\"password\""))
            #expect(!back.text.contains("Someone else may be signed in as you"))
        }
    }

    @Test("After a wrong password on the sign-in page, reloading is the same page and no try; every form is one")
    func password() async throws {
        try await TestServer.use(settings: { $0.lockout.network.failures = 3 }) { server in
            try await server.serve { client in
                try await server.makeBearerClient()
                try await server.makeAccount()
                var browser = BrowserOverHTTP(client: client)
                let page = try await browser.open("/oauth2/authorize?" + Journey.query())
                for wrong in ["a wrong one", "another wrong one", "a third wrong one"] {
                    let next = try await address("sign_in", on: page, at: Self.signInPage, typed(wrong), &browser)
                    let refused = try await browser.open(next)
                    #expect(refused.status == .badRequest)
                    for _ in 0..<4 {
                        let again = try await browser.open(next)
                        #expect(again.status == .badRequest)
                        #expect(text(of: again) == text(of: refused))
                        #expect(again.text.contains(#"name="username" type="text" value="maria""#), "\(again.text)")
                    }
                }
                // The three were counted.
                let held = try await browser.press("sign_in", on: page, at: Self.signInPage, typed("a fourth"))
                #expect(held.status == .tooManyRequests)
                #expect(held.headers[.retryAfter] != nil)
            }
        }
    }

    @Test("A page keeps its headers at its address, and its languages, also where it is an error page")
    func headers() async throws {
        try await TestServer.serve { server, client in
            try await server.makeBearerClient()
            var browser = BrowserOverHTTP(client: client)
            let page = try await browser.open("/oauth2/authorize?" + Journey.query(["ui_locales": "de"]))
            let next = try await address("sign_in", on: page, at: Self.signInPage, typed("a wrong one"), &browser)
            let shown = try await browser.open(next)
            for name in [HTTPField.Name.contentSecurityPolicy, .cacheControl, .referrerPolicy, .xFrameOptions] {
                #expect(shown.headers[name] == page.headers[name], "\(name)")
            }
            #expect(shown.headers[.contentLanguage] == "de")
            let head = try await client.execute(
                uri: next, method: .head,
                headers: [.cookie: browser.cookieHeader])
            #expect(head.status == .badRequest)
            #expect(head.text.isEmpty)
            var stranger = BrowserOverHTTP(client: client)
            let refused = try await stranger.open(next)
            #expect(refused.status == .badRequest)
            #expect(refused.headers[.contentLanguage] == "de")
            #expect(!refused.text.contains("state-1"))
        }
    }

    @Test("attack: a stranger posts the address of a page as a form, and learns nothing of the request")
    func postedAddress() async throws {
        try await TestServer.serve { server, client in
            try await server.makeBearerClient()
            try await server.makeAccount()
            var browser = BrowserOverHTTP(client: client)
            let page = try await browser.open("/oauth2/authorize?" + Journey.query())
            let next = try await address("sign_in", on: page, at: Self.signInPage, typed("a wrong one"), &browser)
            let query = try #require(next.split(separator: "?", maxSplits: 1).last)
            let sealed = try #require(try FormParameters(parsing: query)["page"])
            var stranger = BrowserOverHTTP(client: client)
            let own = try await stranger.open("/oauth2/authorize?" + Journey.query(["state": "state-2"]))
            for csrf in ["", "forged", try own.field("csrf")] {
                for action in ["sign_in", "other_account", "cancel"] {
                    let answer = try await client.post(
                        Self.signInPage,
                        [
                            "request": sealed, "csrf": csrf, "action": action, "username": "maria",
                            "password": "correct horse battery",
                        ], [.cookie: stranger.cookieHeader])
                    #expect(answer.status == .badRequest, "\(action)")
                    #expect(answer.headers[.location] == nil)
                    for part in ["state-1", "nonce-1"] { #expect(!answer.text.contains(part)) }
                }
            }
            // A form that the person left open goes on after a sign-in in another tab.
            _ = try await browser.press("sign_in", on: page, at: Self.signInPage, Self.login)
            let left = try await browser.submit("sign_in", on: page, at: Self.signInPage, Self.login)
            #expect(left.headers[.location]?.contains("/oauth2/authorize?") == true)
        }
    }

    @Test("An authorization request in a form leads to its page as well")
    func requestByForm() async throws {
        try await TestServer.serve { server, client in
            try await server.makeBearerClient()
            let form = "application/x-www-form-urlencoded"
            let answer = try await client.postOnly("/oauth2/authorize", body: Journey.query(), form)
            #expect(answer.status == .seeOther)
            #expect(answer.nextPage?.hasPrefix("/sign-in?page=") == true)
            #expect(!answer.cookieHeader.isEmpty)
        }
    }

    @Test("A page whose address would be too long for some proxy answers its form itself")
    func longRequest() async throws {
        try await TestServer.serve { server, client in
            let uri = "https://app.example.com/" + String(repeating: "c", count: 1_500)
            try await server.makePublicClient { $0.redirectURIs = [uri] }
            var browser = BrowserOverHTTP(client: client)
            let request = Journey.query([
                "redirect_uri": uri, "state": String(repeating: "s", count: 2_048),
                "nonce": String(repeating: "n", count: 1_024),
            ])
            let page = try await browser.open("/oauth2/authorize?" + request)
            try #require(page.status == .ok, "\(page.text)")
            let answer = try await browser.submit("sign_in", on: page, at: Self.signInPage, typed("a wrong one"))
            #expect(answer.status == .badRequest)
            #expect(answer.text.contains("role=\"alert\""))
        }
    }

    @Test("After the sign-in, Back shows that it is done, with the way to the app", arguments: Language.allCases)
    func done(language: Language) async throws {
        try await TestServer.serve { server, client in
            try await server.makeBearerClient()
            try await server.makeAccount()
            var browser = BrowserOverHTTP(client: client)
            let page = try await browser.open("/oauth2/authorize?" + Journey.query(["ui_locales": language.rawValue]))
            let next = try await address("sign_in", on: page, at: Self.signInPage, typed("a wrong one"), &browser)
            let right = try await browser.press("sign_in", on: page, at: Self.signInPage, Self.login)
            #expect(try right.redirectParameters["code"] != nil)
            let shown = try await browser.open(next)
            #expect(shown.status == .ok)
            let escaping = HTMLEscaping()
            #expect(shown.text.contains("<h1>\(escaping.escapeText(language.text[.appSignedInHeading]))</h1>"))
            #expect(shown.text.contains("<a class=\"button\" href=\"\(TestServer.issuer)/oauth2/authorize?"))
            #expect(shown.headers[.refresh] == nil)
            #expect(!shown.text.contains("<form"))
        }
    }

    @Test("Reloads after a wrong account PIN lock nothing: the right one signs in")
    func accountPIN() async throws {
        try await TestServer.serve { server, client in
            try await server.makeBearerClient()
            try await server.makeAccount()
            try await server.execute(["brand", "update", "default", "--account-pin", "on"])
            var browser = BrowserOverHTTP(client: client)
            let manage = try await browser.press("manage_pin", on: browser.signIn())
            let set = try await browser.press(
                "set_pin", on: manage, [("new_pin", Self.pin), ("repeated_pin", Self.pin)])
            #expect(set.status == .ok, "\(set.text)")
            var visit = BrowserOverHTTP(client: client)
            let page = try await visit.open("/oauth2/authorize?" + Journey.query(["login_strategy": "PIN"]))
            let wrong = [("username", "maria"), ("pin", "170395826641")]
            let next = try await address("sign_in_by_pin", on: page, at: Self.signInPage, wrong, &visit)
            for _ in 0...10 { #expect(try await visit.open(next).status == .badRequest) }
            let right = try await visit.press(
                "sign_in_by_pin", on: visit.open(next), at: Self.signInPage,
                [("username", "maria"), ("pin", Self.pin)])
            #expect(try right.redirectParameters["code"] != nil)
        }
    }

    @Test("Reloads after an authenticator app's wrong code on the account page leave the right code its way")
    func authenticator() async throws {
        try await TestServer.serve { server, client in
            try await server.makeAccount()
            var browser = BrowserOverHTTP(client: client)
            let waiting = try await browser.press("set_up_authenticator", on: browser.signIn())
            let secret = try #require(waiting.text.firstMatch(of: /secret=([A-Z2-7]+)/)).1
            let bytes = try #require(Base32.decode(String(secret)))
            let code = TOTP.code(at: TOTP.stepNumber(at: SystemClock().now()), secret: bytes)
            let wrong = String(code.reversed()) == code ? "000000" : String(code.reversed())
            let next = try await address(
                "confirm_authenticator", on: waiting, at: BrowserOverHTTP.accountPage, [("code", wrong)], &browser)
            #expect(!next.contains(secret))
            for _ in 0...20 {
                let refused = try await browser.open(next)
                #expect(refused.status == .badRequest)
                #expect(refused.text.contains(String(secret)))
            }
            let done = try await browser.press("confirm_authenticator", on: browser.open(next), [("code", code)])
            #expect(done.text.contains("The authenticator app is on."), "\(done.text)")
        }
    }
}
