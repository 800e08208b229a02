import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite("Attacks on signing in by a provider on the hosted pages", .threat("Provider sign-in on hosted pages"))
struct ProviderPageAttackTests {
    @Test("attack: CSRF at the callback: a response to another browser's request opens nothing, and is not used up")
    func crossSite() async throws {
        let attacker = try await ProviderPages.setUp()
        try await attacker.another.makeAccount("attacker")
        let victim = attacker.another
        _ = try await victim.browser.open(victim.client.request()).page()
        let departed = try await attacker.leave()
        try attacker.provider.vouch(on: departed, now: attacker.server.clock.now())
        #expect(try await victim.browser.arrive(departed.state).restart != nil)
        // Nor where the browser sends no cookie at all.
        #expect(try await attacker.another.browser.arrive(departed.state).fault == .stalePage)
        #expect(victim.browser.cookies.session == nil)
        #expect(attacker.provider.asked("/token") == 1, "only when the account was made")
        _ = try await attacker.browser.arrive(departed.state).code()
    }

    @Test("attack: state replay: the same response twice, and sixteen at once, are accepted once")
    func replay() async throws {
        let pages = try await ProviderPages.setUp()
        try await pages.another.makeAccount()
        pages.provider.forgetRequests()
        let departed = try await pages.leave()
        try pages.provider.vouch(on: departed, now: pages.server.clock.now())
        let (cookies, state) = (pages.browser.cookies, try departed.state)
        let server = pages.server
        let codes = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    let answer = try await server.flows.signIn.authorization.arrive(
                        with: ProviderReturn(
                            at: .to("example"), state: state, content: .plain(.code("their-code"))), cookies: cookies,
                        origin: TestServer.origin)
                    guard case .redirect = answer.outcome else { return 0 }
                    return 1
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(codes == 1)
        #expect(pages.provider.asked("/token") == 1)
        pages.browser.cookies = cookies
        #expect(try await pages.browser.arrive(state).page().notice == .providerAnswerUsed)
        // After a sign-in the browser has new cookies, and its old state only begins the request again.
        let signedIn = pages.another
        let other = try await signedIn.leave()
        _ = try await signedIn.arrive(other).code()
        #expect(try await signedIn.browser.arrive(other.state).restart != nil)
    }

