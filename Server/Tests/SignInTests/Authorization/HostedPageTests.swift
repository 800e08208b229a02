import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite(
    "The hosted page", .threat("CSRF, a stolen page", "Silent sign-in to a local listener"), .covers("id_token_hint"))
struct HostedPageTests {
    @Test(
        "A person signs in, the app gets a code with state and iss, and redeems it for tokens with an ID token",
        .conformance("oidcc-server"))
    func signsIn() async throws {
        let server = try await TestServer.start()
        let account = try await server.account()
        let client = try await server.bearerClient()
        let redirect = try await TestBrowser(server).signIn(client.request()).redirect()
        #expect(redirect["state"] == "s-1")
        #expect(redirect["iss"] == "https://auth.example.com")
        let tokens = try await client.redeem(AuthorizationCode(redirect["code"] ?? "")).tokens()
        let idToken = try CompactJWS(try #require(tokens.idToken).reveal())
        #expect(idToken.header.algorithm == .rs256)
        let claims = try IDTokenClaims(JSONValue.object(parsing: idToken.unverifiedPayload))
        #expect(claims.subject == account.rawValue)
        #expect(claims.nonce?.rawValue == "n-1")
        #expect(claims.accessTokenHash == IDTokenClaims.hash(of: tokens.accessToken))
    }

    @Test("A wrong password, an unknown name and a name that cannot be one show the same page")
    func enumeration() async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        let client = try await server.bearerClient()
        for name in ["ada", "nobody", "no\u{202E}body"] {
            let page = try await TestBrowser(server).signIn(client.request(), name, password: "a wrong one").page()
            #expect(page.notice == .invalidCredentials)
            #expect(page.step == .credentials(username: name))
        }
    }

