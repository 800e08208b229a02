import Core
import FlowSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import Tokens

@Suite(
    "Step-up (RFC 9470)", .threat("A session that is too weak or too old"),
    .covers("POST /oauth2/revoke, /oauth2/introspect"))
struct StepUpTests {
    private static let two = AuthenticationStrength.twoFactors
    private static let one = AuthenticationStrength.singleFactor

    /// Ada, who has an e-mail address, at a brand that lets a password do.
    private func setUp() async throws -> (server: TestServer, client: TestClient, browser: TestBrowser) {
        let server = try await TestServer.start()
        _ = try await server.reachableAccount()
        try await server.administer(["brand", "update", "default", "--new-device", "allow"])
        return (server, try await server.bearerClient(), TestBrowser(server))
    }

    private func isCredentials(_ page: SignInPage) -> Bool {
        if case .credentials = page.step { true } else { false }
    }

    private func isSecondFactor(_ page: SignInPage) -> Bool {
        if case .secondFactor = page.step { true } else { false }
    }

    @Test(
        "A signed-in browser is asked for what is missing and nothing else; the tokens say the class and the time",
        .conformance("oidcc-ensure-request-with-acr-values-succeeds"))
    func stronger() async throws {
        let (server, client, browser) = try await setUp()
        let weak = try await server.claims(of: client.redeem(browser.signIn(client.request()).code()).tokens())
        #expect(weak.acr == Self.one)
        let began = server.clock.now().seconds
        server.clock.advance(by: .minutes(2))
        let page = try await browser.open(client.request { $0["acr_values"] = Self.two }).page()
        #expect(isSecondFactor(page))
        let answer = SignInPage.Action.answerFactor(try Password(try await server.sentCode()))
        let tokens = try await client.redeem(browser.submit(page, answer).code()).tokens()
        let strong = try await server.claims(of: tokens)
        #expect(strong.acr == Self.two)
        // As old as its oldest part.
        #expect(strong.authenticatedAt?.secondsSince1970 == began)
        #expect(strong.sessionID != weak.sessionID)
        // What was reached once need not be reached again while it is fresh enough.
        _ = try await browser.open(client.request { $0["acr_values"] = Self.two }).code()
    }

    @Test(
        "A sign-in older than max_age is followed by another, and the tokens have its time",
        .conformance("oidcc-max-age-1", "oidcc-max-age-10000"))
    func fresher() async throws {
        let (server, client, browser) = try await setUp()
        _ = try await browser.signIn(client.request()).code()
        server.clock.advance(by: .minutes(5))
        let request = try client.request { $0["max_age"] = "300" }
        _ = try await browser.open(request).code()
        server.clock.advance(by: .seconds(1))
        let page = try await browser.open(request).page()
        #expect(isCredentials(page))
        let password = try Password("correct horse battery")
        let tokens = try await client.redeem(
            browser.submit(page, .signIn(username: "ada", password: password)).code()
        ).tokens()
        let claims = try await server.claims(of: tokens)
        #expect(claims.authenticatedAt?.secondsSince1970 == server.clock.now().seconds)
        #expect(claims.acr == Self.one)
    }

    @Test("attack: a sign-in that grew older than max_age while its page waited for a second factor gets no code")
    func waitedForFactor() async throws {
        let (server, client, browser) = try await setUp()
        let request = try client.request {
            $0["acr_values"] = Self.two
            $0["max_age"] = "60"
        }
        let asked = try await browser.signIn(request).page()
        server.clock.advance(by: .minutes(2))
        var answer = SignInPage.Action.answerFactor(try Password(try await server.sentCode()))
        let late = try await browser.submit(asked, answer).page()
        #expect(isCredentials(late))
        #expect(browser.cookies.session == nil)
        let password = try Password("correct horse battery")
        let again = try await browser.submit(late, .signIn(username: "ada", password: password)).page()
        server.clock.advance(by: .seconds(60))
        answer = .answerFactor(try Password(try await server.sentCode()))
        let claims = try await server.claims(of: client.redeem(browser.submit(again, answer).code()).tokens())
        #expect(claims.acr == Self.two)
        #expect(claims.authenticatedAt?.secondsSince1970 == (server.clock.now() - .seconds(60)).seconds)
    }

    @Test("attack: a consent page that is left open longer than max_age grants nothing and gets no code")
    func waitedForConsent() async throws {
        let (server, _, browser) = try await setUp()
        let client = try await server.bearerClient("relying-app") { $0.firstParty = false }
        let request = try client.request { $0["max_age"] = "60" }
        let left = try await browser.signIn(request).page()
        guard case .clientConsent = left.step else {
            Issue.record("no consent was asked for: \(left.step)")
            return
        }
        server.clock.advance(by: .seconds(61))
        let late = try await browser.submit(left, .allow).page()
        #expect(isCredentials(late))
        #expect(try await server.rows(of: "client_consents") == 0)
        let password = try Password("correct horse battery")
        let again = try await browser.submit(late, .signIn(username: "ada", password: password)).page()
        server.clock.advance(by: .seconds(60))
        _ = try await browser.submit(again, .allow).code()
        // The browser's sign-in is just as old by now.
        server.clock.advance(by: .seconds(1))
        let silent = try client.request {
            $0["max_age"] = "60"
            $0["prompt"] = "none"
        }
        #expect(try await browser.open(silent).redirect()["error"] == "login_required")
    }

