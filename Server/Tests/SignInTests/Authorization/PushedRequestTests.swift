import Core
import FlowSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import Tokens

@Suite(
    "Pushed authorization requests", .covers("POST /oauth2/par"),
    .covers("a form in a second tab, a double click or a reload fails"))
struct PushedRequestTests {
    private let server: TestServer
    private let client: TestClient

    init() async throws {
        server = try await TestServer.start()
        _ = try await server.account()
        client = try await server.bearerClient()
    }

    private static var password: SignInPage.Action {
        get throws { .signIn(username: "ada", password: try Password("correct horse battery")) }
    }

    @Test(
        "The reference opens the page, a reload opens it again, and the code is for the request that was pushed",
        .conformance("fapi2-security-profile-final-par-ensure-reused-request-uri-prior-to-auth-completion-succeeds"))
    func signIn() async throws {
        let response = try await client.push(client.request { $0["scope"] = "wallet" }).response()
        #expect(response.requestURI.rawValue.hasPrefix("urn:ietf:params:oauth:request_uri:"))
        #expect(response.expiresIn == 590)
        let (browser, link) = (TestBrowser(server), response.form(of: client.id))
        _ = try await browser.open(link).page()
        server.clock.advance(by: .minutes(9))
        let page = try await browser.open(link).page()
        let redirect = try await browser.submit(page, Self.password).redirect()
        #expect(redirect["state"] == "s-1")
        #expect(redirect["iss"] == "https://auth.example.com")
        let code = try AuthorizationCode(#require(redirect["code"]))
        #expect(try await client.redeem(code).tokens().scope?.rawValue == "wallet")
    }

    @Test("Whatever else the URL says counts for nothing")
    func otherParameters() async throws {
        var link = try await client.pushed()
        link.append("redirect_uri", "https://evil.example/callback")
        link.append("scope", "openid wallet profile email")
        link.append("state", "forged")
        link.append("prompt", "none")
        link.append("response_type", "token")
        let redirect = try await TestBrowser(server).signIn(link).redirect()
        #expect(redirect.redirectURI == "https://app.example.com/callback")
        #expect(redirect["state"] == "s-1")
        let tokens = try await client.redeem(AuthorizationCode(#require(redirect["code"]))).tokens()
        #expect(tokens.scope?.rawValue == "openid wallet")
    }

    @Test("A page that was opened in time is submitted later, and the reference itself has expired by then")
    func lateForm() async throws {
        let (browser, link) = (TestBrowser(server), try await client.pushed())
        let page = try await browser.open(link).page()
        server.clock.advance(by: PushedRequests.lifetime)
        #expect(try await TestBrowser(server).open(link).fault == .unusableRequestURI)
        _ = try await browser.submit(page, Self.password).code()
    }

    @Test("attack: a form of a reference that expired long ago gets no code")
    func oldForm() async throws {
        let browser = TestBrowser(server)
        let page = try await browser.open(client.pushed()).page()
        server.clock.advance(by: .minutes(20))
        #expect(try await browser.submit(page, Self.password).fault == .unusableRequestURI)
    }

    @Test("A form that is posted twice gets the same code, before its browser has the new cookies and after")
    func doubleClick() async throws {
        let browser = TestBrowser(server)
        let page = try await browser.open(client.pushed()).page()
        let before = browser.cookies
        let code = try await browser.submit(page, Self.password).code()
        let after = browser.cookies
        browser.cookies = before
        #expect(try await browser.submit(page, Self.password).code() == code)
        browser.cookies = after
        #expect(try await browser.submit(page, Self.password).code() == code)
        _ = try await client.redeem(code).tokens()
        server.clock.advance(by: AuthorizationGrant.lifetime)
        #expect(try await browser.submit(page, Self.password).fault == .unusableRequestURI)
    }

    @Test("A form that is posted again once its code was redeemed gets no code, so that the session goes on")
    func redeemed() async throws {
        let browser = TestBrowser(server)
        let page = try await browser.open(client.pushed()).page()
        let tokens = try await client.redeem(browser.submit(page, Self.password).code()).tokens()
        #expect(try await browser.submit(page, Self.password).fault == .unusableRequestURI)
        _ = try await client.refresh(#require(tokens.refreshToken)).tokens()
    }

    @Test(
        "In a second tab, a form goes on with the sign-in of the first, and asks for another account if that was pressed"
    )
    func secondTab() async throws {
        let other = try await server.bearerClient("other")
        for (action, isAsked) in [(try Self.password, false), (.useAnotherAccount, true)] {
            let browser = TestBrowser(server)
            let page = try await browser.open(client.pushed()).page()
            _ = try await browser.signIn(other.request()).code()
            // Its reference has expired meanwhile.
            server.clock.advance(by: PushedRequests.lifetime)
            let outcome = try await browser.submit(page, action)
            if isAsked {
                #expect(try outcome.page().step == .credentials(username: nil))
            } else {
                _ = try outcome.code()
            }
        }
    }

    @Test(
        "“Cancel” spends nothing: the person can start again with the same reference",
        .conformance("fapi2-security-profile-final-user-rejects-authentication"))
    func cancel() async throws {
        let (browser, link) = (TestBrowser(server), try await client.pushed())
        let cancelled = try await browser.submit(browser.open(link).page(), .cancel).redirect()
        #expect(cancelled["error"] == "access_denied")
        _ = try await browser.signIn(link).code()
    }

    @Test(
        "The key of the request's DPoP proof is the one that has to redeem the code, as is dpop_jkt",
        .conformance(
            "fapi2-security-profile-final-ensure-token-endpoint-fails-with-mismatched-dpop-proof-jkt",
            "fapi2-security-profile-final-ensure-token-endpoint-fails-with-mismatched-dpop-jkt",
            "fapi2-security-profile-final-ensure-dpopproof-at-par-endpoint-binding-success",
            "fapi2-security-profile-final-ensure-dpop-auth-code-binding-success"))
    func binding() async throws {
        let (key, other) = (TestKey(), TestKey())
        for link in [
            try await client.pushed(proof: key),
            try await client.pushed { $0["dpop_jkt"] = key.thumbprint.rawValue },
            try await client.pushed(proof: key) { $0["dpop_jkt"] = key.thumbprint.rawValue },
        ] {
            let code = try await TestBrowser(server).signIn(link).code()
            let grant = TokenRequest.Grant.authorizationCode(code, redirectURI: nil, verifier: TestClient.verifier)
            #expect(try await client.token(grant).refusal == .invalidGrant)
            #expect(try await client.token(grant, proof: other).refusal == .invalidGrant)
            _ = try await client.token(grant, proof: key).tokens()
        }
    }

    @Test(
        "What the authorization endpoint refuses is refused before any browser has it",
        .conformance("fapi2-security-profile-final-ensure-registered-redirect-uri"))
    func faults() async throws {
        let faults: [(String, String?, String)] = [
            ("response_type", "token", "unsupported_response_type"), ("code_challenge", nil, "invalid_request"),
            ("scope", "admin", "invalid_scope"), ("resource", "https://evil.example", "invalid_target"),
            ("redirect_uri", "https://evil.example/callback", "invalid_request"),
            ("redirect_uri", nil, "invalid_request"), ("client_id", nil, "invalid_request"),
            ("login_strategy", "PIN", "invalid_request"), ("acr_values", "x", "unmet_authentication_requirements"),
        ]
        for (name, value, error) in faults {
            let form = try client.request { $0[name] = .some(value) }
            #expect(try await client.push(form).error == error, "\(name)")
        }
        #expect(try await server.rows(of: "pushed_requests") == 0)
    }

    @Test("A client that has to push is refused without it, and its option is shown and changed")
    func required() async throws {
        try await server.administer(["client", "update", "app", "--require-par"])
        #expect(try await server.administer(["client", "show", "app"])["requiresPar"] == .bool(true))
        _ = try await TestBrowser(server).signIn(client.pushed()).code()
        let direct = try await TestBrowser(server).open(client.request()).redirect()
        #expect(direct["error"] == "invalid_request")
        #expect(direct["state"] == "s-1")
        try await server.administer(["client", "update", "app", "--no-require-par"])
        _ = try await TestBrowser(server).open(client.request()).page()
    }

    @Test("Maintenance deletes the rows of requests that can get no code any more")
    func swept() async throws {
        _ = try await client.pushed()
        try await server.flows.maintenance.run()
        #expect(try await server.rows(of: "pushed_requests") == 1)
        server.clock.advance(by: PushedRequests.lifetime + PageState.lifetime)
        try await server.flows.maintenance.run()
        #expect(try await server.rows(of: "pushed_requests") == 0)
    }
}
