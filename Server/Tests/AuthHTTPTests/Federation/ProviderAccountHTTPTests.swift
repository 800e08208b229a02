import Core
import HTTPTypes
import HummingbirdTesting
import Kernel
import Testing
import WalletAuthWire

@testable import HTTP
@testable import SignIn
@testable import Web

@Suite("A provider's person and an existing account, over HTTP", .threat("Provider sign-in on hosted pages"))
struct ProviderAccountHTTPTests {
    private func use(
        _ body: @Sendable (TestServer, BrowserOverHTTP, StubProvider) async throws -> Void
    ) async throws {
        let provider = StubProvider()
        try await TestServer.use(providers: provider.http) { server in
            try await server.makePublicClient()
            try await server.add(provider)
            try await server.serve { client in try await body(server, BrowserOverHTTP(client: client), provider) }
        }
    }

    /// The provider's answer to a browser that left.
    private func query(answering departure: TestResponse, _ name: String, _ value: String) throws -> String {
        var form = FormParameters()
        let state: String = try #require(try departure.redirectParameters["state"])
        form.append("state", state)
        form.append(name, value)
        if name == "code" { form.append("iss", StubProvider.issuer) }
        return form.encoded
    }

    @Test(
        "The offer of a new account says how to sign in to an existing one, in each language",
        arguments: Language.allCases)
    func existingAccount(language: Language) async throws {
        try await use { _, browser, provider in
            var browser = browser
            let departure = try await browser.leave(["ui_locales": language.rawValue])
            try provider.vouch(try #require(departure.headers[.location]))
            let query = try query(answering: departure, "code", "c")
            let offer = try await browser.open(BrowserOverHTTP.providerPage + "?" + query)
            let text = BrandLanguage(language, nil).providerText
            #expect(offer.text.contains(HTMLEscaping().escapeText(text[.existingAccountHint])))
            let rules = BrandLanguage(language, nil).text[.usernameHint]
            #expect(offer.text.contains("id=\"username-hint\">\(HTMLEscaping().escapeText(rules))</p>"))
            #expect(
                offer.text.contains(
                    "value=\"other_account\">\(HTMLEscaping().escapeText(text[.existingAccountLabel]))<"))
            let signIn = try await browser.press("other_account", on: offer, at: BrowserOverHTTP.signInPage)
            #expect(signIn.text.contains("name=\"password\""))
        }
    }

    @Test("A person without a password is asked for none, only in their own browser, and can use another account")
    func withoutPassword() async throws {
        try await use { server, browser, provider in
            var browser = browser
            let departure = try await browser.leave()
            try provider.vouch(try #require(departure.headers[.location]))
            let query = try query(answering: departure, "code", "c")
            let offer = try await browser.open(BrowserOverHTTP.providerPage + "?" + query)
            let made = try await browser.press(
                "create_account", on: offer, at: BrowserOverHTTP.signInPage, [("username", "ada")])
            #expect(made.status == .seeOther)

            func isAlone(_ page: TestResponse) throws -> Bool {
                #expect(page.text.ranges(of: "value=\"use_provider\"").count == 1)
                let isAlone = !page.text.contains("name=\"password\"")
                for sign in ["name=\"username\"", "value=\"forgot_password\"", "class=\"divider\"", " autofocus"] {
                    #expect(page.text.contains(sign) == !isAlone, "\(sign)")
                }
                #expect(page.text.contains("value=\"other_account\"") == isAlone)
                return isAlone
            }
            let again = ["prompt": "login", "login_hint": "ada"]
            #expect(try isAlone(await browser.open("/oauth2/authorize?" + Journey.query(again))))
            let account = try await browser.open(BrowserOverHTTP.accountPage)
            #expect(
                account.text.contains(
                    /(?s)>Sign in with Example<\/h3>\s*<p>Connected since [^<]+<\/p>.*?value="ask_to_unlink"/))
            #expect(try isAlone(await browser.press("change_password", on: account)))
            try await server.makeAccount()
            let others = ["prompt": "login", "login_hint": "maria"]
            #expect(try !isAlone(await browser.open("/oauth2/authorize?" + Journey.query(others))))
            // Whether an account has a password is for its holder to know.
            var elsewhere = BrowserOverHTTP(client: browser.client)
            #expect(try !isAlone(await elsewhere.open("/oauth2/authorize?" + Journey.query(again))))
            let own = try await browser.open("/oauth2/authorize?" + Journey.query(again))
            let free = try await browser.press("other_account", on: own, at: BrowserOverHTTP.signInPage)
            #expect(free.text.contains("name=\"password\""))
        }
    }

    @Test("After a failure at the provider, a person without a password has the way to a recovery")
    func outage() async throws {
        try await use { _, browser, provider in
            var browser = browser
            let arrival = try await browser.leave()
            try provider.vouch(try #require(arrival.headers[.location]))
            let offer = try await browser.open(
                BrowserOverHTTP.providerPage + "?" + query(answering: arrival, "code", "c"))
            _ = try await browser.press(
                "create_account", on: offer, at: BrowserOverHTTP.signInPage, [("username", "ada")])
            for (error, asksForPassword) in [("access_denied", false), ("temporarily_unavailable", true)] {
                let departure = try await browser.leave(["prompt": "login", "login_hint": "ada"])
                let query = try query(answering: departure, "error", error)
                let page = try await browser.open(BrowserOverHTTP.providerPage + "?" + query)
                #expect(page.text.contains("name=\"password\"") == asksForPassword, "\(error)")
                #expect(page.text.contains("value=\"forgot_password\"") == asksForPassword, "\(error)")
            }
        }
    }
}
