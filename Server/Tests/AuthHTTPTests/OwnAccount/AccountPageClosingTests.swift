import Core
import HTTPTypes
import HummingbirdTesting
import Kernel
import Operations
import Store
import Testing

@testable import HTTP
@testable import SignIn
@testable import Web

@Suite(
    "Closing an account on its page, and taking that back", .threat("The account's own page"),
    .covers("an account that its holder closes"))
struct AccountPageClosingTests {
    private static let keepingPage = "/account/keep"

    private func text(_ key: OwnAccountPageText) -> String {
        HTMLEscaping().escapeText(Language.english.ownAccountPageText[key])
    }

    private func state(_ server: TestServer) async throws -> String? {
        try await server.server.context.database.read { try $0.row("SELECT state FROM accounts", [])?.text("state") }
    }

    /// Closes the account.
    /// - Returns: the code on the page after it.
    private func close(_ visit: inout AccountPageVisit) async throws -> (TestResponse, code: String) {
        let question = try await visit.press("ask_to_close", on: visit.overview)
        let closed = try await visit.press("close_account", on: question)
        let match = try #require(closed.text.firstMatch(of: /<code>([A-Z2-7-]{19})<\/code>/), "\(closed.text)")
        return (closed, String(match.output.1))
    }

    @Test("The page asks first and names the day; the page after it has the code and the way back")
    func closes() async throws {
        try await AccountPageVisit.make { visit in
            let question = try await visit.press("ask_to_close", on: visit.overview)
            #expect(question.text.contains("<h1>\(text(.closingHeading))</h1>"))
            let end = SystemClock().now() + .days(7)
            #expect(question.text.contains(Language.english.day(of: end)), "\(question.text)")
            #expect(try await state(visit.server) == "active")
            let (closed, code) = try await close(&visit)
            #expect(try await state(visit.server) == "deactivated")
            #expect(closed.text.contains("href=\"\(TestServer.issuer)\(Self.keepingPage)\""))
            #expect(closed.text.contains("data-copied=\"\(text(.copied))\" hidden>\(text(.copyLabel))</button>"))
            #expect(closed.text.contains(/<script src="[^"]*copy[^"]*\.js">/), "\(closed.text)")
            let messages = try await visit.server.server.messages?.recent(limit: 5) ?? []
            let word = try #require(messages.first { $0.kind == "account_closed" })
            #expect(word.text.contains(code))
            #expect(word.text.contains("\(TestServer.issuer)\(Self.keepingPage)"))
            #expect(try await visit.browser.open(BrowserOverHTTP.accountPage).text.contains("name=\"password\""))
        }
    }

    @Test("The code takes the closing back without a session; a wrong one is named at its field")
    func keeps() async throws {
        try await AccountPageVisit.make { visit in
            let (_, code) = try await close(&visit)
            var elsewhere = BrowserOverHTTP(client: visit.browser.client)
            let form = try await elsewhere.open(Self.keepingPage)
            #expect(form.status == .ok)
            var page = form
            for wrong in ["AAAA-AAAA-AAAA-AAAA", "no code", ""] {
                page = try await elsewhere.press("keep_account", on: page, [("keep_code", wrong)])
                #expect(page.status == .badRequest)
                #expect(page.hasAtField(Language.english.ownAccountPageText[.closingNotFound]), "\(page.text)")
            }
            #expect(try await state(visit.server) == "deactivated")
            let typed = code.lowercased().replacing("-", with: " ")
            for _ in 0..<2 {
                let kept = try await elsewhere.press("keep_account", on: page, [("keep_code", typed)])
                #expect(kept.text.contains("<h1>\(text(.keptHeading))</h1>"), "\(kept.text)")
            }
            #expect(try await state(visit.server) == "active")
            #expect(try await visit.server.sentKinds(to: AccountPageVisit.email).contains("account_kept"))
            _ = try await AccountPageVisit.again(visit.server, visit.browser.client)
        }
    }

