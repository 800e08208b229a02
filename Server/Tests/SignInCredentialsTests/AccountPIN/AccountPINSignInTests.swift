import Core
import FlowSupport
import Kernel
import Testing
import WalletAuthWire

@testable import Operations
@testable import SignIn

@Suite(
    "Signing in by the PIN of the account", .threat("Guessing an account PIN"),
    .covers("login_method=account_pin, login_strategy=PIN"))
struct AccountPINSignInTests {
    @Test("The app asks for the PIN, the person types it, and the tokens say pin")
    func signsIn() async throws {
        let (server, client, account) = try await TestServer.withPIN()
        let browser = TestBrowser(server)
        let page = try await browser.open(client.requestByPIN { $0["login_hint"] = "ada" }).page()
        #expect(page.step == .alternative(.accountPIN, username: "ada"))
        #expect(page.alternatives == [.accountPIN])
        let pin = try AccountPIN(TestServer.pin)
        let code = try await browser.submit(page, .signInInstead(username: "ada", .accountPIN(pin))).code()
        let tokens = try await client.redeem(code).tokens()
        #expect(try await server.claims(of: tokens).subject == account.rawValue)
        #expect(try await server.newestMethods() == "pin")
        #expect(try await server.pinRecord(of: account)?.failed == 0)
        #expect(try await server.pinRecord(of: account)?.failedTotal == 0)
    }

    @Test("The second factor follows as after the password, and makes the sign-in one of two categories")
    func secondFactor() async throws {
        let (server, client, _) = try await TestServer.withPIN(of: { try await $0.reachableAccount() })
        let browser = TestBrowser(server)
        let asked = try await browser.signIn(client.requestByPIN(), byPIN: TestServer.pin).page()
        guard case .secondFactor(let factor) = asked.step else {
            Issue.record("no second factor: \(asked.step)")
            return
        }
        #expect(factor.kind == .email)
        let answer = try Password(try await server.sentCode())
        _ = try await client.redeem(try await browser.submit(asked, .answerFactor(answer)).code()).tokens()
        #expect(try await server.newestMethods() == "pin otp")
    }

    @Test("The person may use the password instead, and go back to the PIN")
    func instead() async throws {
        let (server, client, _) = try await TestServer.withPIN()
        let browser = TestBrowser(server)
        var page = try await browser.open(client.requestByPIN { $0["login_hint"] = "ada" }).page()
        page = try await browser.submit(page, .usePassword()).page()
        #expect(page.step == .credentials(username: "ada"))
        #expect(page.alternatives == [.accountPIN])
        let again = try await browser.submit(page, .use(.accountPIN)).page()
        #expect(again.step == .alternative(.accountPIN, username: "ada"))
        let password = try Password("correct horse battery")
        _ = try await browser.submit(page, .signIn(username: "ada", password: password)).code()
    }

    @Test("Unless a PIN is asked for, the page shows the password and no PIN, and its form takes none")
    func notAsked() async throws {
        let (server, client, account) = try await TestServer.withPIN()
        let browser = TestBrowser(server)
        let page = try await browser.open(client.request()).page()
        #expect(page.step == .credentials(username: nil))
        #expect(page.alternatives.isEmpty)
        let pin = try AccountPIN(TestServer.pin)
        let refused = try await browser.submit(page, .signInInstead(username: "ada", .accountPIN(pin))).page()
        #expect(refused.step == .credentials(username: "ada"))
        #expect(try await server.pinRecord(of: account)?.failedTotal == 0)
        #expect(try await browser.submit(page, .use(.accountPIN)).page().step == .credentials(username: nil))
    }

    @Test(
        "It is off until the operator turns it on: the app learns this, also from a page that is open when it is turned off"
    )
    func off() async throws {
        let server = try await TestServer.start()
        let account = try await server.account()
        let client = try await server.publicClient {
            $0.resetCredentialsURLs = ["https://app.example.com/reset"]
        }
        let refused = try await TestBrowser(server).open(client.requestByPIN()).redirect()
        #expect(refused["error"] == "invalid_request")
        #expect(refused["error_description"]?.contains("login_strategy") == true)

        try await server.offerPINs()
        try await server.setPIN(of: account)
        var details = AuthenticationDetailsRequest(
            clientID: client.id, codeChallenge: CodeChallenge(verifier: TestClient.verifier),
            resetCredentialsURL: try WebURL("https://app.example.com/reset"), state: try OAuthState("s-1"),
            redirectURI: try RedirectURI("https://app.example.com/callback"))
        details.loginStrategy = .pin
        let outcome = try await server.flows.signIn.authorization.details.of(
            details, brand: BrandID("default"))
        guard case .details(let answer) = outcome else {
            Issue.record("refused: \(outcome)")
            return
        }
        let url = answer.authenticationURL.rawValue
        let browser = TestBrowser(server)
        let page = try await browser.open(FormParameters(parsing: url.drop { $0 != "?" }.dropFirst())).page()
        #expect(page.step == .alternative(.accountPIN, username: nil))

        try await server.offerPINs(false)
        let pin = try AccountPIN(TestServer.pin)
        let late = try await browser.submit(page, .signInInstead(username: "ada", .accountPIN(pin))).redirect()
        #expect(late["error"] == "invalid_request")
        #expect(try await server.pinRecord(of: account)?.failedTotal == 0)
    }

