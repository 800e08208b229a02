import Foundation
import Testing

@Suite("The operators' console at the running server", .covers("operators' console"))
struct ConsoleEndToEndTests {
    @Test("Support finds a person who is closed out, reads why, and lets them in again; the audit log names both")
    func unlocks() async throws {
        try await withServer(["--admin-console", "true"]) { server in
            let ada = try await server.makeReachableAccount("ada")
            let grace = try await server.makeAccount("grace")
            try await server.require(["operator", "grant", "ada", "--role", "support"])
            try await server.require(["account", "deactivate", "grace"])
            let browser = HeadlessBrowser(ledger: server.ledger)
            let asked = try await browser.open(await server.url("/admin?q=grace"), until: "none:").shown
            let second = try await browser.press(
                "sign_in", on: asked, typing: ["username": ada.username, "password": ada.password])
            let code = try await server.newestCode()
            server.ledger.enter(code)
            let page = try await browser.press("answer_factor", on: second, typing: ["answer": code])
            #expect(page.url.path() == "/admin/account", "\(page.url)")
            let sentence = "grace cannot sign in: an operator deactivated the account."
            #expect(page.answer.text.contains(sentence), "\(page.answer.text)")
            let mended = try await browser.press("account_reactivate_closed", on: page)
            #expect(mended.answer.status == 200)
            #expect(mended.answer.text.contains("Nothing keeps grace from signing in"), "\(mended.answer.text)")

            let own = HeadlessBrowser(ledger: server.ledger)
            let start = try await own.open(await server.url("/account"), until: "none:").shown
            let arrived = try await own.press(
                "sign_in", on: start, typing: ["username": grace.username, "password": grace.password])
            #expect(arrived.answer.text.contains("Where you’re signed in"), "\(arrived.answer.text)")

            let log = try await server.require(["audit", "tail", "--kind", "operator.called", "--json"])
            #expect(log.contains("account reactivate") && log.contains("operator-console"))
            let account = mended.url.absoluteString.prefix { $0 != "&" }
            let asking = try #require(URL(string: account + "&ask=account_deactivate"))
            let question = try await browser.open(asking, until: "none:").shown
            try await server.require(["operator", "revoke", "ada"])
            let refused = try await browser.press("account_deactivate", on: question)
            #expect(refused.answer.status == 403)
            let state = try await server.require(["account", "show", "grace", "--json"])
            #expect(state.contains(#""state":"active""#), "\(state)")
        }
    }
}
