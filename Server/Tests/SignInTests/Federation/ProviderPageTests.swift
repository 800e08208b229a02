import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite(
    "Signing in by a provider on the hosted pages", .covers("GET|POST /sign-in/provider/{brandIdentity}/{providerId}"))
struct ProviderPageTests {
    @Test("Pages show the brand's providers that the operator put there, in the order of their adding")
    func buttons() async throws {
        let pages = try await ProviderPages.setUp()
        let (server, other) = (pages.server, TestProvider.withPage(issuer: "https://other.example.net"))
        server.clock.advance(by: .seconds(1))
        try await server.add(other, as: "another", label: "Another")
        try await server.add(other, as: "native-only")
        try await server.administer(
            ["provider", "add", "repository", "members", "--endpoint", "https://members.example.com/v"])
        try await server.administer(["brand", "create", "acme", "--name", "Acme"])
        let page = try await pages.browser.open(pages.client.request()).page()
        #expect(page.providers.map(\.name) == ["Example", "Another"])
        #expect(page.providers.map(\.place) == ["https://id.example.com", "https://other.example.net"])
        #expect(page.providers.allSatisfy { !$0.isVendor })
        let acme = try await server.bearerClient("acme-app") { $0.brand = "acme" }
        #expect(try await TestBrowser(server).open(acme.request()).page().providers.isEmpty)
        // The account's own page has them, too.
        #expect(try await pages.browser.openAccount().page().providers.count == 2)
    }

