import FlowSupport
import Store
import TestSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite(
    "An ID token as a hint at the person who has to sign in", .threat("A session that is too weak or too old"),
    .covers("id_token_hint"))
struct IDTokenHintTests {
    /// An ID token of an account, as a client keeps it.
    private func hint(of account: AccountID, at client: TestClient) async throws -> String {
        try #require(try await client.signIn(account).idToken).reveal()
    }

    /// Expects the app's error, and a browser that no one is signed in with.
    private func expectRefusal(
        _ outcome: AuthorizationAnswer.Outcome, in browser: TestBrowser,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let redirect = try outcome.redirect()
        #expect(redirect["error"] == "login_required", sourceLocation: sourceLocation)
        #expect(redirect["code"] == nil, sourceLocation: sourceLocation)
        #expect(redirect["state"] == "s-1", sourceLocation: sourceLocation)
        #expect(browser.cookies.session == nil, sourceLocation: sourceLocation)
        #expect(browser.cookies.device == nil, sourceLocation: sourceLocation)
    }

    @Test(
        "attack: another person's password satisfies no id_token_hint: the app gets login_required, the browser no cookie",
        arguments: [("prompt", "login"), ("prompt", "select_account"), ("max_age", "0"), ("ui_locales", "en")])
    func password(name: String, value: String) async throws {
        let server = try await TestServer.start()
        let ada = try await server.account()
        _ = try await server.account("grace")
        let client = try await server.bearerClient()
        let hint = try await hint(of: ada, at: client)
        let request = try client.request {
            $0["id_token_hint"] = hint
            $0[name] = value
        }
        let browser = TestBrowser(server)
        try expectRefusal(try await browser.signIn(request, "grace"), in: browser)
        let sessions = try await server.rows(of: "browser_sessions")
        #expect(sessions == 0)
        let events = try await server.context.database.read {
            try $0.query("SELECT kind FROM security_events WHERE kind = 'account.signed_in'", []).count
        }
        #expect(events == 0)
        // The expected person still can, on the same page as ever.
        let code = try await browser.signIn(request).code()
        #expect(try await server.claims(of: client.redeem(code).tokens()).subject == ada.rawValue)
    }

    @Test("attack: a browser of another person gets no code as that person, and stays signed in as them")
    func otherSession() async throws {
        let server = try await TestServer.start()
        let ada = try await server.account()
        _ = try await server.account("grace")
        let client = try await server.bearerClient()
        let hint = try await hint(of: ada, at: client)
        let browser = TestBrowser(server)
        _ = try await browser.signIn(client.request(), "grace").code()
        let cookies = browser.cookies
        let silent = try client.request {
            $0["id_token_hint"] = hint
            $0["prompt"] = "none"
        }
        #expect(try await browser.open(silent).redirect()["error"] == "login_required")
        let request = try client.request { $0["id_token_hint"] = hint }
        // The page does not say whom the app expects.
        let page = try await browser.open(request).page()
        #expect(page.step == .credentials(username: nil))
        let refused = try await browser.signIn(request, "grace").redirect()
        #expect(refused["error"] == "login_required")
        #expect(refused["code"] == nil)
        #expect(browser.cookies.session == cookies.session)
        #expect(browser.cookies.device == cookies.device)
        _ = try await browser.open(client.request { $0["prompt"] = "none" }).code()
    }

    @Test("attack: another person's sign-in ends before a second factor, a new password or a consent is asked for")
    func nothingAsked() async throws {
        let server = try await TestServer.start()
        let ada = try await server.account()
        _ = try await server.reachableAccount("grace")
        _ = try await server.account("eve")
        try await server.administer(["account", "expire-password", "eve"])
        _ = try await server.account("mallory")
        let (client, app) = (try await server.bearerClient(), try await server.relyingApp())
        let hint = try await hint(of: ada, at: client)
        for name in ["grace", "eve", "mallory"] {
            let browser = TestBrowser(server)
            try expectRefusal(
                try await browser.signIn(app.request { $0["id_token_hint"] = hint }, name), in: browser)
        }
        #expect(try await server.codesSent() == 0)
        #expect(try await server.consents().isEmpty)
    }

    @Test("attack: another person's account PIN satisfies no id_token_hint")
    func accountPIN() async throws {
        let (server, client, _) = try await TestServer.withPIN()
        let grace = try await server.account("grace")
        let hint = try await hint(of: grace, at: client)
        let browser = TestBrowser(server)
        let outcome = try await browser.signIn(
            client.requestByPIN { $0["id_token_hint"] = hint }, byPIN: TestServer.pin)
        try expectRefusal(outcome, in: browser)
    }

    @Test("attack: another person's passkey satisfies no id_token_hint")
    func passkey() async throws {
        let server = try await TestServer.start()
        let passkey = try await server.settledPasskey()
        let grace = try await server.account("grace")
        let client = try await server.bearerClient()
        let hint = try await hint(of: grace, at: client)
        let browser = TestBrowser(server)
        let page = try await browser.open(client.request { $0["id_token_hint"] = hint }).page()
        let options = try #require(page.passkey)
        let outcome = try await browser.submit(page, .usePasskey(passkey.use(options.challenge, on: .own)))
        try expectRefusal(outcome, in: browser)
    }

    @Test("attack: another person's recovery satisfies no id_token_hint, and sets no password")
    func recovery() async throws {
        let server = try await TestServer.start()
        _ = try await server.reachableAccount()
        let grace = try await server.account("grace")
        let client = try await server.bearerClient()
        let hint = try await hint(of: grace, at: client)
        let browser = TestBrowser(server)
        var page = try await browser.open(client.request { $0["id_token_hint"] = hint }).page()
        page = try await browser.submit(page, .recover(username: "ada")).page()
        let code = try OneTimeCode(try await server.recoveryCode())
        try expectRefusal(try await browser.submit(page, .checkRecoveryCode(code)), in: browser)
        // The old password is still the one: a second factor follows it.
        let asked = try await TestBrowser(server).signIn(client.request()).page()
        guard case .secondFactor = asked.step else {
            Issue.record("the password was changed: \(asked.step)")
            return
        }
    }

    @Test("A hint that cannot be verified names no one: no silent sign-in, and the page signs in as usual")
    func unverifiable() async throws {
        let server = try await TestServer.start()
        let ada = try await server.account()
        let grace = try await server.account("grace")
        let client = try await server.bearerClient()
        let hint = try await hint(of: ada, at: client)
        var parts = hint.split(separator: ".").map(String.init)
        parts[1] = Base64URL.encode(Array("{\"iss\":\"https://auth.example.com\",\"sub\":\"\(grace.rawValue)\"}".utf8))
        let browser = TestBrowser(server)
        _ = try await browser.signIn(client.request(), "grace").code()
        let forged = parts.joined(separator: ".")
        let silent = try await browser.open(
            client.request {
                $0["id_token_hint"] = forged
                $0["prompt"] = "none"
            })
        #expect(try silent.redirect()["error"] == "login_required")
        _ = try await browser.signIn(client.request { $0["id_token_hint"] = forged }, "grace").code()
    }
}
