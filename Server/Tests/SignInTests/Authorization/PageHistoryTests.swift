import Core
import FlowSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

/// A browser loads the page after a form again from its own address, and comes back to it from the history.
@Suite("Back and Reload on the sign-in page", .covers("a form in a second tab, a double click or a reload fails"))
struct PageHistoryTests {
    private func setUp() async throws -> (server: TestServer, client: TestClient, browser: TestBrowser) {
        let server = try await TestServer.start()
        _ = try await server.reachableAccount()
        return (server, try await server.publicClient(), TestBrowser(server))
    }

    @Test("After a wrong password, loading the page again writes nothing and says the same")
    func wrongPassword() async throws {
        let (server, client, browser) = try await setUp()
        let wrong = try await browser.signIn(client.request(), password: "a wrong password").page()
        #expect(wrong.notice == .invalidCredentials)
        let before = server.writes
        for _ in 0..<10 {
            let again = try await browser.load(wrong).page()
            #expect(again.notice == .invalidCredentials)
            #expect(again.step == .credentials(username: "ada"))
            #expect(again.misses == 1)
        }
        #expect(server.writes == before)
        let again = try await browser.load(wrong).page()
        let next = try await browser.submit(
            again, .signIn(username: "ada", password: Password("another wrong password"))
        ).page()
        #expect(next.misses == 2)
    }

    @Test("A second factor shows the tries that are left, and once it is over it says so")
    func secondFactor() async throws {
        let (server, client, browser) = try await setUp()
        let asked = try await browser.signIn(client.request()).page()
        let wrong = try Password(await server.wrongCode())
        let first = try await browser.submit(asked, .answerFactor(wrong)).page()
        _ = try await browser.submit(asked, .answerFactor(wrong)).page()
        let sent = try await server.codesSent()
        for _ in 0..<6 {
            guard case .secondFactor(let factor) = try await browser.load(first).page().step else {
                Issue.record("no second factor")
                return
            }
            #expect(factor.remainingTries == OpenFactors.mostTries - 2)
        }
        #expect(try await server.codesSent() == sent)
        for _ in 0..<3 { _ = try await browser.submit(asked, .answerFactor(wrong)).page() }
        let over = try await browser.load(first).page()
        #expect(over.notice == .factorOver)
        #expect(over.step == .credentials(username: nil))
    }

    @Test("A wait on a page counts down, and is gone once it is over")
    func waits() async throws {
        let (server, client, browser) = try await setUp()
        let asked = try await browser.signIn(client.request()).page()
        server.clock.advance(by: .seconds(10))
        let page = try await browser.submit(asked, .resendFactor).page()
        guard case .codeSentRecently(let wait)? = page.notice else {
            Issue.record("no wait: \(String(describing: page.notice))")
            return
        }
        server.clock.advance(by: .seconds(5))
        #expect(try await browser.load(page).page().notice == .codeSentRecently(retryAfter: wait - 5))
        server.clock.advance(by: .seconds(wait))
        #expect(try await browser.load(page).page().notice == nil)
    }

    @Test("After the sign-in, the pages before it say that it is done and lead to the app")
    func signedIn() async throws {
        let (server, client, browser) = try await setUp()
        let wrong = try await browser.signIn(client.request(), password: "a wrong password").page()
        let asked = try await browser.submit(
            wrong, .signIn(username: "ada", password: Password("correct horse battery"))
        ).page()
        _ = try await browser.submit(asked, .answerFactor(Password(server.sentCode()))).code()
        for page in [wrong, asked] {
            let onward = try #require(try await browser.load(page).onward)
            #expect(onward.location.hasPrefix("https://auth.example.com/oauth2/authorize?"))
            #expect(onward.location.contains("state=s-1"))
        }
        browser.cookies.session = nil
        #expect(try await browser.load(asked).restart?.contains("state=s-1") == true)
    }

    private static let ownURI = "com.example.wallet:/callback"