    @Test(
        "The way there has state, nonce and PKCE by S256, and the code is redeemed with the same redirect URI and verifier"
    )
    func thereAndBack() async throws {
        let pages = try await ProviderPages.setUp()
        let departed = try await pages.leave()
        #expect(departed.endpoint == "https://id.example.com/authorize")
        #expect(departed.query["response_type"] == "code")
        #expect(departed.query["client_id"] == "wallet-server")
        #expect(departed.query["scope"] == "openid email")
        #expect(departed.query["redirect_uri"] == "https://auth.example.com/sign-in/provider/default/example")
        #expect(departed.query["code_challenge_method"] == "S256")
        #expect(departed.query["prompt"] == nil)
        #expect(departed.departure.name == "Example")
        _ = try await pages.arrive(departed).page().offer()
        let form = try pages.provider.redeemed()
        #expect(form["code"] == "their-code")
        #expect(form["redirect_uri"] == departed.query["redirect_uri"])
        let verifier = try CodeVerifier(try #require(form["code_verifier"]))
        #expect(CodeChallenge(verifier: verifier).rawValue == departed.query["code_challenge"])
        // Each way there has secrets of its own.
        let again = try await pages.leave()
        for name in ["state", "nonce", "code_challenge"] { #expect(again.query[name] != departed.query[name]) }
    }

    @Test(
        "A new person creates an account under a name of their own, and signs straight in from then on, with one factor"
    )
    func newAccount() async throws {
        let pages = try await ProviderPages.setUp()
        let page = try await pages.browser.signIn(pages.client.request(), at: pages.provider).page()
        #expect(try page.offer() == .init(provider: "Example", username: nil, email: nil, termsURL: nil))
        let accounts = try await pages.server.rows(of: "accounts")
        #expect(accounts == 0, "the person has not agreed yet")
        let code = try await pages.browser.submit(page, .createAccount(username: "ada")).code()
        let made = try await pages.server.claims(of: pages.client.redeem(code).tokens())
        let again = pages.another
        let second = try await again.browser.signIn(again.client.request(), at: again.provider).code()
        let claims = try await pages.server.claims(of: pages.client.redeem(second).tokens())
        #expect(claims.subject == made.subject)
        #expect(claims.amr == ["fed"])
        #expect(claims.acr == AuthenticationStrength.singleFactor)
        // The browser is signed in, as after a password.
        let silent = try await again.browser.open(pages.client.request { $0["prompt"] = "none" })
        _ = try silent.code()
        // Another person there is another person here.
        _ = try await pages.another.browser.signIn(pages.client.request(), at: pages.provider, as: "sub-2").page()
            .offer()
    }

    @Test(
        "The name of a verified address is suggested, the address goes with the account, and the terms that were shown are kept"
    )
    func suggestion() async throws {
        let pages = try await ProviderPages.setUp(trustsEmail: true)
        try await pages.server.administer(
            ["brand", "update", "default", "--terms-url", "https://wallet.example.com/terms/2026-11"])
        func arrive(_ address: String, verified: Bool) async throws -> SignInPage {
            try await pages.browser.signIn(pages.client.request(), at: pages.provider) {
                $0.set("email", address)
                $0["email_verified"] = .bool(verified)
            }.page()
        }
        #expect(try await arrive("grace@example.com", verified: false).offer().username == nil)
        #expect(try await arrive("no\u{202E}body@example.com", verified: true).offer().username == nil)
        // A relay's address is made up.
        #expect(try await arrive("362ebcc456@privaterelay.appleid.com", verified: true).offer().username == nil)
        let page = try await arrive("ada+shop@example.com", verified: true)
        let offer = try page.offer()
        #expect(offer.username == "ada")
        #expect(offer.email == "ada+shop@example.com")
        #expect(offer.termsURL == "https://wallet.example.com/terms/2026-11")
        // What the operator changes meanwhile is not what was read.
        try await pages.server.administer(
            ["brand", "update", "default", "--terms-url", "https://wallet.example.com/terms/2027"])
        _ = try await pages.browser.submit(page, .createAccount(username: "ada")).code()
        let record = try await pages.server.context.database.read {
            try Accounts.find(named: "ada", brand: "default", on: $0)
        }
        #expect(record?.emailState == .verified)
        let exported = try await pages.server.administer(["account", "export", "ada"])
        let linked = exported["events"]?.array?.compactMap(\.object).first { $0["event"] == "identity.linked" }
        let properties = linked?["details"]?.object?["properties"]?.object
        #expect(properties?["accepted_terms"] == "https://wallet.example.com/terms/2026-11")
    }

    @Test("A taken or impossible name is asked for again, with what was typed still there")
    func names() async throws {
        let pages = try await ProviderPages.setUp()
        _ = try await pages.server.account("ada")
        let page = try await pages.browser.signIn(pages.client.request(), at: pages.provider).page()
        let taken = try await pages.browser.submit(page, .createAccount(username: "ada")).page()
        #expect(taken.notice == .nameTaken)
        #expect(try taken.offer().username == "ada")
        let unusable = try await pages.browser.submit(taken, .createAccount(username: "a\u{202E}da")).page()
        #expect(unusable.notice == .unusableName)
        _ = try await pages.browser.submit(unusable, .createAccount(username: "ada2")).code()
    }

    @Test("Cancel, or another account: no account is made, and the form that was left makes none later")
    func leaving() async throws {
        for action in [SignInPage.Action.cancel, .useAnotherAccount] {
            let pages = try await ProviderPages.setUp()
            let page = try await pages.browser.signIn(pages.client.request(), at: pages.provider).page()
            let answer = try await pages.browser.submit(page, action)
            if case .cancel = action {
                #expect(try answer.redirect()["error"] == "access_denied")
            } else {
                #expect(try answer.page().providers.count == 1)
            }
            #expect(try await pages.browser.submit(page, .createAccount(username: "ada")).restart != nil)
            let accounts = try await pages.server.rows(of: "accounts")
            #expect(accounts == 0)
        }
    }

    @Test("The offer of an account is good for ten minutes, and makes one account however often it is pressed")
    func offerOver() async throws {
        let pages = try await ProviderPages.setUp()
        let page = try await pages.browser.signIn(pages.client.request(), at: pages.provider).page()
        let cookies = pages.browser.cookies
        pages.server.clock.advance(by: .minutes(10) - .seconds(1))
        _ = try await pages.browser.submit(page, .createAccount(username: "ada")).code()
        // The answer was lost, with the cookies in it.
        pages.browser.cookies = cookies
        _ = try await pages.browser.submit(page, .createAccount(username: "grace")).code()
        let accounts = try await pages.server.rows(of: "accounts")
        #expect(accounts == 1)
        let other = pages.another
        let late = try await other.browser.signIn(other.client.request(), at: other.provider, as: "sub-2").page()
        pages.server.clock.advance(by: .minutes(10))
        let over = try await other.browser.submit(late, .createAccount(username: "late")).page()
        #expect(over.notice == .providerAnswerUsed)
    }

    @Test(
        "A declined sign-in leads back to the page with a notice; other errors have one of their own, without the provider's words"
    )
    func errors() async throws {
        let pages = try await ProviderPages.setUp()
        for (error, notice) in [
            ("access_denied", SignInPage.Notice.providerDeclined(name: "Example")),
            ("user_cancelled_authorize", .providerDeclined(name: "Example")),
            ("temporarily_unavailable", .providerUnavailable(name: "Example")),
            ("server_error", .providerUnavailable(name: "Example")),
            ("invalid_scope", .providerFailed(name: "Example")), ("<script>", .providerFailed(name: "Example")),
        ] as [(String, SignInPage.Notice)] {
            let departed = try await pages.leave()
            let page = try await pages.browser.arrive(departed.state, .error(error)).page()
            #expect(page.notice == notice, "\(error)")
            #expect(page.providers.count == 1)
        }
        let departed = try await pages.leave()
        let empty = try await pages.browser.arrive(
            departed.state, ProviderResponse(code: nil, error: nil, issuer: nil)
        ).page()
        #expect(empty.notice == .providerFailed(name: "Example"))
        #expect(pages.provider.asked("/token") == 0)
        // Who declined was asked, and says nothing of the provider.
        let metrics = ProviderMetrics(brand: "default", provider: "example", refused: 3, unavailable: 2)
        #expect(pages.server.flows.context.providerActivity.metrics == [metrics])
    }

    @Test("A provider that is down, on the way there or back, gives a notice that says so, and no try is counted")
    func outage() async throws {
        let pages = try await ProviderPages.setUp { $0.lockout.network.failures = 2 }
        let departed = try await pages.leave()
        pages.provider.setDown(true)
        for _ in 0..<4 {
            let page = try await pages.browser.arrive(departed.state).page()
            #expect(page.notice == .providerUnavailable(name: "Example") || page.notice == .providerAnswerUsed)
        }
        pages.server.clock.advance(by: .hours(2))
        for _ in 0..<4 {
            let page = try await pages.browser.open(pages.client.request()).page()
            let told = try await pages.browser.submit(page, .useProvider(ProviderID("example"))).page()
            #expect(told.notice == .providerUnavailable(name: "Example"))
        }
        pages.provider.setDown(false)
        pages.server.clock.advance(by: .seconds(6))
        _ = try await pages.arrive(pages.leave()).page().offer()
    }

    @Test("A second factor that the account has is asked for after the provider's word, and answered on the page")
    func secondFactor() async throws {
        let pages = try await ProviderPages.setUp()
        let (server, browser) = (pages.server, pages.browser)
        try await pages.makeAccount()
        let account = try await browser.openAccount().accountPage()
        // What changes the account takes a sign-in on the page itself, by the provider here.
        let asked = try await browser.press(.setUpAuthenticator, on: account).page()
        #expect(asked.purpose == .accountChange)
        let departed = try Departed(try await browser.press(.useProvider(ProviderID("example")), on: asked))
        #expect(departed.query["prompt"] == "login")
        let waiting = try await pages.arrive(departed) { $0.signIn(at: server.clock.now()) }.accountPage()
        let setup = try waiting.setup()
        let done = try await browser.press(.confirmAuthenticator(server.code(of: setup)), on: waiting).accountPage()
        #expect(done.notice == .authenticatorOn)
        server.clock.advance(by: .minutes(1))
        let other = pages.another
        let factor = try await other.browser.signIn(
            pages.client.request { $0["acr_values"] = AuthenticationStrength.twoFactors }, at: pages.provider
        ).page()
        guard case .secondFactor = factor.step else {
            Issue.record("no second factor: \(factor.step)")
            return
        }
        let code = try await other.browser.submit(
            factor, .answerFactor(Password(server.code(of: setup).reveal()))
        ).code()
        let claims = try await server.claims(of: pages.client.redeem(code).tokens())
        #expect(Set(claims.amr) == ["fed", "otp"])
        #expect(claims.acr == AuthenticationStrength.twoFactors)
    }

    @Test("An unverified address is confirmed by its code, and a third-party app asks for consent")
    func furtherSteps() async throws {
        let pages = try await ProviderPages.setUp()
        let partner = try await pages.server.bearerClient("partner") { $0.firstParty = false }
        try await pages.server.addWebhook(client: "partner", kinds: [.accounts, .identities, .signIns])
        let page = try await pages.browser.signIn(partner.request(), at: pages.provider) {
            $0.set("email", "ada@example.com")
        }.page()
        let confirming = try await pages.browser.submit(page, .createAccount(username: "ada")).page()
        guard case .emailCode = confirming.step else {
            Issue.record("no code: \(confirming.step)")
            return
        }
        let asked = try await pages.browser.submit(confirming, .checkEmailCode(pages.server.emailedCode())).page()
        guard case .clientConsent = asked.step else {
            Issue.record("no consent: \(asked.step)")
            return
        }
        // It learns of a new person once they let it, and not by their account.
        #expect(try await pages.server.rows(of: "webhook_deliveries") == 0)
        _ = try await pages.browser.submit(asked, .allow).code()
        #expect(try await pages.server.rows(of: "webhook_deliveries WHERE type = 'account.signed_in'") == 1)
    }

    @Test("A sign-in that has to be fresh is asked for at the provider, and counts where its token says that it was")
    func fresh() async throws {
        let pages = try await ProviderPages.setUp()
        try await pages.makeAccount()
        for (name, value, prompt, maxAge) in [
            ("prompt", "login", "login", "0"), ("max_age", "60", nil, "60"),
        ] as [(String, String, String?, String)] {
            let now = pages.server.clock.now().seconds
            for (time, notice) in [
                (.integer(now), nil), (.integer(now - 3600), .providerSessionOld(name: "Example")),
                (nil, .providerSessionOld(name: "Example")), (.string("now"), .providerFailed(name: "Example")),
            ] as [(JSONValue?, SignInPage.Notice?)] {
                let other = pages.another
                let departed = try await other.leave { $0[name] = value }
                #expect(departed.query["prompt"] == prompt)
                #expect(departed.query["max_age"] == maxAge)
                let outcome = try await other.arrive(departed) { $0["auth_time"] = time }
                if let notice {
                    #expect(try outcome.page().notice == notice)
                } else {
                    _ = try outcome.code()
                }
            }
        }
        // A session there that is younger than max_age will do.
        let young = pages.another
        let departed = try await young.leave { $0["max_age"] = "7200" }
        let now = pages.server.clock.now()
        let code = try await young.arrive(departed) { $0.signIn(at: now - .hours(1)) }.code()
        let claims = try await pages.server.claims(of: pages.client.redeem(code).tokens())
        #expect(claims.authenticatedAt?.secondsSince1970 == (now - .hours(1)).seconds)
        let chosen = try await pages.another.leave { $0["prompt"] = "select_account" }
        #expect(chosen.query["prompt"] == "select_account")
        // Without such a request an existing sign-in there will do.
        let other = pages.another
        _ = try await other.arrive(other.leave()) { $0["auth_time"] = .integer(1) }.code()
    }

    @Test("A new account goes on to the app whatever max_age says: it has nothing to protect yet")
    func newAccountOfOldSession() async throws {
        let pages = try await ProviderPages.setUp()
        let departed = try await pages.leave { $0["max_age"] = "60" }
        let page = try await pages.arrive(departed).page()
        let code = try await pages.browser.submit(page, .createAccount(username: "ada")).code()
        let claims = try await pages.server.claims(of: pages.client.redeem(code).tokens())
        let dayAgo = pages.server.clock.now() - .days(1)
        #expect(claims.authenticatedAt?.secondsSince1970 == dayAgo.seconds)
    }

    @Test("prompt=none shows no provider's button and leads to none")
    func silent() async throws {
        let pages = try await ProviderPages.setUp()
        let redirect = try await pages.browser.open(pages.client.request { $0["prompt"] = "none" }).redirect()
        #expect(redirect["error"] == "login_required")
    }

    @Test("An app's state of two thousand characters goes to the provider and back")
    func longState() async throws {
        let pages = try await ProviderPages.setUp()
        let state = String(repeating: "s", count: 2048)
        let departed = try await pages.leave { $0["state"] = state }
        #expect(try departed.state.utf8.count <= 4096)
        let page = try await pages.arrive(departed).page()
        let redirect = try await pages.browser.submit(page, .createAccount(username: "ada")).redirect()
        #expect(redirect["state"] == state)
        // An ordinary one stays below what the strictest servers take.
        #expect(try await pages.another.leave().state.utf8.count < 1600)
    }

    @Test(
        "A provider that was removed while a person was there opens nothing, and an old page leads nowhere"
    )
    func removed() async throws {
        let pages = try await ProviderPages.setUp()
        let page = try await pages.browser.open(pages.client.request()).page()
        let departed = try await pages.browser.leave(page)
        try await pages.server.administer(["provider", "remove", "example"])
        #expect(try await pages.arrive(departed).page().notice == .providerGone)
        let pressed = try await pages.browser.submit(page, .useProvider(ProviderID("example"))).page()
        #expect(pressed.notice == .providerGone)
        #expect(pressed.providers.isEmpty)
        #expect(pages.provider.asked("/token") == 0)
    }

    @Test("A session of an identity that was taken away is over in the browser as well")
    func unlinked() async throws {
        let pages = try await ProviderPages.setUp()
        try await pages.makeAccount()
        let id = try await pages.server.context.database.read {
            try Accounts.find(named: "ada", brand: "default", on: $0)?.id
        }
        let account = try #require(id)
        try await pages.server.context.database.write {
            try Accounts.raiseSecurityVersionKeepingSessions(of: account, on: $0)
        }
        let redirect = try await pages.browser.open(pages.client.request { $0["prompt"] = "none" }).redirect()
        #expect(redirect["error"] == "login_required")
    }
}
