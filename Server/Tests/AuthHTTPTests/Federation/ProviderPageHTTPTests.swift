import Core
import HTTPTypes
import HummingbirdTesting
import Kernel
import TestSupport
import Testing
import WalletAuthWire

@testable import HTTP
@testable import SignIn
@testable import Web

@Suite("Signing in by a provider over HTTP", .threat("Provider sign-in on hosted pages"))
struct ProviderPageHTTPTests {
    private static let origin = "https://id.example.com"

    private func use(
        _ provider: StubProvider = StubProvider(), label: String = "Example", redirectsToOtherHosts: Bool = false,
        _ body: @Sendable (TestServer, BrowserOverHTTP, StubProvider) async throws -> Void
    ) async throws {
        try await TestServer.use(providers: provider.http) { server in
            try await server.makePublicClient()
            try await server.add(provider, label: label, redirectsToOtherHosts: redirectsToOtherHosts)
            try await server.serve { client in try await body(server, BrowserOverHTTP(client: client), provider) }
        }
    }

    @Test(
        "Apple's button has Apple's logo next to the words of each language, and no other provider's has",
        arguments: Language.allCases)
    func appleButton(language: Language) throws {
        let text = BrandLanguage(language, nil).providerText
        let buttons = ProviderView(text: text).buttons([
            .init(
                id: try ProviderID("apple"), name: "Apple", place: "https://appleid.apple.com", isVendor: true,
                style: .apple),
            .init(id: try ProviderID("other"), name: "Other", place: "https://other.example", isVendor: true),
        ])
        #expect(buttons?.buttons.map(\.isApple) == [true, false])
        #expect(buttons?.buttons.first?.label == text[.signInLabel, ["provider": "Apple"]])
        let parts = PageTemplate.providerButtons.text.split(separator: "{{#isApple}}")
        let apple = try #require(parts.last?.split(separator: "{{/isApple}}").first)
        #expect(apple.contains("<svg") && apple.contains("class=\"apple\""))
        #expect(PageTemplate.providerButtons.text.ranges(of: "<svg").count == 1)
    }

    private func state(of departure: TestResponse) throws -> String {
        try #require(departure.redirectParameters["state"])
    }

    private func encoded(_ fields: KeyValuePairs<String, String>) -> String {
        FormParameters(fields).encoded
    }

    @Test(
        "The button is there in each language, in a form of its own, and the page's policy lets it lead to the provider",
        arguments: [
            ("en", "Continue with Example"), ("de", "Weiter mit Example"), ("fr", "Continuer avec Example"),
            ("es", "Continuar con Example"), ("bg", "Продължаване с Example"),
        ])
    func buttons(language: String, label: String) async throws {
        try await use { _, browser, _ in
            var browser = browser
            let page = try await browser.open("/oauth2/authorize?" + Journey.query(["ui_locales": language]))
            #expect(page.text.contains(#"name="provider" value="example">\#(label)</button>"#))
            let policy = page.headers[.contentSecurityPolicy] ?? ""
            #expect(policy.contains("form-action 'self' https://app.example.com \(Self.origin);"))
            #expect(policy.contains("script-src 'self';") && !policy.contains("unsafe"))
            #expect(page.headers[.referrerPolicy] == "no-referrer")
        }
    }