    @Test("attack: code injection: a code from another browser is refused, since its token has another nonce")
    func injection() async throws {
        let pages = try await ProviderPages.setUp()
        try await pages.makeAccount()
        let (victim, attacker) = (pages.another, pages.another)
        let theirs = try await victim.leave()
        let own = try await attacker.leave()
        // The provider answers the victim's stolen code with the victim's nonce; the attacker's state asked for another one.
        try pages.provider.vouch(on: theirs, now: pages.server.clock.now())
        let outcome = try await attacker.browser.arrive(own.state, .code("stolen-code"))
        #expect(try outcome.page().notice == .providerFailed(name: "Example"))
        // And it was sent with the attacker's own verifier, which a provider with PKCE refuses at once.
        let verifier = try CodeVerifier(try #require(try pages.provider.redeemed()["code_verifier"]))
        #expect(CodeChallenge(verifier: verifier).rawValue == own.query["code_challenge"])
        #expect(CodeChallenge(verifier: verifier).rawValue != theirs.query["code_challenge"])
    }

    @Test(
        "attack: mix-up: a response that names another issuer, or none where the provider always names it, redeems nothing"
    )
    func mixUp() async throws {
        let honest = TestProvider.withPage()
        let other = TestProvider.withPage(issuer: "https://other.example.net")
        honest.publish("authorization_response_iss_parameter_supported", .bool(true))
        let server = try await TestServer.start(providers: TestProvider.http(honest, other))
        try await server.add(honest, label: "Honest")
        try await server.add(other, as: "other", label: "Other")
        let client = try await server.bearerClient()
        let browser = TestBrowser(server)
        for response in [
            ProviderResponse.code("c", issuer: "https://other.example.net"), .code("c"), .code("c", issuer: ""),
            .code("c", issuer: "https://id.example.com/"), .error("access_denied", issuer: "https://other.example.net"),
            .error("access_denied"),
        ] {
            let departed = try await browser.leave(browser.open(client.request()).page())
            let page = try await browser.arrive(departed.state, response).page()
            #expect(page.notice == .providerFailed(name: "Honest"), "\(response)")
        }
        #expect(honest.asked("/token") == 0)
        // The honest provider's code never reaches the other one, which says nothing of iss.
        let departed = try await browser.leave(browser.open(client.request()).page(), for: "other")
        let page = try await browser.arrive(
            departed.state, .code("c", issuer: honest.issuer), at: departed.callback
        ).page()
        #expect(page.notice == .providerFailed(name: "Other"))
        #expect(other.asked("/token") == 0)
        let named = try await browser.leave(browser.open(client.request()).page())
        try honest.vouch(on: named, now: server.clock.now())
        _ = try await browser.arrive(named.state, .code("c", issuer: honest.issuer)).page().offer()
    }

    @Test(
        "attack: mix-up with a chosen nonce: a malicious provider of this brand or another never gets an honest one's code",
        arguments: ["default", "acme"])
    func mixUpWithChosenNonce(brand: String) async throws {
        let honest = TestProvider.withPage()
        let malicious = TestProvider.withPage(issuer: "https://evil.example.net")
        let server = try await TestServer.start(providers: TestProvider.http(honest, malicious))
        if brand != "default" { try await server.administer(["brand", "create", brand, "--name", "Acme"]) }
        try await server.add(honest, label: "Honest")
        try await server.add(malicious, as: "partner", brand: brand, label: "Partner")
        let (app, partnerApp) = (
            try await server.bearerClient(), try await server.bearerClient("partner-app") { $0.brand = brand }
        )
        // The attacker begins at the honest provider: its nonce is what the stolen code's token would have to show.
        let attacker = TestBrowser(server)
        let own = try await attacker.leave(attacker.open(app.request()).page())
        // The victim begins at the malicious one, which sends the browser on to the honest one with the victim's own state.
        let victim = TestBrowser(server)
        let begun = try await victim.leave(victim.open(partnerApp.request()).page(), for: "partner")
        try honest.vouch(for: "victim", on: own, now: server.clock.now())
        #expect(own.query["redirect_uri"] != begun.query["redirect_uri"])
        // The honest provider answers where the server is registered with it, and nowhere else.
        let answer = ProviderReturn(
            at: try own.callback, state: try begun.state, content: .plain(.code("victims-code")))
        #expect(try await victim.arrive(answer).fault == .stalePage)
        let authorization = server.flows.signIn.authorization
        #expect(try authorization.hold(.code("victims-code"), state: begun.state, at: own.callback) == nil)
        #expect(honest.asked("/token") + malicious.asked("/token") == 0)
        // Nothing was used up: the honest way still leads in.
        _ = try await attacker.arrive(own.state).page().offer()
    }

    @Test("attack: an answer for a provider whose name was given to another, or whose terms changed, goes to neither")
    func replaced() async throws {
        for isOther in [true, false] {
            let (first, second) = (
                TestProvider.withPage(), TestProvider.withPage(issuer: "https://other.example.net")
            )
            let server = try await TestServer.start(providers: TestProvider.http(first, second))
            try await server.add(first, label: "Example")
            let browser = TestBrowser(server)
            let departed = try await browser.leave(
                browser.open(try await server.bearerClient().request()).page())
            try first.vouch(on: departed, now: server.clock.now())
            try await server.administer(["provider", "remove", "example"])
            try await server.add(isOther ? second : first, trustsEmail: true, label: "Example")
            #expect(try await browser.arrive(departed.state).page().notice == .providerGone)
            #expect(first.asked("/token") + second.asked("/token") == 0)
        }
    }

    @Test("attack: session fixation: no cookie that a stranger planted is worth anything after the sign-in")
    func fixation() async throws {
        let pages = try await ProviderPages.setUp()
        try await pages.makeAccount()
        let planted = Base64URL.encode([UInt8](repeating: 5, count: 32))
        let victim = pages.another
        victim.browser.cookies = BrowserCookies(binding: planted, session: planted)
        _ = try await victim.arrive(victim.leave()).code()
        #expect(victim.browser.cookies.session != planted)
        #expect(victim.browser.cookies.binding != planted)
        let attacker = pages.another
        attacker.browser.cookies = BrowserCookies(binding: planted, session: planted)
        let silent = try await attacker.browser.open(pages.client.request { $0["prompt"] = "none" })
        #expect(try silent.redirect()["error"] == "login_required")
    }

    @Test("attack: a state that was changed, is of another kind, or came after half an hour opens nothing")
    func forgedStates() async throws {
        let pages = try await ProviderPages.setUp()
        let page = try await pages.browser.open(pages.client.request()).page()
        let departed = try await pages.browser.leave(page)
        let state = try departed.state
        var changed = Array(state)
        changed[changed.count / 2] = changed[changed.count / 2] == "A" ? "B" : "A"
        for forged in [String(changed), page.request, page.csrf, "", "state", state + "A"] {
            #expect(try await pages.browser.arrive(forged).fault == .stalePage)
        }
        // Nor does a state pass for a page.
        var asPage = page
        asPage.request = state
        #expect(try await pages.browser.submit(asPage, .cancel).fault == .stalePage)
        pages.server.clock.advance(by: .minutes(30))
        #expect(try await pages.browser.arrive(state).fault == .stalePage)
    }

    @Test("attack: an answer that was held for the GET is taken with its own state alone, and for two minutes")
    func held() async throws {
        let pages = try await ProviderPages.setUp()
        let authorization = pages.server.flows.signIn.authorization
        #expect(try authorization.hold(.code("c"), state: "none of ours", at: .to("example")) == nil)
        let (one, other) = (try await pages.leave(), try await pages.leave())
        func arrive(_ state: String, _ held: FormParameters) async throws -> SignInPage {
            let answer = ProviderReturn(
                at: try .to("example"), state: state, content: .held(try #require(held["response"])))
            return try await pages.browser.arrive(answer).page()
        }
        let held = try #require(try authorization.hold(.code("their-code"), state: one.state, at: one.callback))
        #expect(!held.encoded.contains("their-code"))
        #expect(try await arrive(other.state, held).notice == .providerAnswerUsed)
        pages.server.clock.advance(by: .minutes(2))
        #expect(try await arrive(one.state, held).notice == .providerAnswerUsed)
        let again = try #require(try authorization.hold(.code("their-code"), state: one.state, at: one.callback))
        try pages.provider.vouch(on: one, now: pages.server.clock.now())
        _ = try await arrive(one.state, again).offer()
    }

    @Test("attack: a discovery document leads no browser off https, into another scheme or past an @")
    func endpoints() async throws {
        for endpoint in [
            "javascript:alert(1)", "http://id.example.com/authorize", "data:text/html,hi", "//evil.example/a",
            "https://ada:secret@evil.example/", "https://id.example.com/authorize#fragment", "ftp://id.example.com/",
        ] {
            let provider = TestProvider()
            provider.publish("authorization_endpoint", .string(endpoint))
            let server = try await TestServer.start(providers: provider.http)
            try await server.add(provider, label: "Example")
            let browser = TestBrowser(server)
            let page = try await browser.open(try await server.bearerClient().request()).page()
            let told = try await browser.submit(page, .useProvider(ProviderID("example"))).page()
            #expect(told.notice == .providerUnavailable(name: "Example"), "\(endpoint)")
        }
    }

    @Test("An endpoint that has a query of its own keeps it")
    func query() async throws {
        let provider = TestProvider()
        provider.publish("authorization_endpoint", .string("https://id.example.com/authorize?p=B2C"))
        let server = try await TestServer.start(providers: provider.http)
        try await server.add(provider, label: "Example")
        let browser = TestBrowser(server)
        let departed = try await browser.leave(browser.open(try await server.bearerClient().request()).page())
        #expect(departed.query["p"] == "B2C")
        #expect(departed.query["response_type"] == "code")
    }

    @Test("attack: a form of the account's page, or one without a guest, makes no account; nor one of another browser")
    func accountForms() async throws {
        let pages = try await ProviderPages.setUp()
        let plain = try await pages.browser.open(pages.client.request()).page()
        #expect(try await pages.browser.submit(plain, .createAccount(username: "ada")).fault == .stalePage)
        let offered = try await pages.browser.signIn(pages.client.request(), at: pages.provider).page()
        #expect(try await pages.another.browser.submit(offered, .createAccount(username: "ada")).fault == .stalePage)
        #expect(try await pages.browser.press(.createAccount(username: "ada"), on: offered).fault == .stalePage)
        let accounts = try await pages.server.rows(of: "accounts")
        #expect(accounts == 0)
    }

    @Test("attack: answers that decline fill no table, however many come")
    func declines() async throws {
        let pages = try await ProviderPages.setUp()
        let departed = try await pages.leave()
        let before = try await pages.server.rows(of: "seen_jtis")
        for error in ["access_denied", "user_cancelled_authorize", "server_error"] {
            for _ in 0..<10 {
                let page = try await pages.browser.arrive(departed.state, .error(error)).page()
                #expect(page.notice != .providerAnswerUsed)
            }
        }
        let rows = try await pages.server.rows(of: "seen_jtis")
        #expect(rows == before)
        // The row of the address, which reserves and refunds each of them.
        let counters = try await pages.server.rows(of: "attempts")
        #expect(counters == 1)
    }

    @Test("attack: an offer of an account that was open since before opens no account whose sign-ins ended")
    func outdatedOffer() async throws {
        let pages = try await ProviderPages.setUp()
        let offered = try await pages.browser.signIn(pages.client.request(), at: pages.provider).page()
        try await pages.another.makeAccount()
        let account = try #require(
            try await pages.server.context.database.read {
                try Accounts.find(named: "ada", brand: "default", on: $0)
            })
        // The consent at the provider ended, the account was recovered, or an operator ended everything.
        try await pages.server.context.database.write {
            try Accounts.raiseSecurityVersionKeepingSessions(of: account.id, on: $0)
        }
        let refused = try await pages.browser.submit(offered, .createAccount(username: "ada")).page()
        #expect(refused.notice == .providerAnswerUsed)
        #expect(pages.browser.cookies.session == nil)
        // A new sign-in at the provider goes on.
        let again = pages.another
        _ = try await again.arrive(again.leave()).code()
    }

    @Test("attack: an identity that a restore brought back changes nothing on the account's page while it is new")
    func restored() async throws {
        let pages = try await ProviderPages.setUp()
        try await pages.makeAccount()
        let until = pages.server.clock.now() + .hours(24)
        try await pages.server.context.database.write {
            _ = try $0.execute("UPDATE federated_identities SET cooling_until = $1", [.time(until)])
        }
        let account = try await pages.browser.openAccount().accountPage()
        let asked = try await pages.browser.press(.setUpAuthenticator, on: account).page()
        let departed = try Departed(
            try await pages.browser.press(.useProvider(ProviderID("example")), on: asked))
        let now = pages.server.clock.now()
        let refused = try await pages.arrive(departed) { $0.signIn(at: now) }.accountPage()
        guard case .onlyRestoredIdentity(let end) = refused.notice else {
            Issue.record("\(String(describing: refused.notice))")
            return
        }
        #expect(now < end && end <= until)
        #expect(refused.overview?.hasAuthenticator == false)
    }
}
