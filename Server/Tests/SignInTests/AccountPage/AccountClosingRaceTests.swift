import FlowSupport
import Testing
import WalletAuthWire

@testable import Operations
@testable import SignIn

@Suite("Two clicks that close an account at once", .threat("The account's own page"))
struct AccountClosingRaceTests {
    @Test("Of two forms that overlap, the slower one shows the code that takes the closing back, too")
    func overlapping() async throws {
        let server = try await TestServer.start()
        _ = try await server.reachableAccount()
        let browser = TestBrowser(server)
        let page = try await browser.signIn(on: browser.openAccount().page())
        let question = try await browser.press(.own(.askToClose), on: page).accountPage()
        let form = try #require(question.form)
        let (submission, cookies) = (
            PageSubmission(request: form.request, csrf: form.csrf, action: AccountPage.Action.own(.close)),
            browser.cookies
        )
        server.beforeNextWrite {
            _ = try await server.flows.signIn.accountPages.submit(
                submission, cookies: cookies, origin: TestServer.origin)
        }
        let slower = try await browser.press(.own(.close), on: question).accountPage()
        guard case .own(.closed(let closing, _)) = slower.step else {
            Issue.record("\(slower.step)")
            return
        }
        #expect(!closing.keepCode.reveal().isEmpty)
        #expect(try await server.told("account_closed") == 1)
    }
}