    @Test("A page without providers names none in its policy, and a label with markup is text")
    func policies() async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient()
            let page = try await Journey.open(client)
            #expect(!page.text.contains("use_provider"))
            #expect(
                page.headers[.contentSecurityPolicy]?.contains("form-action 'self' https://app.example.com;") == true)
        }
        try await use(label: #"<b>"E&x"</b>"#) { _, browser, _ in
            var browser = browser
            let page = try await browser.open("/oauth2/authorize?" + Journey.query())
            #expect(page.text.contains("Continue with &lt;b&gt;&quot;E&amp;x&quot;&lt;/b&gt;"))
        }
    }

    @Test("The button leads to the provider by a 303 that is not cached")
    func departure() async throws {
        try await use { _, browser, _ in
            var browser = browser
            let answer = try await browser.leave()
            #expect(answer.status == .seeOther)
            #expect(
                answer.headers[.location]?.hasPrefix("https://id.example.com/authorize?response_type=code&") == true)
            #expect(answer.headers[.cacheControl] == "no-store")
            #expect(answer.headers[.referrerPolicy] == "no-referrer")
            let uri = try answer.redirectParameters["redirect_uri"]
            #expect(uri == TestServer.issuer + BrowserOverHTTP.providerPage)
        }
    }

    @Test(
        "A provider that lies elsewhere than its issuer, or forwards, is reached by a page, since no policy names where that leads",
        arguments: [("https://login.example.net/authorize", false), ("https://id.example.com/authorize", true)])
    func indirect(endpoint: String, redirectsToOtherHosts: Bool) async throws {
        try await use(StubProvider(endpoint: endpoint), redirectsToOtherHosts: redirectsToOtherHosts) { _, browser, _ in
            var browser = browser
            let answer = try await browser.leave(["ui_locales": "fr"])
            #expect(answer.status == .ok)
            #expect(answer.headers[.location] == nil)
            let header = try #require(HTTPField.Name("Refresh"))
            let refresh = try #require(answer.headers[header])
            #expect(refresh.hasPrefix("0;url=\(endpoint)?response_type=code&"))
            #expect(answer.text.contains("Vous allez être redirigé vers Example."))
            #expect(answer.text.contains(#"<a class="button" href="\#(endpoint)?response_type=code&amp;"#))
            #expect(answer.headers[.contentSecurityPolicy]?.contains("form-action 'self';") == true)
        }
    }

    @Test(
        "Apple's way back: a form of another site, without cookies, becomes a GET that has them, and no code is in its URL"
    )
    func formPost() async throws {
        try await use { server, browser, provider in
            var browser = browser
            let departure = try await browser.leave()
            try provider.vouch(try #require(departure.headers[.location]), email: "ada@example.com")
            let posted = try await browser.client.post(
                BrowserOverHTTP.providerPage,
                [
                    "state": state(of: departure), "code": "a-code-of-theirs",
                    "user": #"{"name":{"firstName":"Mallory"},"email":"mallory@example.com"}"#,
                    "email": "mallory@example.com", "id_token": "forged",
                ], [.secFetchSite: "cross-site"])
            #expect(posted.status == .seeOther)
            #expect(posted.headers[values: .setCookie].isEmpty)
            let location = try #require(posted.headers[.location])
            #expect(location.hasPrefix(TestServer.issuer + BrowserOverHTTP.providerPage + "?state="))
            #expect(!location.contains("a-code-of-theirs") && !location.contains("allory"))
            browser.headers = [.secFetchSite: "cross-site"]
            let page = try await browser.open(String(location.dropFirst(TestServer.issuer.count)))
            #expect(page.status == .ok)
            #expect(page.text.contains("You don’t have an account yet"))
            #expect(page.text.contains(#"name="username" type="text" value="ada""#))
            #expect(page.text.contains("ada@example.com"))
            #expect(!page.text.contains("allory"))
            browser.headers = [.secFetchSite: "same-origin"]
            let made = try await browser.press(
                "create_account", on: page, at: BrowserOverHTTP.signInPage, [("username", "ada")])
            #expect(made.status == .seeOther)
            #expect(try made.redirectParameters["code"]?.isEmpty == false)
            let log = server.log.lines.joined(separator: "\n")
            #expect(!log.contains("a-code-of-theirs"))
            #expect(try !log.contains(state(of: departure)))
        }
    }

    @Test("A provider that answers at once returns within the form's redirects, so the way on to the app is a page")
    func straightBack() async throws {
        try await use { _, browser, provider in
            var browser = browser
            let departure = try await browser.leave()
            try provider.vouch(try #require(departure.headers[.location]))
            let query = encoded(["state": try state(of: departure), "code": "c", "iss": Self.origin])
            let offer = try await browser.open(BrowserOverHTTP.providerPage + "?" + query)
            let made = try await browser.press(
                "create_account", on: offer, at: BrowserOverHTTP.signInPage, [("username", "ada")])
            #expect(made.status == .seeOther)

            let second = try await browser.leave(["prompt": "select_account"])
            try provider.vouch(try #require(second.headers[.location]))
            browser.headers = [.secFetchDest: "document", .secFetchSite: "cross-site"]
            let answer = encoded(["state": try state(of: second), "code": "d", "iss": Self.origin])
            let back = try await browser.open(BrowserOverHTTP.providerPage + "?" + answer)
            #expect(back.status == .ok, "\(back.text)")
            #expect(back.headers[.refresh]?.hasPrefix("0;url=" + Journey.redirectURI + "?code=") == true)
        }
    }

    @Test(
        "attack: a callback without the cookie or with a made-up state gets a page; with another browser's the request begins again"
    )
    func strangers() async throws {
        try await use { _, browser, _ in
            var (own, other) = (browser, browser)
            let departure = try await own.leave()
            _ = try await other.leave()
            let query = encoded(["state": try state(of: departure), "code": "c"])
            for answer in [
                try await browser.client.get(BrowserOverHTTP.providerPage + "?" + query),
                try await own.open(BrowserOverHTTP.providerPage + "?state=none&code=c"),
                try await own.client.post(BrowserOverHTTP.providerPage, ["state": "none", "code": "c"]),
            ] {
                #expect(answer.status == .badRequest)
                #expect(answer.headers[.location] == nil)
                #expect(answer.headers[values: .setCookie].isEmpty)
                #expect(answer.text.contains("expired_page"))
            }
            let elsewhere = try await other.open(BrowserOverHTTP.providerPage + "?" + query)
            #expect(elsewhere.status == .seeOther)
            #expect(elsewhere.headers[.location]?.hasPrefix(TestServer.issuer + "/oauth2/authorize?") == true)
            #expect(elsewhere.headers[values: .setCookie].isEmpty)
        }
    }

    @Test("attack: mix-up: an answer by another provider's way, of this brand or another, is a page; no way is shared")
    func mixUp() async throws {
        try await use { _, browser, _ in
            var browser = browser
            let state = try state(of: try await browser.leave())
            let query = encoded(["state": state, "code": "c"])
            for path in ["default/other", "acme/example", "default/Example"].map({ "/sign-in/provider/" + $0 }) {
                for answer in [
                    try await browser.open(path + "?" + query),
                    try await browser.client.post(path, ["state": state, "code": "c"]),
                ] {
                    #expect(answer.status == .badRequest, "\(path)")
                    #expect(answer.headers[.location] == nil)
                    #expect(answer.text.contains("expired_page"))
                }
            }
            for path in ["/sign-in/provider", "/sign-in/provider/default", "/sign-in/provider/default/example/more"] {
                #expect(try await browser.open(path + "?" + query).status == .notFound, "\(path)")
            }
        }
    }

    @Test(
        "attack: doubled, missing and mixed parameters of an answer are refused with a page",
        arguments: [
            "", "code=c", "state=a&state=b&code=c", "state=a&code=c&code=d", "state=a&response=r&code=c",
            "state=a&response=r&error=access_denied", "state=%00&code=c",
        ])
    func malformed(query: String) async throws {
        try await use { _, browser, _ in
            let answer = try await browser.client.get(BrowserOverHTTP.providerPage + "?" + query)
            #expect(answer.status == .badRequest)
            #expect(answer.headers[.location] == nil)
            let head = try await browser.client.execute(
                uri: BrowserOverHTTP.providerPage + "?" + query, method: .head)
            #expect(head.status == .badRequest)
        }
    }

    @Test("attack: an answer without end is refused, and the longest that is taken makes a URL that servers take")
    func longAnswers() async throws {
        try await use { _, browser, _ in
            var browser = browser
            let state = try state(of: try await browser.leave())
            let path = BrowserOverHTTP.providerPage
            for (name, longest) in [("code", 2048), ("error", 128), ("iss", 512)] {
                let long = String(repeating: "c", count: longest + 1)
                for answer in [
                    try await browser.client.post(path, ["state": state, name: long]),
                    try await browser.open(path + "?" + encoded(["state": state, name: long])),
                ] {
                    #expect(answer.status == .badRequest, "\(name)")
                    #expect(answer.headers[.location] == nil)
                }
            }
            let posted = try await browser.client.post(
                path,
                [
                    "state": state, "code": String(repeating: "c", count: 2048),
                    "error": String(repeating: "e", count: 128), "iss": String(repeating: "i", count: 512),
                ])
            #expect(try #require(posted.headers[.location]).utf8.count < 8000)
        }
    }

    @Test("attack: open redirect: nothing that comes with an answer leads anywhere")
    func openRedirect() async throws {
        try await use { _, browser, _ in
            var browser = browser
            for name in ["redirect_uri", "returnUrl", "next", "target", "error_uri", "iss", "error_description"] {
                let departure = try await browser.leave()
                let query = encoded([
                    "state": try state(of: departure), "error": "access_denied", name: "https://evil.example/",
                ])
                let answer = try await browser.open(BrowserOverHTTP.providerPage + "?" + query)
                #expect(answer.headers[.location] == nil)
                #expect(!answer.text.contains("evil.example"), "\(name)")
            }
        }
    }

    @Test("attack: a form that names no provider of the brand leads nowhere")
    func unknownProviders() async throws {
        try await use { _, browser, _ in
            var browser = browser
            for id in ["other", "../example", "", "https://evil.example"] {
                let page = try await browser.open("/oauth2/authorize?" + Journey.query())
                let answer = try await browser.press(
                    "use_provider", on: page, at: BrowserOverHTTP.signInPage, [("provider", id)])
                #expect(answer.status == .badRequest, "\(id)")
                #expect(answer.headers[.location] == nil)
            }
        }
    }

    @Test("A sign-in that has to be fresh and was not shown to be is 403, and says how to go on")
    func oldSession() async throws {
        try await use { _, browser, provider in
            var browser = browser
            let arrival = try await browser.leave()
            try provider.vouch(try #require(arrival.headers[.location]))
            let offer = try await browser.open(
                BrowserOverHTTP.providerPage + "?" + encoded(["state": try state(of: arrival), "code": "c"]))
            let made = try await browser.press(
                "create_account", on: offer, at: BrowserOverHTTP.signInPage, [("username", "ada")])
            #expect(made.status == .seeOther)
            let departure = try await browser.leave(["prompt": "login"])
            try provider.vouch(try #require(departure.headers[.location]))
            let answer = try await browser.open(
                BrowserOverHTTP.providerPage + "?" + encoded(["state": try state(of: departure), "code": "c"]))
            #expect(answer.status == .forbidden)
            #expect(answer.text.contains("Example did not confirm one"))
            #expect(answer.text.contains(#"name="password""#))
        }
    }

    @Test("What was declined is said calmly, an outage with 503 and when to try again")
    func notices() async throws {
        try await use { _, browser, _ in
            var browser = browser
            for (error, status, text) in [
                ("access_denied", HTTPResponse.Status.ok, "You did not sign in with Example."),
                ("temporarily_unavailable", .serviceUnavailable, "We can’t reach Example right now."),
                ("invalid_request", .badRequest, "Signing in with Example did not work."),
            ] {
                let departure = try await browser.leave()
                let query = encoded(["state": try state(of: departure), "error": error])
                let answer = try await browser.open(BrowserOverHTTP.providerPage + "?" + query)
                #expect(answer.status == status)
                #expect(answer.text.contains(text))
                #expect((answer.headers[.retryAfter] != nil) == (status == .serviceUnavailable))
            }
        }
    }
}
