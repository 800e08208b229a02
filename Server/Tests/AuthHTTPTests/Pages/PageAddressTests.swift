import Core
import HTTPTypes
import HummingbirdTesting
import Operations
import Testing
import WalletAuthWire

@testable import Consent
@testable import HTTP
@testable import Kernel
@testable import SignIn
@testable import Web

/// A form leads to a page at an address of its own, which a browser loads again without sending the form.
@Suite("The address of a page after a form", .covers("a form in a second tab, a double click or a reload fails"))
struct PageAddressTests {
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
}
