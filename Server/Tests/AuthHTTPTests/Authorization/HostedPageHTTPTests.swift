import Core
import HTTPTypes
import HummingbirdTesting
import Kernel
import Operations
import Testing
import WalletAuthWire

@testable import HTTP
@testable import Web

@Suite("The authorization endpoint and its page", .threat("Account enumeration"), .covers("GET|POST /oauth2/authorize"))
struct HostedPageHTTPTests {
    @Test("form_post carries the same parameters in a form that needs no script")
    func formPost() async throws {
        try await TestServer.serve { server, client in
            try await server.makeBearerClient()
            try await server.makeAccount()
            let page = try await Journey.open(client, ["response_mode": "form_post"])
            let answer = try await Journey.signIn(client, on: page)
            #expect(answer.status == .ok)
            #expect(answer.text.contains("<form method=\"post\" action=\"\(Journey.redirectURI)\""))
            #expect(try answer.field("state") == "state-1")
            #expect(try !answer.field("code").isEmpty)
            #expect(answer.text.contains("<button type=\"submit\">"))
            let policy = try #require(answer.headers[.contentSecurityPolicy])
            // Browsers would apply it also to where the app redirects after this form.
            #expect(!policy.contains("form-action"))
            #expect(policy.contains("script-src 'self';"))
        }
    }

    @Test(
        "The authorization request may come by POST; parameters in URL and body at once are refused",
        .conformance("oidcc-ensure-post-request-succeeds"))
    func byPost() async throws {
        try await TestServer.serve { server, client in
            try await server.makeBearerClient()
            let form = "application/x-www-form-urlencoded"
            let page = try await client.post("/oauth2/authorize", body: Journey.query(), form)
            #expect(page.status == .ok)
            let both = try await client.post("/oauth2/authorize?state=other", body: Journey.query(), form)
            #expect(both.status == .badRequest)
        }
    }