    @Test("With max_age=0 what was proved for this request counts, however long the page waited")
    func waitedAtZero() async throws {
        let (server, client, browser) = try await setUp()
        let asked = try await browser.signIn(
            client.request {
                $0["acr_values"] = Self.two
                $0["max_age"] = "0"
            }
        ).page()
        server.clock.advance(by: .minutes(2))
        _ = try await browser.submit(asked, .answerFactor(Password(server.sentCode()))).code()
    }

    @Test(
        "prompt=login and max_age=0 ask again a moment after a sign-in", .conformance("oidcc-prompt-login"),
        arguments: ["prompt", "max_age"])
    func again(name: String) async throws {
        let (_, client, browser) = try await setUp()
        _ = try await browser.signIn(client.request()).code()
        let page = try await browser.open(client.request { $0[name] = name == "prompt" ? "login" : "0" }).page()
        #expect(isCredentials(page))
    }

    @Test("Two factors are enough where one was asked for, on the page and in the app")
    func more() async throws {
        let (server, client, browser) = try await setUp()
        let page = try await browser.signIn(client.request { $0["acr_values"] = Self.two }).page()
        _ = try await browser.submit(page, .answerFactor(Password(server.sentCode()))).code()
        let code = try await browser.open(client.request { $0["acr_values"] = Self.one }).code()
        #expect(try await server.claims(of: client.redeem(code).tokens()).acr == Self.two)

        let account = try #require(try await server.accountID())
        let device = try await TestDevice.signedIn(account, try await server.bearerClient("other"))
        let id = try await device.enrolled(account).id
        server.clock.advance(by: server.context.settings.devices.coolingPeriod)
        _ = try await device.signIn(as: id, acrValues: [Self.one]).code()
    }

    @Test(
        "Classes that cannot be reached here are refused before a password is typed, also with prompt=none",
        arguments: [nil, "none"])
    func unknown(prompt: String?) async throws {
        let (_, client, browser) = try await setUp()
        let request = try client.request {
            $0["acr_values"] = "urn:example:gold phr"
            if let prompt { $0["prompt"] = prompt }
        }
        let refused = try await browser.open(request).redirect()
        #expect(refused["error"] == "unmet_authentication_requirements")
        #expect(refused["state"] == "s-1")
        #expect(refused["iss"] == "https://auth.example.com")
    }

    @Test("Silence is no way to a stronger sign-in")
    func silent() async throws {
        let (_, client, browser) = try await setUp()
        _ = try await browser.signIn(client.request()).code()
        let refused = try await browser.open(
            client.request {
                $0["acr_values"] = Self.two
                $0["prompt"] = "none"
            }
        ).redirect()
        #expect(refused["error"] == "interaction_required")
    }

    @Test("attack: a renewed token is no fresher and no stronger than the sign-in behind it")
    func renewed() async throws {
        let (server, client, _) = try await setUp()
        let account = try #require(try await server.accountID())
        let first = try await client.signIn(account)
        let before = try await server.claims(of: first)
        server.clock.advance(by: .minutes(10))
        let renewed = try await client.refresh(try #require(first.refreshToken)).tokens()
        let after = try await server.claims(of: renewed)
        #expect(after.authenticatedAt == before.authenticatedAt)
        #expect(after.acr == before.acr)
    }

    @Test("Introspection of both tokens of a sign-in returns the same class, time, methods and merchant")
    func introspectionOfBoth() async throws {
        let (server, _, _) = try await setUp()
        let account = try #require(try await server.accountID())
        let client = try await server.confidentialClient("web")
        try await server.administer(["merchant", "create", "m1", "--name", "Merchant"])
        try await server.administer(["merchant", "install-client", "m1", "--client", client.id.rawValue])
        try await server.administer(["merchant", "add-employee", "m1", "--account", account.rawValue])
        let signedInAt = server.clock.now().seconds
        let tokens = try await client.signIn(
            account, scope: "wallet", merchant: try MerchantID("m1"), methods: ["pwd", "otp"])
        server.clock.advance(by: .minutes(2))
        for token in [tokens.accessToken.reveal(), try #require(tokens.refreshToken).reveal()] {
            let request = TokenStateRequest(client: client.authentication, token: try PresentedToken(token))
            let outcome = try await server.flows.tokens.introspection.introspect(request)
            guard case .success(let response) = outcome, case .active = response else {
                Issue.record("expected an active token, got \(outcome)")
                return
            }
            #expect(response.json["acr"]?.string == Self.two)
            #expect(response.json["auth_time"]?.integer == signedInAt)
            #expect(try response.json.strings("amr") == ["pwd", "otp"])
            #expect(response.json["merchant_id"]?.string == "m1")
        }
    }
}
