import Core
import FlowSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import SignIn

/// A browser loads the page after a form again from its own address, and comes back to it from the history.
@Suite(
    "Reloading the account's page", .threat("The account's own page"),
    .covers("a form in a second tab, a double click or a reload fails"))
struct AccountPageReloadTests {
    private func setUp() async throws -> (server: TestServer, browser: TestBrowser) {
        let server = try await TestServer.start()
        _ = try await server.reachableAccount(phone: nil)
        return (server, TestBrowser(server))
    }

    private func signIn(_ browser: TestBrowser, on page: SignInPage) async throws -> AccountPage {
        // The newest code is the one of the latest second.
        browser.server.clock.advance(by: .seconds(1))
        return try await browser.signIn(on: page)
    }

    @Test("The page is shown again and its buttons work, for as long as the sign-in allows changes")
    func reloaded() async throws {
        let (server, browser) = try await setUp()
        let page = try await signIn(browser, on: browser.openAccount().page())
        server.clock.advance(by: .minutes(4))
        for _ in 0..<2 {
            let again = try await browser.load(page).accountPage()
            #expect(again.overview?.username == "ada")
            guard case .password = try await browser.press(.managePassword, on: again).accountPage().step else {
                Issue.record("a button of the reloaded page asks for another sign-in")
                return
            }
        }
        server.clock.advance(by: .minutes(1) + .seconds(1))
        let late = try await browser.load(page).accountPage()
        #expect(try await browser.press(.managePassword, on: late).page().purpose == .accountChange)
        server.clock.advance(by: PageState.lifetime)
        #expect(try await browser.load(page).fault == .stalePage)
    }

    @Test("The page that a sign-in was for is shown again, with the same secret of an authenticator app")
    func purposes() async throws {
        let (_, browser) = try await setUp()
        var page = try await signIn(browser, on: browser.openAccount().page())
        page = try await browser.openAccount().accountPage()
        page = try await signIn(browser, on: browser.press(.managePassword, on: page).page())
        guard case .password = try await browser.load(page).accountPage().step else {
            Issue.record("no form for a password")
            return
        }
        page = try await browser.openAccount().accountPage()
        page = try await signIn(browser, on: browser.press(.setUpAuthenticator, on: page).page())
        let again = try await browser.load(page).accountPage()
        #expect(try again.setup().secret == page.setup().secret)
    }

    @Test("attack: an address shows an authenticator app's secret while the sign-in allows changes, and no longer")
    func lateSecret() async throws {
        let (server, browser) = try await setUp()
        let page = try await signIn(browser, on: browser.openAccount().page())
        let waiting = try await browser.press(.setUpAuthenticator, on: page).accountPage()
        let setup = try waiting.setup()
        server.clock.advance(by: .minutes(4))
        #expect(try await browser.load(waiting).accountPage().setup().secret == setup.secret)
        server.clock.advance(by: .minutes(1) + .seconds(1))
        let late = try await browser.load(waiting).accountPage()
        #expect(late.overview?.hasAuthenticator == false)
        // Nor does a wrong code lead to it. On the page that is still open, slow typing does no harm.
        let wrong = try await browser.press(.confirmAuthenticator(nil), on: waiting).accountPage()
        #expect(wrong.overview?.hasAuthenticator == false)
        #expect(wrong.notice == .nothingPending)
        let code = try server.code(of: setup)
        let done = try await browser.press(.confirmAuthenticator(code), on: waiting).accountPage()
        #expect(done.notice == .authenticatorOn)
    }