    @Test("The page's headers: a closed policy, no framing, no storing, no referrer, no sniffing")
    func headers() async throws {
        try await TestServer.serve { server, client in
            try await server.makeBearerClient()
            let page = try await Journey.open(client)
            let policy = try #require(page.headers[.contentSecurityPolicy])
            #expect(policy.hasPrefix("default-src 'none'; style-src 'self'; "))
            #expect(policy.contains("form-action 'self' https://app.example.com;"))
            #expect(policy.contains("frame-ancestors 'none'"))
            #expect(policy.contains("script-src 'self';") && !policy.contains("unsafe"))
            #expect(page.headers[.cacheControl] == "no-store")
            #expect(page.headers[.referrerPolicy] == "no-referrer")
            #expect(page.headers[.xContentTypeOptions] == "nosniff")
            #expect(page.headers[.xFrameOptions] == "DENY")
            #expect(page.headers[.strictTransportSecurity] == nil)
            let scripts = page.text.matches(of: /<script[^>]*>/).map(\.output)
            let assets = PageAssets()
            #expect(
                scripts == [assets.zoneScriptName, assets.revealScriptName].map { "<script src=\"/assets/\($0)\">" })
        }
    }

    @Test("A password can be shown where it is typed or chosen; without scripts, the button stays hidden")
    func reveal() async throws {
        try await TestServer.serve { server, client in
            try await server.makeBearerClient()
            try await server.makeAccount("maria")
            try await server.execute(["account", "expire-password", "maria"])
            let page = try await Journey.open(client)
            let button =
                "<button type=\"button\" class=\"reveal\" data-show=\"Show\" data-hide=\"Hide\" hidden>Show</button>"
            #expect(page.text.ranges(of: button).count == 1)
            let choosing = try await Journey.signIn(client, on: page)
            #expect(choosing.text.ranges(of: button).count == 2)
            let script = try await client.get("/assets/" + PageAssets().revealScriptName)
            #expect(script.headers[.contentType] == "text/javascript; charset=utf-8")
        }
    }

    @Test("On an https issuer cookies bear __Host- and Secure, and browsers must stay on TLS")
    func secureIssuer() async throws {
        try await TestServer.serve(
            issuer: "https://id.example.com", TestServer.behindLocalProxy
        ) { server, client in
            try await server.makeBearerClient()
            let page = try await client.get("/oauth2/authorize?" + Journey.query(), [.xForwardedProto: "https"])
            #expect(page.headers[.strictTransportSecurity]?.hasPrefix("max-age=") == true)
            let cookies = page.headers[values: .setCookie]
            #expect(!cookies.isEmpty)
            for cookie in cookies {
                #expect(cookie.hasPrefix("__Host-"))
                #expect(cookie.contains("; Path=/; HttpOnly; SameSite=Lax; Secure"))
            }
        }
    }

    @Test("The page is written in the language that ui_locales or the browser asks for")
    func languages() async throws {
        try await TestServer.serve { server, client in
            try await server.makeBearerClient()
            let german = try await client.get(
                "/oauth2/authorize?" + Journey.query(["ui_locales": "xx de-AT"]), [.acceptLanguage: "fr"])
            #expect(german.text.contains("<html lang=\"de\">"))
            #expect(german.text.contains("Passwort"))
            #expect(german.headers[.contentLanguage] == "de")
            let austrian = try await client.get("/oauth2/authorize?" + Journey.query(["ui_locales": "de_AT"]))
            #expect(austrian.headers[.contentLanguage] == "de")
            let french = try await client.get("/oauth2/authorize?" + Journey.query(), [.acceptLanguage: "fr-CH"])
            #expect(french.text.contains("Mot de passe"))
        }
    }

    @Test("Enumeration by text: an unknown name and a wrong password get the same page and status")
    func enumeration() async throws {
        try await TestServer.serve { server, client in
            try await server.makeBearerClient()
            try await server.makeAccount("maria")
            var pages: [String] = []
            for username in ["maria", "nobody"] {
                let answer = try await Journey.signIn(
                    client, on: Journey.open(client), username: username, password: "wrong password")
                #expect(answer.headers[.location] == nil)
                #expect(answer.text.contains("role=\"alert\""))
                #expect(answer.text.contains("aria-invalid=\"true\" aria-describedby=\"notice\""))
                let text = answer.text.replacing(username, with: "NAME").replacing(/value="[^"]*"/, with: "")
                pages.append("\(answer.status.code) \(answer.headers[values: .setCookie].count) \(text)")
            }
            #expect(pages[0] == pages[1])
        }
    }

    @Test(
        "Enumeration by slowing: each refusal is the same, and names the wait from the fifth on, whether or not the name exists"
    )
    func slowedEnumeration() async throws {
        try await TestServer.serve { server, client in
            try await server.makeBearerClient()
            try await server.makeAccount("maria")
            var texts: [String: [String]] = [:]
            let waits = (20...30).map { HTMLEscaping().escapeText(Language.english.text[.slowedDown, waiting: $0]) }
            for username in ["maria", "nobody"] {
                for attempt in 1...9 {
                    let answer = try await Journey.signIn(
                        client, on: Journey.open(client), username: username, password: "wrong password")
                    #expect(answer.status == .badRequest, "\(username) \(attempt)")
                    #expect(waits.contains { answer.text.contains($0) } == (attempt >= 5), "\(username) \(attempt)")
                    texts[username, default: []].append(
                        answer.text.replacing(username, with: "NAME").replacing(/value="[^"]*"/, with: "")
                            .replacing(/[0-9]+.seconds/, with: "WAIT"))
                }
            }
            #expect(texts["maria"] == texts["nobody"])
        }
    }

    @Test(
        "A wrong password is at its field; the rule comes with the third, and the wait with the fifth, also for no account",
        arguments: Language.allCases)
    func misses(language: Language) async throws {
        try await TestServer.serve { server, client in
            try await server.makeBearerClient()
            try await server.makeAccount("maria")
            let wrong = HTMLEscaping().escapeText(language.text[.invalidCredentials])
            let rule = HTMLEscaping().escapeText(language.text[.triedOften])
            var texts: [String: [String]] = [:]
            for username in ["maria", "nobody"] {
                var browser = BrowserOverHTTP(client: client)
                var page = try await browser.open(
                    "/oauth2/authorize?" + Journey.query(["ui_locales": language.rawValue]))
                for attempt in 1...4 {
                    page = try await browser.press(
                        "sign_in", on: page, at: "/sign-in", [("username", username), ("password", "wrong password")])
                    #expect(page.status == .badRequest)
                    let label = try #require(page.text.firstRange(of: "<label for=\"password\">"))
                    let field = try #require(page.text.firstRange(of: "<input id=\"password\""))
                    #expect(page.text[label.upperBound..<field.lowerBound].contains("<p>\(wrong)</p>"))
                    #expect(page.text.contains(rule) == (attempt >= 3), "\(username) \(attempt)")
                    texts[username, default: []].append(
                        page.text.replacing(username, with: "NAME").replacing(/value="[^"]*"/, with: ""))
                }
                // From the fifth on, the right password is refused as well, and the page says for how long.
                page = try await browser.press(
                    "sign_in", on: page, at: "/sign-in", [("username", username), ("password", "wrong password")])
                let waits = (20...30).map { HTMLEscaping().escapeText(language.text[.slowedDown, waiting: $0]) }
                #expect(waits.contains { page.text.contains("<p>\($0)</p>") }, "\(page.text)")
                #expect(!page.text.contains(rule))
            }
            #expect(texts["maria"] == texts["nobody"])
        }
    }

    @Test("A page for a network that has to wait says why and for how long, in every language")
    func heldNetwork() async throws {
        try await TestServer.use(settings: { $0.lockout.network.failures = 1 }) { server in
            try await server.serve { client in
                try await server.makeBearerClient()
                let first = try await Journey.open(client)
                _ = try await Journey.signIn(client, on: first, username: "nobody", password: "wrong one")
                for language in Language.allCases {
                    let page = try await Journey.open(client, ["ui_locales": language.rawValue])
                    let held = try await Journey.signIn(client, on: page, username: "nobody", password: "wrong one")
                    #expect(held.status == .tooManyRequests)
                    #expect(held.headers[.retryAfter].flatMap { Int($0) }.map { (1...30).contains($0) } == true)
                    let text = language.text[.networkHeld, ["minutes": "1"]]
                    #expect(held.text.contains(HTMLEscaping().escapeText(text)))
                }
            }
        }
    }

    @Test("A wrong password is shown as an error and its text is nowhere on the page")
    func passwordIsNotEchoed() async throws {
        try await TestServer.serve { server, client in
            try await server.makeBearerClient()
            let answer = try await Journey.signIn(
                client, on: Journey.open(client), username: "<b>\"maria\"</b>", password: "S3cret-of-maria")
            #expect(answer.status == .badRequest)
            #expect(!answer.text.contains("S3cret"))
            #expect(!answer.text.contains("<b>"))
        }
    }

    @Test("Cancelling goes back to the app with access_denied, state and issuer")
    func cancel() async throws {
        try await TestServer.serve { server, client in
            try await server.makeBearerClient()
            let page = try await Journey.open(client)
            let answer = try await client.post(
                "/sign-in", ["request": page.field("request"), "csrf": page.field("csrf"), "action": "cancel"],
                [.cookie: page.cookieHeader])
            #expect(answer.status == .seeOther)
            #expect(try answer.redirectParameters["error"] == "access_denied")
            #expect(try answer.redirectParameters["state"] == "state-1")
            #expect(try answer.redirectParameters["iss"] == TestServer.issuer)
        }
    }
}
