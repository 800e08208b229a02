import FlowSupport
import Kernel
import Testing
import WalletAuthWire

@testable import Operations
@testable import SignIn

@Suite("The second factor on the hosted page")
struct HostedSecondFactorTests {
    private func setUp(phone: String? = nil) async throws -> (server: TestServer, client: TestClient) {
        let server = try await TestServer.start()
        _ = try await server.reachableAccount(phone: phone)
        return (server, try await server.bearerClient())
    }

    private func factor(of page: SignInPage) throws -> SignInPage.Factor {
        guard case .secondFactor(let factor) = page.step else {
            throw NativeSignInOutcome.Unexpected(what: "\(page.step)")
        }
        return factor
    }

    private func answer(_ text: String) throws -> SignInPage.Action { .answerFactor(try Password(text)) }

    /// Signs in with password and code.
    private func signIn(
        _ browser: TestBrowser, _ client: TestClient, password: String = "correct horse battery"
    ) async throws -> AuthorizationAnswer.Outcome {
        let page = try await browser.signIn(client.request(), password: password).page()
        _ = try factor(of: page)
        return try await browser.submit(page, answer(try await client.server.sentCode()))
    }

    @Test("A stolen password alone opens nothing: a browser that is not known is asked for a code")
    func asked() async throws {
        let (server, client) = try await setUp()
        let browser = TestBrowser(server)
        let page = try await browser.signIn(client.request()).page()
        let asked = try factor(of: page)
        #expect(asked.kind == .email)
        #expect(asked.destination == "a…@example.com")
        #expect(asked.canResend)
        #expect(browser.cookies.session == nil)
        let code = try await browser.submit(page, answer(try await server.sentCode())).code()
        let claims = try await server.claims(of: client.redeem(code).tokens())
        #expect(claims.acr == AuthenticationStrength.twoFactors)
        #expect(claims.amr == ["pwd", "otp"])
    }

    @Test("A browser that completed a second factor is linked, until the password changes")
    func linked() async throws {
        let (server, client) = try await setUp()
        let browser = TestBrowser(server)
        _ = try await signIn(browser, client).code()
        browser.cookies.session = nil
        _ = try await browser.signIn(client.request()).code()
        #expect(try await server.codesSent() == 1)
        // The cookie is this browser's: another one is asked.
        _ = try factor(of: try await TestBrowser(server).signIn(client.request()).page())

        server.clock.advance(by: .seconds(1))
        try await server.administer(
            AdminRequest(["account", "set-password", "ada"], input: "another phrase 8"))
        browser.cookies.session = nil
        _ = try factor(of: try await browser.signIn(client.request(), password: "another phrase 8").page())
    }

    @Test("A DPoP key that a page's request names links nothing: anybody can name one")
    func namedKey() async throws {
        let (server, client) = try await setUp()
        let app = TestApp(client: client)
        _ = try await app.redeem(app.signInWithCode().code()).tokens()
        _ = try await app.signIn().code()
        let request = try client.request { $0["dpop_jkt"] = app.key.thumbprint.rawValue }
        _ = try factor(of: try await TestBrowser(server).signIn(request).page())
    }

    @Test("A wrong answer asks again and sends nothing; the fifth ends the sign-in, and a new one brings no new tries")
    func wrong() async throws {
        let (server, client) = try await setUp()
        let browser = TestBrowser(server)
        var page = try await browser.signIn(client.request()).page()
        let wrong = try await server.wrongCode()
        for number in 1..<OpenFactors.mostTries {
            server.clock.advance(by: .seconds(40))
            page = try await browser.submit(page, answer(wrong)).page()
            #expect(page.notice == .wrongAnswer)
            #expect(try factor(of: page).remainingTries == OpenFactors.mostTries - number)
        }
        page = try await browser.submit(page, answer(wrong)).page()
        #expect(page.notice == .factorHeld(retryAfter: 60))
        #expect(page.step == .credentials(username: nil))
        #expect(try await server.codesSent() == 1)
        let next = try await browser.signIn(client.request()).page()
        #expect(next.notice == .tooManyAttempts(retryAfter: 60))
    }

    @Test("A page of the second step that is sent again after it was answered opens nothing (replay)")
    func replay() async throws {
        let (server, client) = try await setUp()
        let browser = TestBrowser(server)
        let page = try await browser.signIn(client.request()).page()
        let code = try await server.sentCode()
        _ = try await browser.submit(page, answer(code)).code()
        let replayed = try await browser.submit(page, answer(code))
        // The browser's binding is new after a sign-in, so the old form is not even its own: the request begins again.
        #expect(replayed.restart != nil)
    }

    @Test("Text that cannot be an answer is asked for again, costs no try, and leaves the code valid")
    func impossible() async throws {
        let (server, client) = try await setUp()
        let browser = TestBrowser(server)
        var page = try await browser.signIn(client.request()).page()
        for _ in 0..<6 {
            page = try await browser.submit(page, .answerFactor(nil)).page()
            #expect(page.notice == .wrongAnswer)
            #expect(try factor(of: page).remainingTries == OpenFactors.mostTries)
        }
        let code = try await server.sentCode()
        _ = try await browser.submit(page, answer("\(code.prefix(3)) \u{2013} \(code.dropFirst(3))")).code()
    }