    @Test("After Back, a form for a password that was changed works again; its notice comes back with its page")
    func changed() async throws {
        let (_, browser) = try await setUp()
        let page = try await signIn(browser, on: browser.openAccount().page())
        let form = try await browser.press(.managePassword, on: page).accountPage()
        let mistyped = try await browser.press(.changePassword(.failure(.mistyped)), on: form).accountPage()
        #expect(try await browser.load(mistyped).accountPage().notice == .newPassword(.mistyped))
        let password = try Password("another horse battery")
        let changed = try await browser.press(.changePassword(.success(password)), on: mistyped).accountPage()
        for _ in 0..<2 { #expect(try await browser.load(changed).accountPage().notice == .passwordChanged) }
        let back = try await browser.load(form).accountPage()
        let next = try Password("a third horse battery")
        let again = try await browser.press(.changePassword(.success(next)), on: back).accountPage()
        #expect(again.notice == .passwordChanged)
    }

    @Test("Loading a page again writes nothing")
    func nothingDone() async throws {
        let (server, browser) = try await setUp()
        var page = try await signIn(browser, on: browser.openAccount().page())
        page = try await browser.press(.setUpAuthenticator, on: page).accountPage()
        let wrong = try await browser.press(.confirmAuthenticator(nil), on: page).accountPage()
        let before = server.writes
        for shown in [page, wrong, page] { _ = try await browser.load(shown).accountPage() }
        #expect(server.writes == before)
        #expect(try await browser.load(wrong).accountPage().notice == .invalidCode)
    }

    @Test("New recovery codes are shown again, but not replaced, while the sign-in is fresh and none is spent")
    func recoveryCodes() async throws {
        let (server, browser) = try await setUp()
        _ = try await signIn(browser, on: browser.openAccount().page())
        let opened = try await browser.openAccount().accountPage()
        let made = try await signIn(browser, on: browser.press(.makeRecoveryCodes, on: opened).page())
        let codes = try made.codes().map { $0.reveal() }
        server.clock.advance(by: .minutes(4))
        #expect(try await browser.load(made).accountPage().codes().map { $0.reveal() } == codes)
        #expect(try await server.told("recovery_codes_made") == 1)
        server.clock.advance(by: .minutes(1) + .seconds(1))
        let late = try await browser.load(made).accountPage()
        #expect(late.overview?.recoveryCodes == Int64(codes.count))
    }

    @Test("A page that says the person is signed out is shown again, and those before it lead to the sign-in")
    func signedOut() async throws {
        let (_, browser) = try await setUp()
        let page = try await signIn(browser, on: browser.openAccount().page())
        let over = try await browser.press(.signOut, on: page).accountPage()
        guard case .signedOut = try await browser.load(over).accountPage().step else {
            Issue.record("not signed out")
            return
        }
        #expect(try await browser.load(page).restart == "https://auth.example.com/account")
    }

    @Test("The steps of the sign-in lead to the account once it is done")
    func stepsBefore() async throws {
        let (_, browser) = try await setUp()
        let asked = try await browser.typePassword(on: browser.openAccount().page()).page()
        guard case .secondFactor = try await browser.loadStep(asked).page().step else {
            Issue.record("no second factor")
            return
        }
        _ = try await browser.press(.answerFactor(Password(browser.server.sentCode())), on: asked).accountPage()
        #expect(try await browser.loadStep(asked).restart == "https://auth.example.com/account")
    }

    @Test("attack: an address of another session or browser opens nothing, nor do all the cookies without it")
    func otherAddresses() async throws {
        let (server, browser) = try await setUp()
        let page = try await signIn(browser, on: browser.openAccount().page())
        _ = try await browser.press(.signOut, on: page)
        #expect(try await browser.load(page).restart != nil)
        // The browser has signed in before: the password is enough.
        let next = try await browser.typePassword(on: browser.openAccount().page()).accountPage()
        #expect(try await browser.load(page).restart != nil)
        let thief = TestBrowser(server)
        #expect(try await thief.load(next).fault == .stalePage)
        _ = try await thief.openAccount()
        #expect(try await thief.load(next).restart == "https://auth.example.com/account")
        thief.cookies.binding = browser.cookies.binding
        _ = try await thief.load(next).page()
        thief.cookies = browser.cookies
        let copied = try await thief.openAccount().accountPage()
        #expect(try await thief.press(.managePassword, on: copied).page().purpose == .accountChange)
    }
}
