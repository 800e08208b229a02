import HTTPTypes
import HummingbirdTesting
import Kernel
import Operations
import Testing
import WalletAuthWire

@testable import HTTP
@testable import Web

@Suite("The page of a sign-out by a client", .threat("framing, script", "CSRF, a stolen page"))
struct LogoutHTTPTests {
    private static let path = "/oauth2/logout"
    private static let away = "https://app.example.com/signed-out"

    private func address(_ parameters: KeyValuePairs<String, String>) -> String {
        Self.path + "?" + FormParameters(parameters).encoded
    }

    /// A browser that is signed in, and an ID token of its person.
    private func use(
        _ test: @Sendable (any TestClientProtocol, BrowserOverHTTP, String) async throws -> Void
    ) async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient {
                $0.requiresDPoP = false
                $0.postLogoutRedirectURIs = [Self.away, "com.example.wallet:/out"]
            }
            try await server.makeAccount()
            var browser = BrowserOverHTTP(client: client)
            _ = try await browser.signIn()
            let answer = try await browser.open("/oauth2/authorize?" + Journey.query())
            let code = try #require(try answer.redirectParameters["code"])
            let hint = try #require(try await Journey.redeem(client, code).member("id_token"))
            try await test(client, browser, hint)
        }
    }

    @Test(
        "The metadata names the endpoint",
        .conformance(
            "oidcc-rp-initiated-logout-discovery-endpoint-verification",
            "oidcc-backchannel-logout-discovery-endpoint-verification"))
    func metadata() async throws {
        try await TestServer.serve { _, client in
            let metadata = try await client.get("/.well-known/openid-configuration")
            #expect(try metadata.member("end_session_endpoint") == TestServer.issuer + Self.path)
            #expect(try metadata.json["backchannel_logout_supported"]?.bool == true)
            #expect(try metadata.json["backchannel_logout_session_supported"]?.bool == true)
        }
    }

    @Test("With the right ID token, a GET leads back by 303, with the state, and takes the cookie away")
    func get() async throws {
        try await use { _, browser, hint in
            var browser = browser
            let state = "<script>alert('1')</script>&\"x=1"
            let answer = try await browser.open(
                address(["id_token_hint": hint, "post_logout_redirect_uri": Self.away, "state": state]))
            #expect(answer.status == .seeOther)
            #expect(answer.headers[.location]?.hasPrefix(Self.away + "?state=%3Cscript%3E") == true)
            #expect(try answer.redirectParameters["state"] == state)
            #expect(browser.cookies["wa_session"] == nil)
            let again = try await browser.open("/oauth2/authorize?" + Journey.query(["prompt": "none"]))
            #expect(try again.redirectParameters["error"] == "login_required")
        }
    }

    @Test("A client's request in a form begins again with a GET, which has the browser's cookies")
    func post() async throws {
        try await use { client, browser, hint in
            var browser = browser
            var form = FormParameters()
            form.append("id_token_hint", hint)
            form.append("post_logout_redirect_uri", Self.away)
            // Another site's form comes without cookies.
            let moved = try await client.postOnly(
                Self.path, body: form.encoded, "application/x-www-form-urlencoded", [.secFetchSite: "cross-site"])
            #expect(moved.status == .seeOther)
            #expect(moved.headers[values: .setCookie].isEmpty)
            let location = try #require(moved.headers[.location])
            try #require(location.hasPrefix(TestServer.issuer + Self.path + "?"))
            let answer = try await browser.open(String(location.dropFirst(TestServer.issuer.count)))
            #expect(answer.headers[.location] == Self.away)
            #expect(browser.cookies["wa_session"] == nil)
        }
    }

    @Test("Without a hint, the page asks in the person's language, cannot be framed, and has no script")
    func asks() async throws {
        try await use { _, browser, _ in
            for (language, words) in [
                ("en", "Sign out of"), ("de", "abmelden?"), ("fr", "Se déconnecter de"), ("es", "¿Cerrar sesión en"),
                ("bg", "Изход от"),
            ] {
                var browser = browser
                let state = "\"><script>alert(1)</script>"
                let page = try await browser.open(
                    address([
                        "client_id": "wallet", "post_logout_redirect_uri": Self.away, "state": state,
                        "ui_locales": language,
                    ]))
                #expect(page.status == .ok)
                #expect(page.text.contains(words), "\(page.text)")
                #expect(page.text.contains("maria"))
                #expect(!page.text.contains("<script"))
                #expect(page.headers[.xFrameOptions] == "DENY")
                let policy = try #require(page.headers[.contentSecurityPolicy])
                #expect(policy.contains("frame-ancestors 'none'") && policy.contains("default-src 'none'"))
                #expect(!policy.contains("script-src"))
                #expect(page.headers[.cacheControl]?.contains("no-store") == true)
                #expect(browser.cookies["wa_session"] != nil)
            }
        }
    }

    @Test("The button signs out and leads back, and stays at a page that says so without a URI")
    func button() async throws {
        try await use { _, browser, _ in
            var first = browser
            let page = try await first.open(address(["client_id": "wallet", "post_logout_redirect_uri": Self.away]))
            let answer = try await first.submit("sign_out", on: page, at: Self.path)
            #expect(answer.status == .seeOther)
            #expect(answer.headers[.location] == Self.away)
            #expect(first.cookies["wa_session"] == nil)
            // Reloaded, in the browser that has signed out.
            let plain = try await first.submit("sign_out", on: page, at: Self.path)
            #expect(plain.headers[.location] == Self.away)
            let over = try await first.open(Self.path)
            #expect(over.status == .ok)
            #expect(over.text.contains("You are signed out"))
        }
    }

    @Test("In a browser that may still follow the form, a page leads on to the site or the app")
    func wayBack() async throws {
        for (uri, words) in [(Self.away, "https://app.example.com"), ("com.example.wallet:/out", "You are signed out")]
        {
            try await use { _, browser, _ in
                var browser = browser
                let page = try await browser.open(address(["client_id": "wallet", "post_logout_redirect_uri": uri]))
                browser.headers = [.secFetchSite: "same-origin", .secFetchDest: "document"]
                let answer = try await browser.submit("sign_out", on: page, at: Self.path)
                #expect(answer.status == .ok)
                #expect(answer.headers[.refresh] == "0;url=" + uri)
                #expect(answer.text.replacing("<wbr>", with: "").contains(words))
            }
        }
    }

    @Test("attack: CSRF: the button without its cookie, with another page's token, or pressed by another site")
    func crossSite() async throws {
        try await use { client, browser, _ in
            var browser = browser
            let page = try await browser.open(Self.path)
            let other = try await client.get("/oauth2/authorize?" + Journey.query())
            let token = try page.field("csrf")
            let cookie = browser.cookieHeader
            let attacks: [(String, HTTPFields)] = [
                ("forged", [.cookie: cookie]), (try other.field("csrf"), [.cookie: cookie]),
                (token, [.cookie: cookie, .secFetchSite: "cross-site"]),
                (token, [.cookie: cookie, .secFetchSite: "same-site"]),
                (token, [.cookie: "wa_session=\(browser.cookies["wa_session"] ?? "")"]),
            ]
            for (csrf, headers) in attacks {
                let answer = try await client.post(
                    Self.path, ["request": page.field("request"), "csrf": csrf, "action": "sign_out"], headers)
                #expect(answer.status == .badRequest, "\(headers)")
                #expect(answer.headers[values: .setCookie].isEmpty)
            }
            let silent = try await browser.open("/oauth2/authorize?" + Journey.query(["prompt": "none"]))
            #expect(try silent.redirectParameters["code"] != nil)
        }
    }

    @Test("attack: doubled parameters, and parameters in both the URL and the form, are refused with a page")
    func doubled() async throws {
        try await use { client, browser, hint in
            var browser = browser
            let right = address(["id_token_hint": hint, "client_id": "wallet", "state": "x"])
            for name in ["id_token_hint", "client_id", "post_logout_redirect_uri", "state"] {
                let twice = right + "&\(name)=x" + (name == "post_logout_redirect_uri" ? "&\(name)=y" : "")
                let answer = try await browser.open(twice)
                #expect(answer.status == .badRequest, "\(name)")
                #expect(answer.headers[.location] == nil)
            }
            let both = try await client.postOnly(
                right, body: "id_token_hint=\(hint)", "application/x-www-form-urlencoded")
            #expect(both.status == .badRequest)
            #expect(browser.cookies["wa_session"] != nil)
        }
    }

    @Test("attack: an unregistered URI and another client's ID token get an error page that names no address")
    func faults() async throws {
        try await use { _, browser, hint in
            for address in [
                address(["id_token_hint": hint, "post_logout_redirect_uri": "https://evil.example/out"]),
                address(["id_token_hint": hint, "client_id": "other"]), address(["client_id": "nobody"]),
                address(["id_token_hint": hint, "state": String(repeating: "x", count: 2049)]),
            ] {
                var browser = browser
                let answer = try await browser.open(address)
                #expect(answer.status == .badRequest)
                #expect(answer.headers[.location] == nil)
                #expect(!answer.text.contains("evil.example"))
                #expect(browser.cookies["wa_session"] != nil)
            }
        }
    }
}