    @Test("The code is sent again when asked for, not before its time; another factor can be chosen")
    func others() async throws {
        let (server, client) = try await setUp(phone: "+359888123456")
        let browser = TestBrowser(server)
        var page = try await browser.signIn(client.request()).page()
        #expect(try factor(of: page).alternatives == [.sms])
        server.clock.advance(by: .seconds(1))
        page = try await browser.submit(page, .resendFactor).page()
        guard case .codeSentRecently = page.notice else {
            Issue.record("sent at once: \(String(describing: page.notice))")
            return
        }
        server.clock.advance(by: .seconds(31))
        page = try await browser.submit(page, .resendFactor).page()
        #expect(page.notice == .codeSent)
        server.clock.advance(by: .seconds(1))
        page = try await browser.submit(page, .chooseFactor(.sms)).page()
        #expect(try factor(of: page).kind == .sms)
        #expect(try await browser.submit(page, .chooseFactor(.totp)).fault == .stalePage)
        _ = try await browser.submit(page, answer(try await server.sentCode())).code()
    }

    @Test("An expired password is replaced after the second factor only")
    func beforePassword() async throws {
        let (server, client) = try await setUp()
        try await server.administer(["account", "expire-password", "ada"])
        let browser = TestBrowser(server)
        let page = try await browser.signIn(client.request()).page()
        let early = try await browser.submit(page, .setPassword(Password("a fresh phrase 7"))).page()
        #expect(early.step == .credentials(username: nil))
        let next = try await browser.submit(page, answer(try await server.sentCode())).page()
        #expect(next.step == .newPassword)
        _ = try await browser.submit(next, .setPassword(Password("a fresh phrase 7"))).code()
    }

    @Test("attack: the code that confirms an address is no answer to the second factor, nor is it sent for one")
    func confirmationCodeIsNoFactor() async throws {
        let server = try await TestServer.start()
        let id = try await server.account {
            $0.email = "ada@example.com"
            $0.phone = "+359888123456"
        }
        let client = try await server.bearerClient()
        let browser = TestBrowser(server)
        let page = try await browser.signIn(client.request()).page()
        #expect(try factor(of: page).kind == .sms)
        #expect(try await browser.submit(page, .resendEmailCode).fault == .stalePage)
        let record = try #require(try await server.record(of: id))
        _ = try await EmailCodes(
            database: server.context.database, keyRing: server.context.keyRing,
            vault: AccountVault(server.context.sealing), auditLog: server.context.auditLog, limits: .production
        ).send(to: record, now: server.clock.now())
        let message = try #require(try await server.messages().first { $0.kind == "email_code" })
        let code = try EmailCode(message.content.string("code") ?? "")
        #expect(try await browser.submit(page, .checkEmailCode(code)).fault == .stalePage)
        #expect(try await server.record(of: id)?.emailState == .unverified)
    }

    @Test("A request for two factors is answered by them where the account has them, and refused where it has not")
    func acrValues() async throws {
        let (server, client) = try await setUp()
        let browser = TestBrowser(server)
        try await server.administer(["brand", "update", "default", "--new-device", "allow"])
        _ = try await browser.signIn(client.request()).code()
        let request = try client.request {
            $0["acr_values"] = "\(AuthenticationStrength.twoFactors) urn:example:unknown"
        }
        // The browser is signed in by one factor: silence would not do.
        let page = try await browser.open(request).page()
        _ = try factor(of: page)
        let code = try await browser.submit(page, answer(try await server.sentCode())).code()
        let strong = try await server.claims(of: client.redeem(code).tokens())
        #expect(strong.acr == AuthenticationStrength.twoFactors)

        _ = try await server.account("grace")
        let weak = TestBrowser(server)
        let refused = try await weak.signIn(request, "grace").redirect()
        #expect(refused["error"] == "unmet_authentication_requirements")
        #expect(refused["code"] == nil)
        #expect(weak.cookies.session == nil)
    }

    @Test("A request with prompt=none in a signed-in browser that is not linked gets interaction_required")
    func silent() async throws {
        let (server, client) = try await setUp()
        let browser = TestBrowser(server)
        _ = try await signIn(browser, client).code()
        _ = try await browser.open(client.request { $0["prompt"] = "none" }).code()
        try await server.administer(["brand", "update", "default", "--new-device", "allow"])
        let plain = TestBrowser(server)
        _ = try await plain.signIn(client.request()).code()
        try await server.administer(["brand", "update", "default", "--new-device", "second_factor"])
        let refused = try await plain.open(client.request { $0["prompt"] = "none" }).redirect()
        #expect(refused["error"] == "interaction_required")
        _ = try factor(of: try await plain.open(client.request()).page())
    }
}
