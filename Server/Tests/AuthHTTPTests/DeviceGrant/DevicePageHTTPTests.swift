import Core
import HTTPTypes
import HummingbirdTesting
import Kernel
import Operations
import Testing
import WalletAuthWire

@testable import HTTP
@testable import SignIn
@testable import Web

@Suite("The page of a device's code", .threat("A device's code that a stranger sends"))
struct DevicePageHTTPTests {
    private static let path = "/device"
    private static let grantType = "urn:ietf:params:oauth:grant-type:device_code"
    private static let login = [("username", "maria"), ("password", "correct horse battery")]

    private func serve(
        _ change: @Sendable (inout ClientRegistration) -> Void = { _ in },
        _ test: @Sendable (TestServer, any TestClientProtocol) async throws -> Void
    ) async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient("tv") {
                $0.name = "Television"
                $0.requiresDPoP = false
                $0.deviceGrant = true
                change(&$0)
            }
            try await server.makeAccount()
            try await test(server, client)
        }
    }

    private func ask(_ client: any TestClientProtocol) async throws -> JSONObject {
        let answer = try await client.post("/oauth2/device_authorization", ["client_id": "tv", "scope": "openid"])
        #expect(answer.status == .ok, "\(answer.text)")
        #expect(answer.headers[.cacheControl] == "no-store")
        return try answer.json
    }

    private func poll(_ client: any TestClientProtocol, _ codes: JSONObject) async throws -> TestResponse {
        let code = try #require(try codes.string("device_code"))
        return try await client.post(
            "/oauth2/token", ["grant_type": Self.grantType, "client_id": "tv", "device_code": code])
    }

    @Test("From the codes to the tokens, as RFC 8628 names everything on the way")
    func wholeJourney() async throws {
        try await serve { _, client in
            let codes = try await ask(client)
            #expect(
                codes.members.map(\.name) == [
                    "device_code", "user_code", "verification_uri", "verification_uri_complete", "expires_in",
                    "interval",
                ])
            let pending = try await poll(client, codes)
            #expect(pending.status == .badRequest)
            #expect(try pending.member("error") == "authorization_pending")
            #expect(try await poll(client, codes).member("error") == "slow_down")

            var browser = BrowserOverHTTP(client: client)
            let code = try #require(try codes.string("user_code"))
            let page = try await browser.open(Self.path + "?user_code=" + code)
            #expect(page.text.contains("value=\"\(code)\""))
            let signIn = try await browser.press("enter", on: page, at: Self.path, [("user_code", code)])
            let shown = try await browser.press("sign_in", on: signIn, at: "/sign-in", Self.login)
            #expect(shown.status == .ok, "\(shown.text)")
            #expect(shown.text.contains("<code>\(code)</code>"))
            #expect(shown.text.contains("maria"))
            #expect(!shown.text.contains("role=\"alert\""))
            let done = try await browser.press("connect", on: shown, at: Self.path)
            #expect(done.status == .ok)
            #expect(done.text.contains("Your device is signed in"))
            let tokens = try await poll(client, codes)
            #expect(tokens.status == .ok, "\(tokens.text)")
            #expect(try tokens.member("token_type") == "Bearer")
            #expect(try await poll(client, codes).member("error") == "invalid_grant")
        }
    }

    @Test("The metadata names the endpoint and the grant")
    func metadata() async throws {
        try await serve { _, client in
            let metadata = try await client.get("/.well-known/oauth-authorization-server").json
            #expect(
                try metadata.string("device_authorization_endpoint")
                    == TestServer.issuer + "/oauth2/device_authorization")
            #expect(try metadata.strings("grant_types_supported")?.contains(Self.grantType) == true)
        }
    }

    @Test(
        "Another company's app on the device goes on by itself once it is allowed, and refusing it leads to no app",
        arguments: [
            ("en", "On your device", "Television goes on by itself once you allow it", "Refuse"),
            ("de", "Auf Ihrem Gerät", "Television macht von selbst weiter, sobald Sie es erlauben", "Ablehnen"),
            ("fr", "Sur votre appareil", "Dès votre autorisation, Television y continue tout seul", "Refuser"),
            ("es", "En su dispositivo", "Television continúa por sí solo en cuanto lo permita", "Rechazar"),
            ("bg", "На вашето устройство", "Television продължава само, щом разрешите", "Отказ"),
        ])
    func access(tag: String, label: String, line: String, refusal: String) async throws {
        try await serve({ $0.firstParty = false }) { _, client in
            let codes = try await ask(client)
            var browser = BrowserOverHTTP(client: client)
            let code = try #require(try codes.string("user_code"))
            let entry = try await browser.open(Self.path + "?ui_locales=" + tag)
            let signIn = try await browser.press("enter", on: entry, at: Self.path, [("user_code", code)])
            let shown = try await browser.press("sign_in", on: signIn, at: "/sign-in", Self.login)
            let asked = try await browser.press("connect", on: shown, at: Self.path)
            #expect(asked.text.contains("<dt>\(label)</dt><dd>\(line)</dd>"), "\(asked.text)")
            #expect(asked.text.contains("value=\"cancel\">\(refusal)</button>"))
            #expect(!asked.text.contains("127.0.0.1"))
            _ = try await browser.press("cancel", on: asked, at: "/sign-in")
            #expect(try await poll(client, codes).member("error") == "access_denied")
        }
    }

    @Test("The page has no script and cannot be framed", .threat("framing, script"))
    func framing() async throws {
        try await serve { _, client in
            let codes = try await ask(client)
            var browser = BrowserOverHTTP(client: client)
            let code = try #require(try codes.string("user_code"))
            let entry = try await browser.open(Self.path)
            let signIn = try await browser.press("enter", on: entry, at: Self.path, [("user_code", code)])
            let shown = try await browser.press("sign_in", on: signIn, at: "/sign-in", Self.login)
            for page in [entry, shown] {
                let policy = try #require(page.headers[.contentSecurityPolicy])
                #expect(policy.contains("frame-ancestors 'none'"))
                #expect(policy.contains("form-action 'self'"))
                #expect(!policy.contains("script-src"))
                #expect(page.headers[.xFrameOptions] == "DENY")
                #expect(!page.text.contains("<script"))
            }
        }
    }

    @Test(
        "CSRF: without the page's token, or sent by another site, the form confirms nothing",
        .threat("CSRF, a stolen page"))
    func crossSite() async throws {
        try await serve { _, client in
            let codes = try await ask(client)
            var browser = BrowserOverHTTP(client: client)
            let code = try #require(try codes.string("user_code"))
            let entry = try await browser.open(Self.path)
            let signIn = try await browser.press("enter", on: entry, at: Self.path, [("user_code", code)])
            let shown = try await browser.press("sign_in", on: signIn, at: "/sign-in", Self.login)
            let (request, csrf) = (try shown.field("request"), try shown.field("csrf"))
            let cookie: HTTPFields = [.cookie: browser.cookieHeader]
            var crossSite = cookie
            crossSite[.secFetchSite] = "cross-site"
            let forms: [(String, HTTPFields)] = [("", cookie), ("forged", cookie), (csrf, crossSite), (csrf, [:])]
            for (csrf, headers) in forms {
                let answer = try await client.post(
                    Self.path, ["request": request, "csrf": csrf, "action": "connect"], headers)
                #expect(answer.status == .badRequest, "\(headers)")
            }
            #expect(try await poll(client, codes).member("error") == "authorization_pending")
        }
    }

    @Test("A wrong code is answered at the field, and the page has an address of its own")
    func wrongCode() async throws {
        try await serve { _, client in
            var browser = BrowserOverHTTP(client: client)
            let entry = try await browser.open(Self.path)
            let wrong = try await browser.press("enter", on: entry, at: Self.path, [("user_code", "BCDF-GHJK")])
            #expect(wrong.status == .badRequest)
            #expect(wrong.text.contains("aria-invalid=\"true\""))
            #expect(wrong.text.contains("value=\"BCDF-GHJK\""))
            let markup = try await browser.press("enter", on: wrong, at: Self.path, [("user_code", "<b>\"")])
            #expect(markup.text.contains("value=\"&lt;b&gt;&quot;\""))
        }
    }

    @Test("A device at another network is named loudly, in every language", arguments: Language.allCases)
    func elsewhere(language: Language) throws {
        let pages = Pages(issuer: try Issuer(TestServer.issuer), templates: try Features.templates())
        var device = DevicePage.Confirmation(
            client: "Television", code: "BCDF-GHJK", username: "maria", scopes: ["openid"],
            askedAt: Timestamp(seconds: 1_800_000_000), network: "198.51.100.0/24", ownNetwork: "192.0.2.0/24")
        func text() -> String {
            let page = DevicePage(step: .confirmation(device), locales: [])
            return String(decoding: pages.device(page, acceptLanguage: language.rawValue).body, as: UTF8.self)
        }
        let loud = text()
        #expect(loud.contains("role=\"alert\""))
        #expect(loud.ranges(of: "198.51.100.0/24").count == 2)
        // It comes before the code and the buttons.
        let alert = try #require(loud.firstRange(of: "role=\"alert\""))
        let code = try #require(loud.firstRange(of: "<code>BCDF-GHJK</code>"))
        #expect(alert.lowerBound < code.lowerBound)
        device.ownNetwork = device.network
        #expect(!text().contains("role=\"alert\""))
        device.ownNetwork = nil
        #expect(text().contains("role=\"alert\""), "a browser whose network is not known may be anywhere")
    }
}
