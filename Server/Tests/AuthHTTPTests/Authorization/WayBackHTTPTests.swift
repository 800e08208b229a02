import Core
import HTTPTypes
import HummingbirdTesting
import Operations
import Testing
import WalletAuthWire

@testable import HTTP
@testable import Kernel
@testable import Web

/// Chromium applies a page's `form-action` to every redirect after its form, also to those of the app.
@Suite("The way back to the app after a form")
struct WayBackHTTPTests {
    /// What a browser reports with a form of a page of this server.
    private static let ownForm: HTTPFields = [.secFetchDest: "document", .secFetchSite: "same-origin"]
    private static let ownURI = "com.example.wallet:/callback"

    private func browser(_ client: any TestClientProtocol) -> BrowserOverHTTP {
        BrowserOverHTTP(client: client, headers: Self.ownForm)
    }

    private func press(
        _ action: String, _ changes: [String: String?] = [:], in browser: inout BrowserOverHTTP
    ) async throws -> TestResponse {
        let page = try await browser.open("/oauth2/authorize?" + Journey.query(changes))
        let login = [("username", "maria"), ("password", "correct horse battery")]
        return try await browser.press(action, on: page, at: "/sign-in", login)
    }

    @Test(
        "The form ends at a page that continues by itself, with a link, no referrer and nothing stored",
        arguments: [("sign_in", "code"), ("cancel", "error")])
    func page(action: String, parameter: String) async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient()
            try await server.makeAccount()
            var browser = browser(client)
            let answer = try await press(action, ["ui_locales": "de"], in: &browser)
            #expect(answer.status == .ok)
            #expect(answer.headers[.location] == nil)
            let target = Journey.redirectURI + "?\(parameter)="
            #expect(answer.headers[.refresh]?.hasPrefix("0;url=" + target) == true)
            #expect(answer.headers[.refresh]?.contains("state=state-1") == true)
            #expect(answer.text.contains("<a class=\"button\" href=\"\(target)"))
            #expect(answer.text.contains("Sie werden zu https://app<wbr>.example<wbr>.com zurückgeleitet."))
            #expect(answer.headers[.referrerPolicy] == "no-referrer")
            #expect(answer.headers[.cacheControl] == "no-store")
            #expect(answer.headers[.xFrameOptions] == "DENY")
            #expect(answer.headers[.contentSecurityPolicy]?.hasPrefix("default-src 'none';") == true)
            #expect(!answer.text.contains("<script"))
            // The cookies of a sign-in come with the page.
            let isSignedIn = answer.headers[values: .setCookie].contains { $0.contains("wa_session=") }
            #expect(isSignedIn == (action == "sign_in"))
        }
    }

    @Test(
        "A form that leads to an app's own scheme ends at a page that says how it ended and has a button to the app",
        arguments: [
            ("sign_in", "code", PageText.appSignedInHeading), ("cancel", "error", PageText.appNotCompletedHeading),
        ], Language.allCases)
    func ownScheme(button: (action: String, parameter: String, heading: PageText), language: Language) async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient { $0.redirectURIs = [Self.ownURI] }
            try await server.makeAccount()
            var browser = browser(client)
            let changes = ["redirect_uri": Self.ownURI, "ui_locales": language.rawValue]
            // The page before has an error and an active button, which must not remain behind the app.
            let page = try await browser.open("/oauth2/authorize?" + Journey.query(changes))
            let wrong = try await browser.press(
                "sign_in", on: page, at: "/sign-in", [("username", "maria"), ("password", "Wrong password 1")])
            #expect(wrong.status == .badRequest)
            let answer = try await browser.press(
                button.action, on: wrong, at: "/sign-in",
                [("username", "maria"), ("password", "correct horse battery")])
            #expect(answer.status == .ok)
            #expect(answer.headers[.location] == nil)
            let target = "\(Self.ownURI)?\(button.parameter)="
            #expect(answer.headers[.refresh]?.hasPrefix("0;url=" + target) == true)
            let escaping = HTMLEscaping()
            #expect(answer.text.contains("<h1>\(escaping.escapeText(language.text[button.heading]))</h1>"))
            #expect(answer.text.contains("<a class=\"button\" href=\"\(target)"))
            let label = language.text[.appReturnLabel, ["client": "Aurora Wallet"]]
            #expect(answer.text.contains(">\(escaping.escapeText(label))</a>"))
            #expect(!answer.text.contains("<form"))
            #expect(!answer.text.contains("<script"))
            #expect(answer.headers[.cacheControl] == "no-store")
            #expect(answer.headers[.contentSecurityPolicy]?.hasPrefix("default-src 'none';") == true)
        }
    }

    @Test("The page that leads to an app's own scheme has an address, so Back and Reload send no form")
    func ownAddress() async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient {
                $0.redirectURIs = [Self.ownURI]
                $0.requiresDPoP = false
            }
            try await server.makeAccount()
            var browser = browser(client)
            let page = try await browser.open(
                "/oauth2/authorize?" + Journey.query(["redirect_uri": Self.ownURI, "ui_locales": "de"]))
            let login = [("username", "maria"), ("password", "correct horse battery")]
            let answer = try await browser.submit("sign_in", on: page, at: "/sign-in", login)
            #expect(answer.status == .seeOther)
            let next = try #require(answer.nextPage)
            #expect(next.contains("ui_locales=de"))
            #expect(next.utf8.count < 2_500)
            let first = try await browser.open(next)
            let code = try #require(first.headers[.refresh]?.firstMatch(of: /code=([^&]+)/)).1
            #expect(try await browser.open(next).headers[.refresh] == first.headers[.refresh])
            // The app redeems it.
            let redeemed = try await client.post(
                "/oauth2/token",
                [
                    "grant_type": "authorization_code", "client_id": "wallet", "code": String(code),
                    "code_verifier": Journey.verifier, "redirect_uri": Self.ownURI,
                ])
            #expect(redeemed.status == .ok, "\(redeemed.text)")
            let again = try await browser.open(next)
            #expect(again.status == .ok)
            #expect(again.headers[.refresh] == nil)
            #expect(!again.text.contains(code))
            #expect(again.text.contains("<a class=\"button\" href=\"\(TestServer.issuer)/oauth2/authorize?"))
        }
    }

    @Test("A client that is no browser is redirected to an app's own scheme")
    func ownSchemeWithoutPage() async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient { $0.redirectURIs = [Self.ownURI] }
            try await server.makeAccount()
            var browser = browser(client)
            for headers: HTTPFields in [[:], [.secFetchDest: "iframe", .secFetchSite: "same-origin"]] {
                browser.headers = headers
                let answer = try await press("cancel", ["redirect_uri": Self.ownURI], in: &browser)
                #expect(answer.status == .seeOther)
                #expect(answer.headers[.location]?.hasPrefix(Self.ownURI + "?error=") == true)
            }
        }
    }

    @Test("The same form again begins the request again: it neither fails nor gives a second code")
    func reload() async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient { $0.redirectURIs = [Self.ownURI] }
            try await server.makeAccount()
            var browser = browser(client)
            let page = try await browser.open("/oauth2/authorize?" + Journey.query(["redirect_uri": Self.ownURI]))
            let login = [("username", "maria"), ("password", "correct horse battery")]
            let answer = try await browser.press("sign_in", on: page, at: "/sign-in", login)
            #expect(answer.headers[.refresh]?.hasPrefix("0;url=\(Self.ownURI)?code=") == true)
            let again = try await browser.press("sign_in", on: page, at: "/sign-in", login)
            #expect(again.status == .seeOther)
            let location = try #require(again.headers[.location])
            try #require(location.hasPrefix(TestServer.issuer + "/oauth2/authorize?"))
            let shown = try await browser.open(String(location.dropFirst(TestServer.issuer.count)))
            #expect(shown.status == .ok)
            #expect(shown.text.contains("value=\"confirm\""))
        }
    }

    @Test("A signed-in browser that comes from the app, or in a frame of it, is redirected without a page")
    func silent() async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient()
            try await server.makeAccount()
            var browser = browser(client)
            _ = try await press("sign_in", in: &browser)
            for headers: HTTPFields in [
                [.secFetchDest: "document", .secFetchSite: "cross-site"],
                [.secFetchDest: "iframe", .secFetchSite: "same-origin"], [:],
            ] {
                browser.headers = headers
                let answer = try await browser.open("/oauth2/authorize?" + Journey.query(["prompt": "none"]))
                #expect(answer.status == .seeOther)
                #expect(try answer.redirectParameters["code"]?.isEmpty == false)
            }
        }
    }
}
