import Core
import FlowSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import SignIn

@Suite("A new password on the account's page", .threat("The account's own page"))
struct AccountPagePasswordTests {
    private func setUp() async throws -> (server: TestServer, account: AccountID, browser: TestBrowser) {
        let server = try await TestServer.start()
        return (server, try await server.reachableAccount(), TestBrowser(server))
    }

    private func change(to password: String) throws -> AccountPage.Action {
        .changePassword(.success(try Password(password)))
    }

    @Test("It is set behind a sign-in; every session but this browser's ends, and the holder is notified")
    func changed() async throws {
        let (server, account, browser) = try await setUp()
        let app = try await server.bearerClient()
        let token = try #require(try await app.signIn(account).refreshToken)
        let other = TestBrowser(server)
        _ = try await other.signIn(on: other.openAccount().page())
        server.clock.advance(by: .minutes(2))
        let page = try await browser.signIn(on: browser.openAccount().page())
        let form = try await browser.press(.managePassword, on: page).accountPage()
        guard case .password(let username) = form.step else {
            Issue.record("no form for a password: \(form.step)")
            return
        }
        #expect(username == "ada")
        let changed = try await browser.press(change(to: "a fresh phrase 7"), on: form).accountPage()
        #expect(changed.notice == .passwordChanged)
        #expect(changed.overview?.password == .set(since: server.clock.now()))
        // A double click, of which the browser shows the second response.
        let repeated = try await browser.press(change(to: "a fresh phrase 7"), on: form).accountPage()
        #expect(repeated.notice == .passwordChanged)
        #expect(try await server.told("password_changed") == 1)

        #expect(try await browser.openAccount().accountPage().overview != nil)
        _ = try await other.openAccount().page()
        #expect(try await app.refresh(token).refusal == .invalidGrant)
        let stranger = TestBrowser(server)
        let refused = try await stranger.typePassword(on: stranger.openAccount().page()).page()
        #expect(refused.notice == .invalidCredentials)
    }

    @Test("A password that breaks a rule or was typed differently is refused, and the page asks again")
    func refused() async throws {
        let (server, _, browser) = try await setUp()
        let page = try await browser.signIn(on: browser.openAccount().page())
        var form = try await browser.press(.managePassword, on: page).accountPage()
        let attempts: [(AccountPage.Action, NewPasswordFault)] = [
            (try change(to: "short"), .unacceptable(.tooShort)),
            (try change(to: "password"), .unacceptable(.tooCommon)),
            (try change(to: "correct horse battery"), .unacceptable(.unchanged)),
            (.changePassword(.failure(.mistyped)), .mistyped), (.changePassword(.failure(.missing)), .missing),
        ]
        for (action, fault) in attempts {
            form = try await browser.press(action, on: form).accountPage()
            #expect(form.notice == .newPassword(fault))
        }
        #expect(
            try await browser.press(change(to: "a fresh phrase 7"), on: form).accountPage().notice == .passwordChanged)
        #expect(try await server.told("password_changed") == 1)
    }

    @Test("attack: a copied cookie, a stolen password and a page left open do not change the password")
    func thief() async throws {
        let (server, _, browser) = try await setUp()
        let page = try await browser.signIn(on: browser.openAccount().page())
        let form = try await browser.press(.managePassword, on: page).accountPage()
        let thief = TestBrowser(server)
        thief.cookies = browser.cookies
        let seen = try await thief.openAccount().accountPage()
        for action in [AccountPage.Action.managePassword, try change(to: "the thief's phrase")] {
            thief.cookies = browser.cookies
            let asked = try await thief.press(action, on: seen).page()
            #expect(asked.purpose == .accountChange)
            let factor = try await thief.typePassword(on: asked).page()
            guard case .secondFactor = factor.step else {
                Issue.record("no second factor: \(factor.step)")
                return
            }
        }
        server.clock.advance(by: .minutes(6))
        let asked = try await browser.press(change(to: "the thief's phrase"), on: form).page()
        #expect(asked.purpose == .accountChange)
        #expect(try await server.told("password_changed") == 0)
    }
}
