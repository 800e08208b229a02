import Core
import HTTPTypes
import HummingbirdTesting
import QRCodes
import Store
import Testing
import WalletAuthWire

@testable import HTTP
@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import Web

@Suite("The sign-in page that a phone scans, over HTTP", .threat("A relayed sign-in code"))
struct ScanPageHTTPTests {
    /// A browser at the page that shows a code, and the address of that page.
    private func show(
        _ client: any TestClientProtocol, _ language: String = "en"
    ) async throws -> (browser: BrowserOverHTTP, address: String) {
        var browser = BrowserOverHTTP(client: client)
        let page = try await browser.open("/oauth2/authorize?" + Journey.query(["ui_locales": language]))
        try #require(page.text.contains("value=\"use_phone\""), "\(page.text)")
        let begun = try await browser.press("use_phone", on: page, at: BrowserOverHTTP.signInPage)
        try #require(begun.status == .seeOther, "\(begun.text)")
        let location = try #require(begun.headers[.location])
        let address = try #require(location.firstRange(of: "/sign-in/scan/").map { String(location[$0.lowerBound...]) })
        return (browser, address)
    }

    private func withScans(
        _ body: @escaping @Sendable (TestServer, any TestClientProtocol) async throws -> Void
    ) async throws {
        try await TestServer.serve { server, client in
            try await server.makeBearerClient()
            try await server.execute(["brand", "update", "default", "--scan-sign-in", "on"])
            try await body(server, client)
        }
    }

    /// The code that a page shows now, as the server knows it.
    private func code(_ address: String, _ server: TestServer) async throws -> SignInCode {
        let context = server.server.context
        let id = try #require(address.split(separator: "/").last.flatMap { UniqueID(uuid: String($0)) })
        let record = try #require(try await context.database.read { try ScanSignIns.find(id, on: $0) })
        let content = try ScanSignInVault(context.sealing).content(of: record)
        return SignInCode(
            issuer: context.settings.issuer, transactionID: try TransactionID(id.uuid),
            secret: try content.secret(of: record.step(at: context.clock.now())))
    }

    @Test(
        "A phone is not offered a code that it would have to scan from its own screen; a tablet and a desktop are",
        arguments: [
            ("iPhone; CPU iPhone OS 18_5 like Mac OS X", "Mobile/15E148", false),
            ("Linux; Android 15; Pixel 9", "Mobile Safari/537.36", false),
            ("Linux; Android 15; Pixel Tablet", "Safari/537.36", true),
            ("iPad; CPU OS 18_5 like Mac OS X", "Mobile/15E148", true),
            ("X11; Linux x86_64", "Safari/537.36", true),
        ])
    func onPhone(system: String, products: String, isOffered: Bool) async throws {
        try await withScans { _, client in
            let agent = "Mozilla/5.0 (\(system)) AppleWebKit/537.36 (KHTML, like Gecko) \(products)"
            var browser = BrowserOverHTTP(client: client, headers: [.userAgent: agent])
            let page = try await browser.open("/oauth2/authorize?" + Journey.query([:]))
            #expect(page.status == .ok)
            #expect(page.text.contains("value=\"use_phone\"") == isOffered, "\(page.text)")
            // A button that the page does not have begins nothing.
            let pressed = try await browser.press("use_phone", on: page, at: BrowserOverHTTP.signInPage)
            #expect(pressed.status == (isOffered ? .seeOther : .ok), "\(pressed.text)")
        }
    }

    @Test(
        "Without scripts the page draws the code and loads itself again, in each language", arguments: Language.allCases
    )
    func withoutScripts(language: Language) async throws {
        try await withScans { server, client in
            var (browser, address) = try await show(client, language.rawValue)
            let page = try await browser.open(address)
            #expect(page.status == .ok)
            let drawn = try #require(QRCode(try await code(address, server).reveal()))
            #expect(page.text.contains("<path d=\"\(drawn.svgPath)\"/>"))
            #expect(
                page.text.firstMatch(of: /<noscript><meta http-equiv="refresh" content="[0-9]+"><\/noscript>/) != nil)
            let heading = BrandLanguage(language, nil).scanText[.heading]
            #expect(page.text.contains("<h1>\(HTMLEscaping().escapeText(heading))</h1>"))
            #expect(!page.text.contains("WALLET-LOGIN"))
            let policy = try #require(page.headers[.contentSecurityPolicy])
            #expect(policy.contains("script-src 'self'; connect-src 'self'; "))
            #expect(!policy.contains("unsafe"))
        }
    }

    @Test("The page's script gets the code's picture, and nothing without the browser's cookie")
    func state() async throws {
        try await withScans { server, client in
            var (browser, address) = try await show(client)
            let state = try await browser.open(address + "/state")
            #expect(state.headers[.contentType] == "application/json")
            #expect(state.headers[.cacheControl] == "no-store")
            let drawn = try #require(QRCode(try await code(address, server).reveal()))
            #expect(try state.member("step") == "code")
            #expect(try state.member("path") == drawn.svgPath)
            let stranger = try await client.get(address + "/state")
            #expect(try stranger.member("step") == "over")
            #expect(!stranger.text.contains("path"))
            #expect(try await client.get(address).status == .badRequest)
        }
    }

    @Test("From the page a person goes on by password, or back to the app")
    func otherWays() async throws {
        try await withScans { _, client in
            var (browser, address) = try await show(client)
            let page = try await browser.open(address)
            let form = try await browser.press("use_password", on: page, at: BrowserOverHTTP.signInPage)
            #expect(form.text.contains("name=\"password\""))
            let again = try await browser.press("use_phone", on: page, at: BrowserOverHTTP.signInPage)
            #expect(again.status == .seeOther)
            let back = try await browser.press("cancel", on: page, at: BrowserOverHTTP.signInPage)
            #expect(back.text.contains("access_denied") || back.headers[.location]?.contains("access_denied") == true)
        }
    }
}
