import Core
import FlowSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite("Attacks on how fresh a sign-in by a provider has to be, and on whose it is")
struct ProviderPageAgeAttackTests {
    @Test(
        "attack: an old session at the provider opens the account's page to look at, and changes nothing by it",
        arguments: [nil, Duration.days(30)])
    func oldSessionOnAccountPage(age: Duration?) async throws {
        let pages = try await ProviderPages.setUp()
        try await pages.another.makeAccount()
        let now = pages.server.clock.now()
        // Anyone at a browser that is left open has the session at the provider.
        let asked = try await pages.browser.openAccount().page()
        let looking = try Departed(try await pages.browser.press(.useProvider(ProviderID("example")), on: asked))
        #expect(looking.query["prompt"] == "login")
        #expect(looking.query["max_age"] == "0")
        let old: (inout JSONObject) -> Void = { claims in
            if let age { claims.signIn(at: now - age) }
        }
        let account = try await pages.arrive(looking, old).accountPage()
        #expect(account.overview != nil)
        let wanted = try await pages.browser.press(.setUpAuthenticator, on: account).page()
        #expect(wanted.purpose == .accountChange)
        let changing = try Departed(
            try await pages.browser.press(.useProvider(ProviderID("example")), on: wanted))
        let refused = try await pages.arrive(changing, old).page()
        #expect(refused.notice == .providerSessionOld(name: "Example"))
        #expect(refused.purpose == .accountChange)
        // The person themselves signs in there.
        let again = try Departed(try await pages.browser.press(.useProvider(ProviderID("example")), on: refused))
        _ = try await pages.arrive(again) { $0.signIn(at: now) }.accountPage().setup()
    }

    @Test(
        "attack: an old session at the provider is no fresh sign-in for an app, now or later, without a second factor")
    func oldSessionForApp() async throws {
        let pages = try await ProviderPages.setUp()
        let (server, client) = (pages.server, pages.client)
        try await pages.another.makeAccount()
        // A sign-in that need not be fresh is as old as the session there, for tokens and browser alike.
        let browser = pages.another
        let code = try await browser.arrive(browser.leave()).code()
        let claims = try await server.claims(of: client.redeem(code).tokens())
        let now = server.clock.now()
        #expect(try #require(claims.authenticatedAt?.secondsSince1970) <= (now - .hours(1)).seconds)
        let silent = try await browser.browser.open(
            client.request {
                $0["prompt"] = "none"
                $0["max_age"] = "600"
            })
        #expect(try silent.redirect()["error"] == "login_required")
        // With an authenticator the account goes on by it.
        let page = try await pages.browser.openAccount().page()
        let leaving = try Departed(try await pages.browser.press(.useProvider(ProviderID("example")), on: page))
        let account = try await pages.arrive(leaving) { $0.signIn(at: now) }.accountPage()
        let waiting = try await pages.browser.press(.setUpAuthenticator, on: account).accountPage()
        let setup = try waiting.setup()
        let done = try await pages.browser.press(.confirmAuthenticator(server.code(of: setup)), on: waiting)
        #expect(try done.accountPage().notice == .authenticatorOn)
        server.clock.advance(by: .minutes(1))
        let other = pages.another
        let departed = try await other.leave { $0["prompt"] = "login" }
        let factor = try await other.arrive(departed).page()
        guard case .secondFactor = factor.step else {
            Issue.record("no second factor: \(factor.step)")
            return
        }
        let second = try await other.browser.submit(
            factor, .answerFactor(Password(server.code(of: setup).reveal()))
        ).code()
        let proved = try await server.claims(of: client.redeem(second).tokens())
        #expect(Set(proved.amr) == ["fed", "otp"])
        #expect(proved.authenticatedAt?.secondsSince1970 == server.clock.now().seconds)
    }

    @Test(
        "attack: creating an account on the way does not take max_age out of the request",
        .threat("A session that is too weak or too old"), arguments: ["60", "0"])
    func keptMaxAge(maxAge: String) async throws {
        let pages = try await ProviderPages.setUp()
        let partner = try await pages.server.bearerClient("partner") { $0.firstParty = false }
        let page = try await pages.browser.signIn(partner.request { $0["max_age"] = maxAge }, at: pages.provider).page()
        let asked = try await pages.browser.submit(page, .createAccount(username: "mallory")).page()
        guard case .clientConsent = asked.step else {
            Issue.record("no consent: \(asked.step)")
            return
        }
        let departed = try await pages.browser.leave(asked)
        #expect(departed.query["max_age"] == maxAge)
    }

    @Test(
        "attack: an id_token_hint is satisfied neither by another person at the provider nor by a new account",
        .threat("A session that is too weak or too old"))
    func hintOfAnother() async throws {
        let pages = try await ProviderPages.setUp()
        let (server, client) = (pages.server, pages.client)
        _ = try await server.account("ada")
        try await pages.another.makeAccount("grace", as: "sub-2")
        let now = server.clock.now()
        let ada = try await client.redeem(TestBrowser(server).signIn(client.request()).code()).tokens()
        let hint = try #require(ada.idToken).reveal()
        for subject in ["sub-2", "sub-3"] {
            let stranger = pages.another
            let departed = try await stranger.leave {
                $0["id_token_hint"] = hint
                $0["prompt"] = "login"
            }
            let refused = try await stranger.arrive(departed, as: subject) { $0.signIn(at: now) }.redirect()
            #expect(refused["error"] == "login_required")
            #expect(refused["code"] == nil)
            #expect(stranger.browser.cookies.session == nil)
            #expect(stranger.browser.cookies.device == nil)
        }
        let accounts = try await server.rows(of: "accounts")
        #expect(accounts == 2)
        // The person whom the hint names signs in there.
        let own = pages.another
        let grace = try await client.redeem(own.arrive(own.leave(), as: "sub-2").code()).tokens()
        let ownHint = try #require(grace.idToken).reveal()
        let departed = try await own.leave {
            $0["id_token_hint"] = ownHint
            $0["prompt"] = "login"
        }
        _ = try await own.arrive(departed, as: "sub-2") { $0.signIn(at: now) }.code()
    }
}