    @Test("A form is taken from the browser that was served it, and from no other: CSRF and a stolen page fail")
    func csrf() async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        let client = try await server.bearerClient()
        let victim = TestBrowser(server)
        let attacker = TestBrowser(server)
        let theirs = try await attacker.open(client.request()).page()
        let own = try await victim.open(client.request()).page()
        let action = SignInPage.Action.signIn(username: "ada", password: try Password("correct horse battery"))
        // The attacker's page, posted by the victim's browser, would sign the victim in to the attacker's request. It does no more than
        // a link to the request.
        #expect(try await victim.submit(theirs, action).restart != nil)
        var forged = own
        forged.csrf = theirs.csrf
        #expect(try await victim.submit(forged, action).fault == .stalePage)
        forged = own
        forged.request = theirs.request
        #expect(try await victim.submit(forged, action).fault == .stalePage)
        #expect(victim.cookies.session == nil)
        forged = own
        forged.csrf = ""
        #expect(try await victim.submit(forged, action).fault == .stalePage)
        #expect(try await TestBrowser(server).submit(own, action).fault == .stalePage)
        _ = try await victim.submit(own, action).code()
    }

    @Test("A page is over after an hour")
    func stale() async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        let client = try await server.bearerClient()
        let (browser, other) = (TestBrowser(server), TestBrowser(server))
        let page = try await browser.open(client.request()).page()
        let left = try await other.open(client.request()).page()
        let action = SignInPage.Action.signIn(username: "ada", password: try Password("correct horse battery"))
        server.clock.advance(by: .hours(1) - .seconds(1))
        _ = try await browser.submit(page, action).code()
        server.clock.advance(by: .seconds(1))
        #expect(try await other.submit(left, action).fault == .stalePage)
    }

    @Test("Cookies that a stranger planted before the sign-in are worth nothing after it: session fixation fails")
    func fixation() async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        let client = try await server.bearerClient()
        let planted = Base64URL.encode([UInt8](repeating: 5, count: 32))
        let victim = TestBrowser(server)
        victim.cookies = BrowserCookies(binding: planted, session: planted)
        _ = try await victim.signIn(client.request()).code()
        #expect(victim.cookies.session != planted)
        #expect(victim.cookies.binding != planted)
        let attacker = TestBrowser(server)
        attacker.cookies = BrowserCookies(binding: planted, session: planted)
        #expect(
            try await attacker.open(client.request { $0["prompt"] = "none" }).redirect()["error"] == "login_required")
    }

    @Test(
        "A signed-in browser goes on silently to a claimed https app, with the time of its sign-in",
        .conformance("oidcc-prompt-none-logged-in"))
    func silent() async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        let client = try await server.bearerClient()
        let browser = TestBrowser(server)
        _ = try await browser.signIn(client.request()).code()
        let signedInAt = server.clock.now()
        server.clock.advance(by: .hours(1))
        let code = try await browser.open(client.request { $0["prompt"] = "none" }).code()
        let tokens = try await client.redeem(code).tokens()
        let claims = try JWTClaims(parsing: CompactJWS(try #require(tokens.idToken).reveal()).unverifiedPayload)
        #expect(try claims.requiredDate("auth_time").secondsSince1970 == signedInAt.seconds)
    }

    @Test(
        "attack: an https redirect URI to the person's own machine or to an address goes on silently",
        arguments: [
            "https://localhost/cb", "https://foo.localhost/cb", "https://wallet/cb", "https://wallet.lan/cb",
            "https://127.0.0.1/cb",
            "https://[::1]/cb", "https://192.0.2.7/cb", "https://127.1/cb", "https://0x7f.1/cb",
            "https://2130706433/cb",
            "https://0/cb",
        ])
    func silentHosts(uri: String) async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        let client = try await server.publicClient()
        // As it was registered when any host was taken.
        _ = try await server.context.database.write {
            try $0.execute("UPDATE clients SET redirect_uris = $1", [.text(#"["\#(uri)"]"#)])
        }
        let browser = TestBrowser(server)
        let request = try client.request { $0["redirect_uri"] = uri }
        _ = try await browser.signIn(request).code()
        let page = try await browser.open(request).page()
        #expect(page.step == .confirmation(username: "ada"))
        let none = try client.request {
            $0["redirect_uri"] = uri
            $0["prompt"] = "none"
        }
        #expect(try await browser.open(none).redirect()["error"] == "interaction_required")
    }

    @Test(
        "The confirmed e-mail address of a signed-in person is a login_hint for their session, and fills their user name into the form",
        arguments: ["ada@example.com", " Ada@EXAMPLE.com"])
    func ownAddress(hint: String) async throws {
        let server = try await TestServer.start()
        _ = try await server.reachableAccount()
        try await server.administer(["brand", "update", "default", "--new-device", "allow"])
        let client = try await server.bearerClient()
        let browser = TestBrowser(server)
        let form = { (prompt: String) in
            try client.request {
                $0["login_hint"] = hint
                $0["prompt"] = prompt
            }
        }
        // Who has an address is not revealed to a browser that is not signed in.
        #expect(
            try await browser.open(form("login")).page().step
                == .credentials(username: TypedText.trimmed(hint)))
        _ = try await browser.signIn(client.request()).code()
        _ = try await browser.open(form("none")).code()
        #expect(try await browser.open(form("login")).page().step == .credentials(username: "ada"))
    }

    @Test(
        "prompt, max_age and hints of another person ask again",
        arguments: [
            ("prompt", "login"), ("prompt", "consent"), ("prompt", "select_account"), ("max_age", "0"),
            ("max_age", "60"),
            ("login_hint", "grace"), ("id_token_hint", "eyJhbGciOiJub25lIn0.e30."),
        ])
    func asksAgain(name: String, value: String) async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        let client = try await server.bearerClient()
        let browser = TestBrowser(server)
        _ = try await browser.signIn(client.request()).code()
        server.clock.advance(by: .seconds(61))
        let page = try await browser.open(client.request { $0[name] = value }).page()
        guard case .credentials = page.step else {
            Issue.record("asked for something else: \(String(describing: page.step))")
            return
        }
    }

    @Test("An ID token of the same person is a hint that a silent sign-in honors", .conformance("oidcc-id-token-hint"))
    func idTokenHint() async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        let client = try await server.bearerClient()
        let browser = TestBrowser(server)
        let tokens = try await client.redeem(browser.signIn(client.request()).code()).tokens()
        let hint = try #require(tokens.idToken).reveal()
        _ = try await browser.open(
            client.request {
                $0["id_token_hint"] = hint
                $0["prompt"] = "none"
            }
        ).code()
    }

    @Test("A browser's session ends with time, and with a new password")
    func sessionEnds() async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        let client = try await server.bearerClient()
        let none = try client.request { $0["prompt"] = "none" }
        let browser = TestBrowser(server)
        _ = try await browser.signIn(client.request()).code()
        server.clock.advance(by: .hours(12) - .seconds(1))
        _ = try await browser.open(none).code()
        server.clock.advance(by: .seconds(1))
        #expect(try await browser.open(none).redirect()["error"] == "login_required")
        _ = try await browser.signIn(client.request()).code()
        try await server.administer(
            AdminRequest(["account", "set-password", "ada"], input: "another phrase 9"))
        #expect(try await browser.open(none).redirect()["error"] == "login_required")
    }

    @Test("A browser that signed in before is a known device: a stranger's guesses do not stand in its way")
    func knownBrowser() async throws {
        let server = try await TestServer.start()
        let account = try await server.account()
        let client = try await server.bearerClient()
        let holder = TestBrowser(server)
        _ = try await holder.signIn(client.request()).code()
        for _ in 0..<10 {
            _ = try await TestBrowser(server).signIn(client.request(), password: "a wrong one").page()
        }
        let login = try client.request { $0["prompt"] = "login" }
        _ = try await holder.signIn(login).code()
        // And its own failures deactivate it, which only it learns.
        var told: [Int64?] = []
        for _ in 0..<4 {
            let page = try await holder.signIn(login, password: "a wrong one").page()
            #expect(page.notice == .invalidCredentials)
            told.append(page.attemptsLeft)
        }
        #expect(told == [nil, nil, 2, 1])
        // Without a confirmed address no recovery opens it.
        #expect(try await holder.signIn(login, password: "a wrong one").page().notice == .walletDeactivated)
        #expect(try await server.record(of: account)?.state == .deactivated)
        #expect(try await TestBrowser(server).signIn(client.request()).page().notice == .invalidCredentials)
    }

    @Test("A device cookie that was made up, or is another account's, makes nothing known")
    func forgedDevice() async throws {
        let server = try await TestServer.start()
        _ = try await server.account("ada")
        _ = try await server.account("mallory")
        let client = try await server.bearerClient()
        let mallory = TestBrowser(server)
        _ = try await mallory.signIn(client.request(), "mallory").code()
        for _ in 0..<6 { _ = try await TestBrowser(server).signIn(client.request(), password: "a wrong one") }
        let login = try client.request { $0["prompt"] = "login" }
        // ada's account does not trust Mallory's browser, and untrusted devices have to wait.
        #expect(try await mallory.signIn(login).page().notice == .invalidCredentials)
    }

    @Test("An expired password is changed on the page, and the sign-in goes on")
    func newPassword() async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        try await server.administer(["account", "expire-password", "ada"])
        let browser = TestBrowser(server)
        let page = try await browser.signIn(try await server.bearerClient().request()).page()
        #expect(page.step == .newPassword)
        let differing = try await browser.submit(page, .mistypePassword).page()
        #expect(differing.step == .newPassword)
        #expect(differing.notice == .passwordMistyped)
        let again = try await browser.submit(differing, .setPassword(Password("password1"))).page()
        #expect(again.notice == .passwordUnacceptable(.tooCommon))
        _ = try await browser.submit(again, .setPassword(Password("a fresh phrase 7"))).code()
    }

    @Test("Without the right first factor no step behind it can be reached")
    func skipping() async throws {
        let server = try await TestServer.start()
        _ = try await server.account { $0.email = "ada@example.com" }
        let browser = TestBrowser(server)
        let page = try await browser.open(try await server.bearerClient().request()).page()
        #expect(try await browser.submit(page, .setPassword(Password("a fresh phrase 7"))).fault == .stalePage)
        #expect(try await browser.submit(page, .mistypePassword).fault == .stalePage)
        #expect(try await browser.submit(page, .checkEmailCode(EmailCode("123456"))).fault == .stalePage)
        #expect(try await browser.submit(page, .resendEmailCode).fault == .stalePage)
        let asked = try await browser.submit(page, .confirm).page()
        #expect(asked.step == .credentials(username: nil))
    }

    @Test("Only a code that was asked for again is called a new one")
    func newCode() async throws {
        let server = try await TestServer.start()
        _ = try await server.account { $0.email = "ada@example.com" }
        let browser = TestBrowser(server)
        let page = try await browser.signIn(try await server.bearerClient().request()).page()
        #expect(page.notice == nil)
        server.clock.advance(by: .seconds(31))
        #expect(try await browser.submit(page, .resendEmailCode).page().notice == .codeSent)
    }

    @Test("An unconfirmed address is confirmed on the page by the code in the mail, shown in part only")
    func email() async throws {
        let server = try await TestServer.start()
        _ = try await server.account { $0.email = "ada@example.com" }
        let browser = TestBrowser(server)
        let page = try await browser.signIn(try await server.bearerClient().request()).page()
        #expect(page.step == .emailCode(destination: "a…@example.com"))
        #expect(page.notice == nil)
        #expect(try await browser.submit(page, .resendEmailCode).page().notice == .codeSentRecently(retryAfter: 30))
        #expect(try await browser.submit(page, .checkEmailCode(EmailCode("nonsense"))).page().notice == .invalidCode)
        #expect(try await browser.submit(page, .checkEmailCode(nil)).page().notice == .invalidCode)
        let code = try await server.emailedCode().reveal()
        let typed = try EmailCode(" \(code.prefix(3))\u{A0}\(code.dropFirst(3))")
        _ = try await browser.submit(page, .checkEmailCode(typed)).code()
    }

    @Test("A client that is deleted while the page is open gets no code")
    func deletedMeanwhile() async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        let browser = TestBrowser(server)
        let client = try await server.bearerClient()
        let page = try await browser.open(client.request()).page()
        try await server.administer(["client", "delete", client.id.rawValue])
        let action = SignInPage.Action.signIn(username: "ada", password: try Password("correct horse battery"))
        #expect(try await browser.submit(page, action).fault == .unknownClient)
    }

    @Test("A dpop_jkt in the request binds the code: another key's proof, or none, does not redeem it")
    func keyBinding() async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        let client = try await server.bearerClient()
        let key = TestKey()
        let request = try client.request { $0["dpop_jkt"] = key.thumbprint.rawValue }
        let code = try await TestBrowser(server).signIn(request).code()
        let grant = TokenRequest.Grant.authorizationCode(code, redirectURI: nil, verifier: TestClient.verifier)
        #expect(try await client.token(grant).refusal == .invalidGrant)
        #expect(try await client.token(grant, proof: TestKey()).refusal == .invalidGrant)
        #expect(try await client.token(grant, proof: key).tokens().tokenType == .dpop)
    }

    @Test("A request too long for a code of 512 bytes still yields a short one that redeems once")
    func longRequest() async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        let client = try await server.bearerClient()
        let request = try client.request { $0["nonce"] = String(repeating: "n", count: 900) }
        let code = try await TestBrowser(server).signIn(request).code()
        #expect(code.reveal().utf8.count <= 512)
        _ = try await client.redeem(code).tokens()
        #expect(try await client.redeem(code).refusal == .invalidGrant)
    }
}
