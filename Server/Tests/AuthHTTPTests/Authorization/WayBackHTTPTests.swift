import HTTPTypes
import HummingbirdTesting
import Operations
import Testing
import WalletAuthWire

@testable import AppleStandIn
@testable import Consent
@testable import HTTP
@testable import SignIn
@testable import Transactions
@testable import Web

/// Chromium applies a page's `form-action` to every redirect after its form, also to those of the app.
@Suite("The way back to the app after a form")
struct WayBackHTTPTests {
    /// What a browser reports with a form of a page of this server.
    private static let ownForm: HTTPFields = [.secFetchDest: "document", .secFetchSite: "same-origin"]

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

    @Test("An app's own scheme ends every chain: it follows the form directly, with the gesture of the button")
    func ownScheme() async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient { $0.redirectURIs = ["com.example.wallet:/callback"] }
            try await server.makeAccount()
            var browser = browser(client)
            let answer = try await press("sign_in", ["redirect_uri": "com.example.wallet:/callback"], in: &browser)
            #expect(answer.status == .seeOther)
            #expect(answer.headers[.location]?.hasPrefix("com.example.wallet:/callback?code=") == true)
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
