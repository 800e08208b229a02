import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import Tokens

@Suite("Attacks on the consent to relying apps")
struct ClientConsentAttackTests {
    private static let ada = AccountReference.username("ada", brand: nil)

    private func withdraw(_ client: String = "aurora", at server: TestServer) async throws {
        try await server.administer(
            AdminRequest(["account", "consents"] + Self.ada.words + ["--withdraw", client]))
    }

    @Test("attack: a code from before a withdrawal opens nothing, even after a new consent", .threat("Relying apps"))
    func codeOfBefore() async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        let (app, browser) = (try await server.relyingApp(), TestBrowser(server))
        let early = try await browser.signInAndAllow(app.request())
        try await withdraw(at: server)
        let page = try await browser.open(app.request()).page()
        let late = try await browser.submit(page, .allow).code()
        #expect(try await app.redeem(early).refusal == .invalidGrant)
        _ = try await app.redeem(late).tokens()
        #expect(try await server.rows(of: "sessions") == 1)
    }

    @Test("attack: a withdrawal and a redemption at the same moment leave no session")
    func race() async throws {
        let server = try await TestServer.start()
        let account = try await server.account()
        let app = try await server.relyingApp()
        for _ in 0..<24 {
            server.clock.advance(by: .seconds(1))
            let code = try await app.code(for: account)
            async let redeemed = app.redeemWithoutURI(code)
            async let withdrawn: Void = withdraw(at: server)
            let (outcome, _) = try await (redeemed, withdrawn)
            let living = try await server.rows(of: "sessions WHERE revoked_at IS NULL")
            #expect(living == 0)
            if case .success(let tokens) = outcome {
                let refused = try await app.refresh(try #require(tokens.refreshToken)).refusal
                #expect(refused == .invalidGrant)
            }
        }
    }

    @Test("attack: a withdrawal that comes between the look and the write of a redemption wins")
    func between() async throws {
        let server = try await TestServer.start()
        let account = try await server.account()
        let app = try await server.relyingApp()
        let code = try await app.code(for: account)
        server.beforeNextWrite { try await withdraw(at: server) }
        #expect(try await app.redeemWithoutURI(code).refusal == .invalidGrant)
        #expect(try await server.rows(of: "sessions") == 0)
    }

    /// The key of a session that a withdrawal ended, also if it began after the withdrawal's arrival, or by the clock of a server
    /// that is ahead: no session ended before it began, and the account does not trust the key.
    private func expectDistrusted(_ key: TestKey, of account: AccountID, at server: TestServer) async throws {
        #expect(try await server.rows(of: "sessions WHERE revoked_reason = 'consent_withdrawn'") > 0)
        #expect(try await server.rows(of: "sessions WHERE revoked_at < created_at") == 0)
        let (id, thumbprint) = (try #require(UniqueID(bytes: account.bytes)), key.thumbprint.bytes)
        let (isKnown, isLinked) = try await server.context.database.read { connection in
            (
                try Sessions.knows(thumbprint, by: "aurora", of: id, on: connection),
                try Sessions.links(thumbprint, by: "aurora", to: id, on: connection)
            )
        }
        #expect(!isKnown)
        #expect(!isLinked)
    }

    /// Signs in at an app, and out again if need be.
    private func signIn(_ app: TestClient, _ account: AccountID, _ key: TestKey, signsOut: Bool) async throws {
        let tokens = try await app.signIn(account, proof: key, methods: ["pwd", "otp"])
        guard signsOut else { return }
        let token = try #require(tokens.refreshToken).reveal()
        let request = TokenStateRequest(client: app.authentication, token: try PresentedToken(token))
        _ = try await app.server.flows.tokens.revocation.revoke(request, proof: .none, origin: TestServer.origin)
        #expect(try await app.server.rows(of: "sessions WHERE revoked_reason = 'signed_out'") == 1)
    }

    @Test(
        "attack: a key that signs in at the app while the withdrawal waits for its write is neither linked nor known",
        arguments: [true, false])
    func keyMeanwhile(byHolder: Bool) async throws {
        let server = try await TestServer.start()
        let account = try await server.account()
        let (app, browser, key) = (try await server.relyingApp(), TestBrowser(server), TestKey())
        let meanwhile: @Sendable () async throws -> Void = {
            server.clock.advance(by: .milliseconds(1))
            try await signIn(app, account, key, signsOut: false)
            try await signIn(app, account, key, signsOut: true)
            server.clock.advance(by: .milliseconds(1))
        }
        if byHolder {
            let overview = try await browser.typePassword(on: browser.openAccount().page()).accountPage()
            let apps = try await browser.press(.manageClientConsents, on: overview).accountPage()
            server.beforeNextWrite(meanwhile)
            let done = try await browser.press(.withdrawConsent(client: "aurora"), on: apps).accountPage()
            #expect(done.notice == .accessRemoved)
        } else {
            server.beforeNextWrite(meanwhile)
            try await withdraw(at: server)
        }
        let writtenAt = server.clock.now().milliseconds
        #expect(try await server.rows(of: "sessions WHERE revoked_at = \(writtenAt)") == 1)
        try await expectDistrusted(key, of: account, at: server)
    }

    @Test(
        "attack: a key that signed in and out at a server whose clock is ahead is neither linked nor known after a withdrawal",
        arguments: Deployment.allCases)
    func clockAhead(deployment: Deployment) async throws {
        try await deployment.run { here, there in
            let account = try await here.account()
            let (app, key) = (try await here.relyingApp(), TestKey())
            // The other server's clock is a second ahead.
            here.clock.advance(by: .seconds(1))
            try await signIn(app.at(there), account, key, signsOut: true)
            here.clock.advance(by: .seconds(-1))
            try await signIn(app, account, key, signsOut: false)
            try await withdraw(at: here)
            try await expectDistrusted(key, of: account, at: here)
        }
    }

    @Test("attack: a form sent again after a withdrawal allows nothing", arguments: [true, false])
    func replayedForm(signedInBefore: Bool) async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        let (app, browser) = (try await server.relyingApp(), TestBrowser(server))
        if signedInBefore { _ = try await browser.signIn(server.publicClient().request()).code() }
        let page =
            signedInBefore
            ? try await browser.open(app.request()).page() : try await browser.signIn(app.request()).page()
        _ = try await browser.submit(page, .allow).code()
        try await withdraw(at: server)
        #expect(try await browser.submit(page, .allow).restart != nil)
        #expect(try await server.consents() == [])
    }

    @Test("attack: the form of one app allows no other anything, and no other browser")
    func swapped() async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        let (app, other, browser) = (
            try await server.relyingApp(), try await server.relyingApp("borealis"), TestBrowser(server)
        )
        _ = try await browser.signIn(server.publicClient().request()).code()
        let mine = try await browser.open(app.request()).page()
        let theirs = try await browser.open(other.request()).page()
        var forged = mine
        forged.request = theirs.request
        #expect(try await browser.submit(forged, .allow).fault == .stalePage)
        let thief = TestBrowser(server)
        _ = try await thief.open(app.request())
        #expect(try await thief.submit(mine, .allow).restart != nil)
        #expect(try await server.consents() == [])
    }

    @Test("attack: no other page's form allows anything: not the sign-in, not a second factor, not the confirmation")
    func otherPages() async throws {
        let server = try await TestServer.start()
        _ = try await server.reachableAccount()
        let (app, browser) = (try await server.relyingApp(), TestBrowser(server))
        let signIn = try await browser.open(app.request()).page()
        #expect(try await browser.submit(signIn, .allow).fault == .stalePage)
        let factor = try await browser.signIn(app.request()).page()
        #expect(try await browser.submit(factor, .allow).fault == .stalePage)
        // Nor is the consent page one on which a password is set.
        let consent = try await browser.submit(factor, .answerFactor(Password(server.sentCode()))).page()
        #expect(consent.consent != nil)
        let password = SignInPage.Action.setPassword(try Password("another phrase 8"))
        #expect(try await browser.submit(consent, password).page().step == .credentials(username: nil))
        #expect(try await server.consents() == [])
    }

    @Test("attack: a page drawn for one person allows nothing in the name of the next one at the browser")
    func nextPerson() async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        _ = try await server.account("grace")
        let (app, browser) = (try await server.relyingApp(), TestBrowser(server))
        let own = try await server.publicClient()
        _ = try await browser.signIn(own.request()).code()
        let page = try await browser.open(app.request()).page()
        let binding = browser.cookies.binding
        _ = try await browser.signIn(own.request { $0["prompt"] = "login" }, "grace").code()
        browser.cookies.binding = binding
        #expect(try await browser.submit(page, .allow).page().step == .credentials(username: nil))
        // Nor once the browser is signed out.
        browser.cookies.session = nil
        #expect(try await browser.submit(page, .allow).page().step == .credentials(username: nil))
        #expect(try await server.consents() == [])
    }

    @Test("attack: a page allows nothing once the account changed")
    func changedAccount() async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        let (app, browser) = (try await server.relyingApp(), TestBrowser(server))
        let page = try await browser.signIn(app.request()).page()
        try await server.administer(
            AdminRequest(["account", "set-password"] + Self.ada.words, input: "another phrase 8"))
        #expect(try await browser.submit(page, .allow).page().consent == nil)
        let second = try await browser.submit(
            browser.open(app.request()).page(), .signIn(username: "ada", password: Password("another phrase 8"))
        ).page()
        // In the moment before the write as well.
        server.beforeNextWrite {
            try await server.administer(
                AdminRequest(["account", "set-password"] + Self.ada.words, input: "a third phrase 9"))
        }
        #expect(try await browser.submit(second, .allow).page().consent == nil)
        #expect(try await server.consents() == [])
    }

    @Test(
        "attack: allowing what a page asks for does not give back what was withdrawn in the meantime",
        .threat("Relying apps"))
    func withdrawnMeanwhile() async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        let (app, browser) = (try await server.relyingApp(), TestBrowser(server))
        _ = try await browser.signInAndAllow(app.request { $0["scope"] = "openid email" })
        let more = try app.request { $0["scope"] = "openid email phone" }
        let page = try await browser.open(more).page()
        #expect(page.consent?.new == ["phone"])
        try await withdraw(at: server)
        let again = try await browser.submit(page, .allow).page()
        #expect(again.consent?.new == ["openid", "email", "phone"])
        #expect(try await server.consents() == [])
        // In the moment before the write as well.
        _ = try await browser.submit(again, .allow).code()
        let wider = try app.request { $0["scope"] = "openid profile" }
        let last = try await browser.open(wider).page()
        // The first write counts that the browser goes on without a credential.
        server.beforeNextWrite { server.beforeNextWrite { try await withdraw(at: server) } }
        let asked = try await browser.submit(last, .allow).page()
        #expect(asked.consent?.new == ["openid", "profile"])
        #expect(try await server.consents() == [])
    }

    @Test("attack: a page from before a consent, left open until after its withdrawal, gives it back")
    func pageFromBefore() async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        let (app, browser) = (try await server.relyingApp(), TestBrowser(server))
        let wide = try app.request { $0["scope"] = "openid email" }
        _ = try await browser.signInAndAllow(app.request { $0["scope"] = "openid" })
        let old = try await browser.open(wide).page()
        try await withdraw(at: server)
        _ = try await TestBrowser(server).signInAndAllow(wide)
        try await withdraw(at: server)
        let again = try await browser.submit(old, .allow).page()
        #expect(again.consent?.new == ["openid", "email"])
        #expect(try await server.consents() == [])
    }

    @Test("attack: after Cancel, the next person at the browser goes back to the page and presses Allow")
    func allowAfterCancel() async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        let (app, browser) = (try await server.relyingApp(), TestBrowser(server))
        let page = try await browser.signIn(app.request()).page()
        #expect(page.consent != nil)
        let outcome = try await browser.submit(page, .cancel)
        guard case .redirect = outcome else {
            Issue.record("Cancel leads back to no app: \(String(describing: outcome))")
            return
        }
        let found = try await browser.follow(browser.submit(page, .allow)).page()
        #expect(found.step == .credentials(username: nil))
        #expect(try await server.consents() == [])
    }

    @Test("attack: a session from before consents were kept outlives its withdrawal by the operator")
    func sessionWithoutConsent() async throws {
        let server = try await TestServer.start()
        let account = try await server.account()
        let app = try await server.relyingApp()
        let kept = try await app.signIn(account)
        _ = try await server.context.database.write { try $0.execute("DELETE FROM client_consents", []) }
        try await withdraw(at: server)
        #expect(try await app.refresh(try #require(kept.refreshToken)).refusal == .invalidGrant)
    }

    @Test("attack: a restored copy brings no withdrawn consent back")
    func restored() async throws {
        let server = try await TestServer.start()
        let account = try await server.account()
        let app = try await server.relyingApp()
        try await app.allow("openid wallet", by: account)
        try await server.administer(["database", "backup", "--to", server.path("copy.db")])
        try await withdraw(at: server)
        let restored = try await server.restarted(epoch: 1, from: server.path("copy.db"))
        #expect(try await restored.consents() == [])
    }

    @Test("attack: a code for a third-party client that names no consent opens nothing")
    func codeWithoutConsent() async throws {
        let server = try await TestServer.start()
        let account = try await server.account()
        let app = try await server.relyingApp()
        let bare = try server.sealedCode(for: app.grant(for: account))
        #expect(try await app.redeemWithoutURI(bare).refusal == .invalidGrant)
        // Nor does one that names a consent to less, or another account's.
        var wide = try app.grant(for: account, scope: "openid wallet")
        wide.consent = try await app.allow("openid", by: account)
        let code = try server.sealedCode(for: wide)
        #expect(try await app.redeemWithoutURI(code).refusal == .invalidGrant)
        var foreign = try app.grant(for: try await server.account("grace"), scope: "openid")
        foreign.consent = wide.consent
        let stolen = try server.sealedCode(for: foreign)
        #expect(try await app.redeemWithoutURI(stolen).refusal == .invalidGrant)
    }

    @Test("attack: a backend that redeems for a relying app keeps no session after the withdrawal")
    func redeemer() async throws {
        let server = try await TestServer.start()
        let account = try await server.account()
        let backend = try await server.confidentialClient()
        let app = try await server.relyingApp { $0.redeemer = "backend" }
        let own = try await server.bearerClient()
        let kept = try await own.signIn(account)
        let code = try await app.code(for: account, scope: "openid wallet")
        let tokens = try await backend.token(
            .authorizationCode(code, redirectURI: nil, verifier: TestClient.verifier)
        ).tokens()
        let refresh = try #require(tokens.refreshToken)
        try await withdraw(at: server)
        #expect(try await backend.refresh(refresh).refusal == .invalidGrant)
        // What is no session of that app goes on.
        _ = try await own.refresh(try #require(kept.refreshToken)).tokens()
    }
}

extension TestClient {
    /// Redeems a code that these tests made, which no redirect carried.
    func redeemWithoutURI(_ code: AuthorizationCode) async throws -> TokenOutcome {
        try await token(.authorizationCode(code, redirectURI: nil, verifier: TestClient.verifier))
    }
}
