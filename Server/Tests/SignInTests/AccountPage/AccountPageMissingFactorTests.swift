import Core
import FlowSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite("A change on the account's page after a sign-in by the password alone", .threat("The account's own page"))
struct AccountPageMissingFactorTests {
    /// A person with an address for codes, at a brand that lets new browsers in by the password alone.
    private func setUp() async throws -> (server: TestServer, browser: TestBrowser) {
        let server = try await TestServer.start()
        _ = try await server.reachableAccount(phone: nil)
        try await server.administer(["brand", "update", "default", "--new-device", "allow"])
        return (server, TestBrowser(server))
    }

    @Test("A password typed on the page a moment ago counts for a change, and only the second factor is asked for")
    func onlyWhatIsMissing() async throws {
        let (server, browser) = try await setUp()
        let page = try await browser.typePassword(on: browser.openAccount().page()).accountPage()
        // Cookies alone have no form that proves it.
        let thief = TestBrowser(server)
        thief.cookies = browser.cookies
        let seen = try await thief.openAccount().accountPage()
        #expect(try await thief.press(.makeRecoveryCodes, on: seen).page().step == .credentials(username: "ada"))
        server.clock.advance(by: .minutes(4))
        let asked = try await browser.press(.makeRecoveryCodes, on: page).page()
        #expect(asked.purpose == .accountChange)
        let made = try await browser.press(.answerFactor(Password(server.sentCode())), on: asked).accountPage()
        #expect(try made.codes().count == RecoveryCodeFormat.count)
        // Both count for as long as the older of them does.
        server.clock.advance(by: .minutes(1))
        let late = try await browser.press(.makeRecoveryCodes, on: made).page()
        #expect(late.step == .credentials(username: "ada"))
    }

    @Test("attack: a code that comes after the password's five minutes changes nothing")
    func codeTooLate() async throws {
        let (server, browser) = try await setUp()
        let page = try await browser.typePassword(on: browser.openAccount().page()).accountPage()
        server.clock.advance(by: .minutes(4))
        let asked = try await browser.press(.makeRecoveryCodes, on: page).page()
        let code = try await server.sentCode()
        server.clock.advance(by: .minutes(1))
        let late = try await browser.press(.answerFactor(Password(code)), on: asked).page()
        #expect(late.step == .credentials(username: "ada"))
        #expect(try await server.rows(of: "recovery_codes") == 0)
    }
}