    /// A person who signed in to an app with its own scheme, and the page that leads there.
    private func leave() async throws -> (
        server: TestServer, client: TestClient, browser: TestBrowser, address: String, code: AuthorizationCode
    ) {
        let server = try await TestServer.start()
        _ = try await server.reachableAccount()
        let client = try await server.bearerClient { $0.redirectURIs = [Self.ownURI] }
        let browser = TestBrowser(server)
        let asked = try await browser.signIn(client.request { $0["redirect_uri"] = Self.ownURI }).page()
        let outcome = try await browser.submit(asked, .answerFactor(Password(server.sentCode())))
        return (server, client, browser, try #require(try outcome.redirect().page), try outcome.code())
    }

    @Test("The page before an app's own scheme hands over an unused code, by itself only at first")
    func returning() async throws {
        let (server, _, browser, address, code) = try await leave()
        let writes = server.writes
        let first = try #require(try await browser.load(address).returning)
        #expect(first.byItself)
        #expect(first.redirect["code"] == code.reveal())
        #expect(first.redirect["state"] == "s-1")
        server.clock.advance(by: .seconds(21))
        let later = try #require(try await browser.load(address).returning)
        #expect(!later.byItself)
        #expect(later.redirect.location == first.redirect.location)
        server.clock.advance(by: .seconds(40))
        #expect(try await browser.load(address).onward != nil)
        #expect(server.writes == writes)
    }

    @Test("attack: the page before an app's own scheme hands over no redeemed code, and opens in no other browser")
    func usedCode() async throws {
        let (server, client, browser, address, code) = try await leave()
        #expect(try await TestBrowser(server).load(address).fault == .stalePage)
        _ = try await client.token(
            .authorizationCode(code, redirectURI: RedirectURI(Self.ownURI), verifier: TestClient.verifier)
        ).tokens()
        let onward = try #require(try await browser.load(address).onward)
        #expect(onward.location.hasPrefix("https://auth.example.com/oauth2/authorize?"))
        browser.cookies.session = nil
        #expect(try await browser.load(address).restart?.contains("state=s-1") == true)
    }

    @Test("Back after Cancel says that the sign-in was cancelled and leads to a new one; no form from before counts")
    func backAfterCancel() async throws {
        let (server, client, browser) = try await setUp()
        let asked = try await browser.signIn(client.request()).page()
        _ = try await browser.submit(asked, .cancel).redirect()
        let onward = try #require(try await browser.load(asked).onward)
        #expect(onward.isCancelled)
        #expect(onward.location.contains("state=s-1"))
        let code = SignInPage.Action.answerFactor(try Password(await server.sentCode()))
        #expect(try await browser.submit(asked, code).restart != nil)
        #expect(try await TestBrowser(server).load(asked).fault == .stalePage)
        // A sign-in after that is one like any other.
        server.clock.advance(by: .minutes(1))
        let again = try await browser.signIn(client.request()).page()
        _ = try await browser.submit(again, .answerFactor(Password(server.sentCode()))).code()
        #expect(try await browser.load(again).onward?.isCancelled == false)
    }

    @Test("Back after “Use another account” begins the sign-in again")
    func backAfterAnotherAccount() async throws {
        let (server, client, browser) = try await setUp()
        let asked = try await browser.signIn(client.request()).page()
        _ = try await browser.submit(asked, .answerFactor(Password(server.sentCode()))).code()
        let choosing = try await browser.open(client.request { $0["prompt"] = "login" }).page()
        let wrong = try await browser.submit(
            choosing, .signIn(username: "ada", password: Password("a wrong one"))
        ).page()
        _ = try await browser.submit(wrong, .useAnotherAccount).page()
        #expect(try await browser.load(wrong).restart?.contains("state=s-1") == true)
    }

    @Test("After Cancel, the page before an app's own scheme says so again, and does not open the app by itself later")
    func cancelled() async throws {
        let server = try await TestServer.start()
        let client = try await server.bearerClient { $0.redirectURIs = [Self.ownURI] }
        let browser = TestBrowser(server)
        let page = try await browser.open(client.request { $0["redirect_uri"] = Self.ownURI }).page()
        let address = try #require(try await browser.submit(page, .cancel).redirect().page)
        server.clock.advance(by: .minutes(5))
        let later = try #require(try await browser.load(address).returning)
        #expect(!later.byItself)
        #expect(later.redirect["error"] == "access_denied")
    }

    @Test("attack: the address of a page opens in no other browser, which learns nothing of the request")
    func otherBrowsers() async throws {
        let (server, client, browser) = try await setUp()
        let asked = try await browser.signIn(client.request()).page()
        let stranger = TestBrowser(server)
        #expect(try await stranger.load(asked).fault == .stalePage)
        // The newest code is the one of the latest second.
        server.clock.advance(by: .seconds(1))
        let own = try await stranger.signIn(client.request()).page()
        #expect(try await stranger.load(asked).fault == .stalePage)
        _ = try await stranger.submit(own, .answerFactor(Password(server.sentCode()))).code()
        // Not even signed in to the same account.
        #expect(try await stranger.load(asked).fault == .stalePage)
        // Nor does an address of the account's page show a step of a sign-in to an app, or the other way around.
        #expect(try await browser.loadStep(asked).fault == .stalePage)
        let account = try await browser.openAccount().page()
        #expect(try await browser.load(account).fault == .stalePage)
    }

    /// A step of a browser that is signed in, on a page that names the person.
    enum NamingStep: CaseIterable {
        case merchant, consent
    }

    private func open(
        _ step: NamingStep
    ) async throws -> (server: TestServer, browser: TestBrowser, page: SignInPage) {
        let server = try await TestServer.start()
        _ = try await server.reachableAccount()
        let browser = TestBrowser(server)
        _ = try await browser.signIn(on: browser.openAccount().page())
        let app: TestClient
        switch step {
        case .merchant:
            app = try await server.bearerClient { $0.requiresMerchant = true }
            for id in ["kiosk", "shop"] {
                try await server.administer(["merchant", "create", id, "--name", id])
                try await server.administer(["merchant", "install-client", id, "--client", app.id.rawValue])
                try await server.administer(["merchant", "add-employee", id, "ada"])
            }
        case .consent: app = try await server.relyingApp()
        }
        let page = try await browser.open(app.request()).page()
        switch (step, try await browser.load(page).page().step) {
        case (.merchant, .merchant(username: "ada", _)): break
        case (.consent, .clientConsent(let asked)): #expect(asked.username == "ada")
        case (_, let other): Issue.record("another step: \(other)")
        }
        return (server, browser, page)
    }

    @Test(
        "attack: after “Use another account”, the next person at the browser goes back to read who was signed in",
        arguments: NamingStep.allCases)
    func anotherAccount(step: NamingStep) async throws {
        let (_, browser, page) = try await open(step)
        let binding = browser.cookies.binding
        let asked = try await browser.submit(page, .useAnotherAccount).page()
        #expect(asked.step == .credentials(username: nil))
        // The request begins again, with no one signed in.
        #expect(try await browser.load(page).restart?.contains("state=s-1") == true)
        #expect(try await browser.load(asked).page().step == .credentials(username: nil))
        browser.cookies.binding = binding
        #expect(try await browser.load(page).page().step == .credentials(username: nil))
    }

    @Test("Once the session has ended elsewhere, its pages name no one", arguments: NamingStep.allCases)
    func endedElsewhere(step: NamingStep) async throws {
        let (server, browser, page) = try await open(step)
        server.clock.advance(by: .minutes(2))
        let other = TestBrowser(server)
        let account = try await other.signIn(on: other.openAccount().page())
        let ended = try await other.press(.endOtherSessions, on: account).accountPage()
        #expect(ended.notice == .otherSessionsEnded)
        #expect(try await browser.load(page).page().step == .credentials(username: nil))
    }

    @Test("attack: a changed address is refused, and an address is no form without a form's token")
    func forged() async throws {
        let (server, client, browser) = try await setUp()
        let asked = try await browser.signIn(client.request()).page()
        var changed = asked
        var characters = Array(asked.request)
        characters[characters.count / 2] = characters[characters.count / 2] == "A" ? "B" : "A"
        changed.request = String(characters)
        #expect(try await browser.load(changed).fault == .stalePage)
        var form = asked
        form.csrf = ""
        let code = try Password(await server.sentCode())
        #expect(try await browser.submit(form, .answerFactor(code)).fault == .stalePage)
        server.clock.advance(by: PageState.lifetime)
        #expect(try await browser.load(asked).fault == .stalePage)
    }
}