    @Test(
        "The page after the closing shows the code again, until the closing is taken back; a double click shows it too")
    func reload() async throws {
        try await AccountPageVisit.make { visit in
            let question = try await visit.press("ask_to_close", on: visit.overview)
            let second = visit.browser
            let answer = try await visit.browser.submit("close_account", on: question)
            let address = try #require(answer.nextPage)
            let shown = try await visit.browser.open(address)
            let code = try #require(shown.text.firstMatch(of: /<code>([A-Z2-7-]{19})<\/code>/)).output.1
            #expect(try await visit.browser.open(address).text.contains(code))
            #expect(!address.contains(code))
            var clicked = second
            #expect(try await clicked.press("close_account", on: question).text.contains(code))
            var elsewhere = BrowserOverHTTP(client: visit.browser.client)
            #expect(try await !elsewhere.open(address).text.contains(code))
            let form = try await elsewhere.open(Self.keepingPage)
            _ = try await elsewhere.press("keep_account", on: form, [("keep_code", String(code))])
            #expect(try await !visit.browser.open(address).text.contains(code))
        }
    }

    @Test("An account with an open transaction is not closed, and the page says what to do")
    func openTransaction() async throws {
        try await TestServer.serve { server, client in
            let till = try await TransactionHTTPTests.Till.open(server, client)
            let created = try await till.create()
            try #require(created.status == .created, "\(created.text)")
            var visit = try await AccountPageVisit.again(server, client)
            let question = try await visit.press("ask_to_close", on: visit.overview)
            let refused = try await visit.press("close_account", on: question)
            #expect(refused.status == .conflict, "\(refused.text)")
            #expect(refused.text.contains(text(.paymentsOpen)))
            #expect(try await state(server) == "active")
        }
    }

    @Test("The last owner of all brands does not close the account, and the page says what to do")
    func lastOwner() async throws {
        try await AccountPageVisit.make { visit in
            try await visit.server.execute(["operator", "grant", "maria", "--role", "owner", "--all-brands"])
            let question = try await visit.press("ask_to_close", on: visit.overview)
            let refused = try await visit.press("close_account", on: question)
            #expect(refused.status == .conflict, "\(refused.text)")
            #expect(refused.text.contains(text(.lastOwner)), "\(refused.text)")
            #expect(try await state(visit.server) == "active")
        }
    }

    @Test("attack: within a day of a new address the account is not closed, and the page says from when it can be")
    func afterContactChange() async throws {
        try await AccountPageVisit.make { visit in
            let form = try await visit.press("change_email", on: visit.overview)
            let sent = try await visit.press("send_email_code", on: form, [("email", "eve@example.com")])
            let code = try await visit.server.sentCode(to: "eve@example.com")
            let changed = try await visit.press("confirm_email", on: sent, [("contact_code", code)])
            // The page does not offer what it refuses.
            #expect(changed.text.contains("For your security, you can close the account from"), "\(changed.text)")
            #expect(!changed.text.contains("value=\"ask_to_close\""))
            for action in ["ask_to_close", "close_account"] {
                let refused = try await visit.press(action, on: changed)
                #expect(refused.status == .forbidden, "\(refused.text)")
                #expect(refused.text.contains("For your security, you can close the account from"))
            }
            #expect(try await state(visit.server) == "active")
        }
    }

    @Test("attack: a stolen cookie does not close the account, and a page from before a day's sign-in does not either")
    func stolenCookie() async throws {
        try await AccountPageVisit.make { visit in
            var (thief, seen) = try await visit.stolen()
            for action in ["ask_to_close", "close_account"] {
                seen = try await thief.press(action, on: seen)
                #expect(seen.text.contains("name=\"password\""))
                seen = try await thief.open(BrowserOverHTTP.accountPage)
            }
            let question = try await visit.press("ask_to_close", on: visit.overview)
            try await visit.server.server.context.database.write {
                _ = try $0.execute("UPDATE browser_sessions SET auth_time = auth_time - 3600000", [])
            }
            #expect(try await visit.press("close_account", on: question).text.contains("name=\"password\""))
            #expect(try await state(visit.server) == "active")
        }
    }

    @Test("CSRF: the form that takes a closing back needs its cookie and token, and comes from this site")
    func crossSiteForm() async throws {
        try await AccountPageVisit.make { visit in
            let (_, code) = try await close(&visit)
            var browser = BrowserOverHTTP(client: visit.browser.client)
            let form = try await browser.open(Self.keepingPage)
            var without = browser
            without.cookies = [:]
            let typed = [("keep_code", code)]
            #expect(try await without.press("keep_account", on: form, typed).status == .badRequest)
            var foreign = browser
            foreign.headers = [.secFetchSite: "cross-site"]
            #expect(try await foreign.press("keep_account", on: form, typed).status == .badRequest)
            #expect(try await state(visit.server) == "deactivated")
            #expect(try await browser.press("keep_account", on: form, typed).status == .ok)
        }
    }
}