    @Test(
        "The fifth wrong PIN locks it and notifies its holder once; the password opens the account, and a new PIN the next time"
    )
    func locked() async throws {
        let (server, client, account) = try await TestServer.withPIN()
        for _ in 0..<5 {
            let page = try await TestBrowser(server).signIn(client.requestByPIN(), byPIN: TestServer.wrongPIN).page()
            #expect(page.notice == .invalidCredentials)
            server.clock.advance(by: .seconds(1))
        }
        #expect(try await server.pinRecord(of: account)?.state == .locked)
        for _ in 0..<2 {
            let page = try await TestBrowser(server).signIn(client.requestByPIN(), byPIN: TestServer.pin).page()
            #expect(page.step == .alternative(.accountPIN, username: "ada"))
            #expect(page.notice == .invalidCredentials)
        }
        #expect(try await server.told("account_pin_locked") == 1)
        #expect(try await server.rows(of: "security_events WHERE kind = 'account_pin.locked'") == 1)

        let browser = TestBrowser(server)
        _ = try await browser.signIn(client.request()).code()
        // A right password says nothing about the PIN, which was guessed at.
        #expect(try await server.pinRecord(of: account)?.state == .locked)
        #expect(try await browser.setPIN("460397").notice == .pinSet)
        _ = try await TestBrowser(server).signIn(client.requestByPIN(), byPIN: "460397").code()
    }

    @Test("A right PIN resets the row of wrong ones, and thirty in total lock it all the same")
    func altogether() async throws {
        let (server, client, account) = try await TestServer.withPIN()
        for _ in 0..<7 {
            for _ in 0..<4 {
                _ = try await TestBrowser(server).signIn(client.requestByPIN(), byPIN: TestServer.wrongPIN).page()
            }
            _ = try await TestBrowser(server).signIn(client.requestByPIN(), byPIN: TestServer.pin).code()
            server.clock.advance(by: .hours(25))
        }
        for _ in 0..<2 {
            _ = try await TestBrowser(server).signIn(client.requestByPIN(), byPIN: TestServer.wrongPIN).page()
        }
        #expect(try await server.pinRecord(of: account)?.state == .locked)
        #expect(try await server.told("account_pin_locked") == 1)
        let page = try await TestBrowser(server).signIn(client.requestByPIN(), byPIN: TestServer.pin).page()
        #expect(page.notice == .invalidCredentials)
    }

    @Test("A password that has to be changed takes the password: a few digits set none")
    func expiredPassword() async throws {
        let (server, client, _) = try await TestServer.withPIN()
        try await server.administer(["account", "expire-password", "ada"])
        let browser = TestBrowser(server)
        var page = try await browser.signIn(client.requestByPIN(), byPIN: TestServer.pin).page()
        #expect(page.step == .credentials(username: nil))
        #expect(page.notice == .passwordNeeded)
        page = try await browser.submit(page, .signIn(username: "ada", password: Password("correct horse battery")))
            .page()
        #expect(page.step == .newPassword)
        _ = try await browser.submit(page, .setPassword(Password("another phrase 8"))).code()
    }

    @Test("Only a known browser learns that the wallet is deactivated")
    func deactivated() async throws {
        let (server, client, _) = try await TestServer.withPIN()
        let known = TestBrowser(server)
        _ = try await known.signIn(client.request()).code()
        try await server.administer(["account", "deactivate", "ada"])
        let told = try await known.signIn(client.requestByPIN { $0["prompt"] = "login" }, byPIN: TestServer.pin).page()
        #expect(told.notice == .walletDeactivated)
        let stranger = try await TestBrowser(server).signIn(client.requestByPIN(), byPIN: TestServer.pin).page()
        #expect(stranger.notice == .invalidCredentials)
    }

    @Test("The account's page opens with the PIN if requested, and changes nothing by the PIN alone")
    func accountPage() async throws {
        let (server, _, _) = try await TestServer.withPIN()
        let browser = TestBrowser(server)
        let asked = try await browser.openAccount(AccountPageRequest(loginStrategy: .pin)).page()
        #expect(asked.step == .alternative(.accountPIN, username: nil))
        let signIn = SignInPage.Action.signInInstead(username: "ada", .accountPIN(try AccountPIN(TestServer.pin)))
        let overview = try await browser.press(signIn, on: asked).accountPage()
        #expect(overview.overview?.username == "ada")
        for action in [AccountPage.Action.managePIN, .setUpAuthenticator] {
            let again = try await browser.press(action, on: overview).page()
            #expect(again.purpose == .accountChange)
            #expect(again.step == .credentials(username: "ada"))
            #expect(again.alternatives.isEmpty)
            let refused = try await browser.press(signIn, on: again).page()
            #expect(refused.step == .credentials(username: "ada"))
        }
        try await server.offerPINs(false)
        let off = try await TestBrowser(server).openAccount(AccountPageRequest(loginStrategy: .pin)).page()
        #expect(off.step == .credentials(username: nil))
    }
}
