import Core
import Testing
import WalletAuthWire

@testable import Kernel
@testable import SignIn

/// A browser that reloads the page after a sign-in posts the last form of the sign-in again.
@Suite(
    "Reloading the account's page", .threat("The account's own page"),
    .covers("a form in a second tab, a double click or a reload fails"))
struct AccountPageReloadTests {
    private func setUp() async throws -> (server: TestServer, browser: TestBrowser) {
        let server = try await TestServer.start()
        _ = try await server.reachableAccount(phone: nil)
        return (server, TestBrowser(server))
    }

    /// The form of the last step of a sign-in, and how it is sent.
    private struct LastStep {
        let form: SignInPage
        let action: SignInPage.Action
    }

    private func signIn(
        _ browser: TestBrowser, on page: SignInPage
    ) async throws -> (page: AccountPage, step: LastStep) {
        // The newest code is the one of the latest second.
        browser.server.clock.advance(by: .seconds(1))
        let form = try await browser.typePassword(on: page).page()
        let action = SignInPage.Action.answerFactor(try Password(await browser.server.sentCode()))
        return (try await browser.press(action, on: form).accountPage(), LastStep(form: form, action: action))
    }

    @Test("The page is shown again and its buttons work, for as long as the sign-in allows changes")
    func reloaded() async throws {
        let (server, browser) = try await setUp()
        let (_, step) = try await signIn(browser, on: browser.openAccount().page())
        server.clock.advance(by: .minutes(4))
        for _ in 0..<2 {
            let again = try await browser.press(step.action, on: step.form).accountPage()
            #expect(again.overview?.username == "ada")
            guard case .password = try await browser.press(.managePassword, on: again).accountPage().step else {
                Issue.record("a button of the reloaded page asks for another sign-in")
                return
            }
        }
        server.clock.advance(by: .minutes(1) + .seconds(1))
        let late = try await browser.press(step.action, on: step.form)
        #expect(late.restart == "https://auth.example.com/account/security")
    }

    @Test("The page that a sign-in was for is shown again, with the same secret of an authenticator app")
    func purposes() async throws {
        let (_, browser) = try await setUp()
        var (page, step) = try await signIn(browser, on: browser.openAccount().page())
        page = try await browser.openAccount().accountPage()
        (page, step) = try await signIn(browser, on: browser.press(.managePassword, on: page).page())
        guard case .password = try await browser.press(step.action, on: step.form).accountPage().step else {
            Issue.record("no form for a password")
            return
        }
        page = try await browser.openAccount().accountPage()
        (page, step) = try await signIn(browser, on: browser.press(.setUpAuthenticator, on: page).page())
        let again = try await browser.press(step.action, on: step.form).accountPage()
        #expect(try again.setup().secret == page.setup().secret)
    }

    /// Has one of the next writes fail.
    /// - Parameter number: 1 for the next one.
    private static func fail(write number: Int, of server: TestServer) {
        struct Lost: Error {}
        server.beforeNextWrite {
            guard number > 1 else { throw Lost() }
            fail(write: number - 1, of: server)
        }
    }

    @Test("If the last form of a sign-in cannot be remembered, the person is signed in, and only a reload begins again")
    func notRemembered() async throws {
        var writes = 0
        for isFailing in [false, true] {
            let (server, browser) = try await setUp()
            let form = try await browser.typePassword(on: browser.openAccount().page()).page()
            let action = SignInPage.Action.answerFactor(try Password(await server.sentCode()))
            // Remembering the form is the last write of this step.
            let before = server.writes
            if isFailing { Self.fail(write: writes, of: server) }
            #expect(try await browser.press(action, on: form).accountPage().overview?.username == "ada")
            writes = server.writes - before
            let again = try await browser.press(action, on: form)
            #expect((again.restart != nil) == isFailing)
        }
    }

    @Test("Nothing is done twice: new recovery codes are neither shown again nor replaced")
    func doneOnce() async throws {
        let (server, browser) = try await setUp()
        _ = try await signIn(browser, on: browser.openAccount().page())
        let opened = try await browser.openAccount().accountPage()
        let (made, step) = try await signIn(browser, on: browser.press(.makeRecoveryCodes, on: opened).page())
        let again = try await browser.press(step.action, on: step.form).accountPage()
        #expect(again.overview?.recoveryCodes == Int64(try made.codes().count))
        #expect(try await server.told("recovery_codes_made") == 1)
    }

    @Test("attack: a form that began another session opens nothing, nor do all the cookies without their form")
    func otherForms() async throws {
        let (server, browser) = try await setUp()
        let (page, step) = try await signIn(browser, on: browser.openAccount().page())
        _ = try await browser.press(.signOut, on: page)
        #expect(try await browser.press(step.action, on: step.form).fault == .stalePage)
        // The browser has signed in before: the password is enough.
        _ = try await browser.typePassword(on: browser.openAccount().page()).accountPage()
        #expect(try await browser.press(step.action, on: step.form).restart != nil)
        let thief = TestBrowser(server)
        thief.cookies = browser.cookies
        let copied = try await thief.openAccount().accountPage()
        #expect(try await thief.press(.managePassword, on: copied).page().purpose == .accountChange)
    }
}
