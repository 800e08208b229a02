import Core
import FlowSupport
import Testing
import WalletAuthWire
import Web

@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite(
    "Authorization requests", .threat("open redirect: user information"),
    .covers("GET /.well-known/openid-configuration", "scopes that a client does not have"))
struct AuthorizationRequestTests {
    private func outcome(
        _ adjust: (inout [String: String?]) -> Void, client: (inout ClientRegistration) -> Void = { _ in }
    ) async throws -> AuthorizationAnswer.Outcome {
        let server = try await TestServer.start()
        let client = try await server.bearerClient("app", client)
        return try await TestBrowser(server).open(client.request(adjust))
    }

    @Test("An unknown client gets an error page: there is no redirect to an unregistered place")
    func unknownClient() async throws {
        #expect(try await outcome { $0["client_id"] = "nobody" }.fault == .unknownClient)
        #expect(try await outcome { $0["client_id"] = .some(nil) }.fault == .unknownClient)
    }

    @Test(
        "A redirect URI that is not registered to the letter gets an error page",
        .conformance("oidcc-ensure-registered-redirect-uri"),
        arguments: [
            "https://app.example.com/callback/", "https://app.example.com/Callback", "https://APP.example.com/callback",
            "https://app.example.com./callback", "https://app.example.com:443/callback",
            "https://app.example.com/callback?x=1", "https://app.example.com/callback#f",
            "https://user@app.example.com/callback", "https://app.example.com@evil.example/callback",
            "https://app.example.com/..;/callback", "https://app.example.com/a/../callback",
            "https://app.example.com/%63allback", "https://evil.example/callback", "javascript:alert(1)",
            "http://app.example.com/callback", "https://*.example.com/callback", "",
        ])
    func redirectURI(uri: String) async throws {
        let outcome = try await outcome { $0["redirect_uri"] = uri }
        #expect(outcome.redirectMismatch?.registered == ["https://app.example.com/callback"])
        #expect((outcome.redirectMismatch?.received == nil) == uri.isEmpty)
    }

    @Test("The port of 127.0.0.1 is the app's to choose, that of localhost is not")
    func loopback() async throws {
        let registered: (inout ClientRegistration) -> Void = {
            $0.redirectURIs = ["http://127.0.0.1/callback", "http://localhost:4000/callback"]
        }
        _ = try await outcome({ $0["redirect_uri"] = "http://127.0.0.1:51004/callback" }, client: registered).page()
        _ = try await outcome({ $0["redirect_uri"] = "http://localhost:4000/callback" }, client: registered).page()
        for uri in ["http://localhost:4001/callback", "http://localhost/callback", "http://127.0.0.1:51004/other"] {
            #expect(
                try await outcome({ $0["redirect_uri"] = uri }, client: registered).redirectMismatch?.received == uri)
        }
    }

    @Test(
        "Any other fault reaches the app by a redirect with error, state and iss",
        .conformance(
            "oidcc-response-type-missing",
            "oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported"),
        arguments: [
            ("response_type", "token", "unsupported_response_type"), ("response_type", "", "invalid_request"),
            ("code_challenge_method", "plain", "invalid_request"), ("code_challenge_method", "", "invalid_request"),
            ("code_challenge", "", "invalid_request"), ("code_challenge", "short", "invalid_request"),
            ("scope", "admin", "invalid_scope"), ("scope", "openid\twallet", "invalid_scope"),
            ("request", "eyJ", "request_not_supported"),
            ("request_uri", "https://evil.example/r", "request_uri_not_supported"),
            ("prompt", "none login", "invalid_request"), ("max_age", "-1", "invalid_request"),
            ("resource", "https://evil.example", "invalid_target"), ("brand", "other", "invalid_request"),
            ("login_strategy", "PIN", "invalid_request"),
            ("reset_credentials_url", "https://evil.example/reset", "invalid_request"),
        ])
    func told(name: String, value: String, error: String) async throws {
        let redirect = try await outcome { $0[name] = value.isEmpty ? .some(nil) : value }.redirect()
        #expect(redirect["error"] == error)
        #expect(redirect["state"] == "s-1")
        #expect(redirect["iss"] == "https://auth.example.com")
        #expect(redirect["code"] == nil)
        #expect(redirect.location.hasPrefix("https://app.example.com/callback?"))
    }

    @Test(
        "Doubled and outer spaces in a scope mean nothing",
        arguments: [" openid  wallet ", "openid   wallet", " openid wallet"])
    func spacesInScope(scope: String) async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        let client = try await server.bearerClient()
        let code = try await TestBrowser(server).signIn(client.request { $0["scope"] = scope }).code()
        let tokens = try await client.redeem(code).tokens()
        #expect(tokens.scope?.rawValue == "openid wallet")
    }

    @Test("A scope that is unknown or not the client's is ignored, and the token response names what was granted")
    func unknownScopes() async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        let client = try await server.bearerClient()
        let browser = TestBrowser(server)
        let code = try await browser.signIn(client.request { $0["scope"] = "admin openid address wallet" }).code()
        let tokens = try await client.redeem(code).tokens()
        #expect(tokens.scope?.rawValue == "openid wallet")
        #expect(try await server.claims(of: tokens).scope.rawValue == "openid wallet")
        let renewed = try await client.refresh(try #require(tokens.refreshToken)).tokens()
        #expect(renewed.scope?.rawValue == "openid wallet")
    }

    @Test(
        "form_post and ui_locales are honored for errors as well",
        arguments: [("scope", "admin"), ("prompt", "none login")])
    func formPost(name: String, value: String) async throws {
        let redirect = try await outcome {
            $0["response_mode"] = "form_post"
            $0["ui_locales"] = "de fr"
            $0[name] = value
        }.redirect()
        #expect(redirect.mode == .formPost)
        #expect(redirect.locales.map(\.rawValue) == ["de", "fr"])
    }

    @Test(
        "prompt=none without a session is login_required, and shows no page",
        .conformance("oidcc-prompt-none-not-logged-in"))
    func promptNone() async throws {
        #expect(try await outcome { $0["prompt"] = "none" }.redirect()["error"] == "login_required")
    }

    @Test("The page says which app and brand it is for, and takes the hints")
    func page() async throws {
        let page = try await outcome {
            $0["login_hint"] = "ada"
            $0["ui_locales"] = "de-AT fr"
        }.page()
        #expect(page.step == .credentials(username: "ada"))
        #expect(page.clientName == "App")
        #expect(page.appearance == BrandAppearance(name: "Wallet"))
        #expect(page.locales.map(\.rawValue) == ["de-AT", "fr"])
        #expect(page.redirectURI == "https://app.example.com/callback")
    }

    @Test("A brand's authentication details lead to its page, and refuse what is not registered")
    func authenticationDetails() async throws {
        let server = try await TestServer.start()
        let client = try await server.publicClient { $0.resetCredentialsURLs = ["https://app.example.com/reset"] }
        func details(
            _ brand: String = "default", _ adjust: (inout AuthenticationDetailsRequest) throws -> Void = { _ in }
        ) async throws -> AuthenticationDetailsOutcome {
            var request = AuthenticationDetailsRequest(
                clientID: client.id, codeChallenge: CodeChallenge(verifier: TestClient.verifier),
                resetCredentialsURL: try WebURL("https://app.example.com/reset"), state: try OAuthState("s-1"),
                redirectURI: try RedirectURI("https://app.example.com/callback"))
            request.loginHint = "ada"
            request.locale = try LocaleTag("de")
            try adjust(&request)
            return try await server.flows.signIn.authorization.details.of(
                request, brand: BrandID(brand))
        }
        let outcome = try await details()
        guard case .details(let answer) = outcome else {
            Issue.record("no details: \(String(describing: outcome))")
            return
        }
        let url = answer.authenticationURL.rawValue
        #expect(url.hasPrefix("https://auth.example.com/oauth2/authorize?"))
        let query = try FormParameters(parsing: url.drop { $0 != "?" }.dropFirst())
        let page = try await TestBrowser(server).open(query).page()
        #expect(page.step == .credentials(username: "ada"))
        #expect(page.resetCredentialsURL == "https://app.example.com/reset")

        #expect(answer.expiresIn == 600)
        server.clock.advance(by: .seconds(599))
        let open = try await TestBrowser(server).open(query).page()
        server.clock.advance(by: .seconds(1))
        #expect(try await TestBrowser(server).open(query).fault == .stalePage, "the URL ends when it said")
        #expect(open.step == .credentials(username: "ada"))

        let found = try await details("nobody")
        guard case .unknownBrand = found else {
            Issue.record("an unknown brand: \(String(describing: found))")
            return
        }
        let evil = try WebURL("https://evil.example/reset")
        let result = try await details(
            "default", { $0.resetCredentialsURL = evil })
        guard case .unregisteredURL(field: "resetCredentialsUrl") = result else {
            Issue.record("an open redirect by resetCredentialsUrl: \(String(describing: result))")
            return
        }
        let foreign = try RedirectURI("https://evil.example/callback")
        let next = try await details("default", { $0.redirectURI = foreign })
        guard case .unregisteredURL(field: "redirectUri") = next else {
            Issue.record("an open redirect by redirectUri: \(String(describing: next))")
            return
        }
        let second = try await details("default", { $0.loginStrategy = .pin })
        guard case .strategyUnavailable = second else {
            Issue.record("a PIN page that is not there: \(String(describing: second))")
            return
        }
    }

    @Test(
        "The metadata names what is served and nothing else, under the exact issuer",
        .conformance(
            "oidcc-discovery-endpoint-verification", "fapi2-security-profile-final-discovery-end-point-verification"))
    func metadata() async throws {
        let server = try await TestServer.start()
        let json = server.flows.discovery.metadata().json
        #expect(json["issuer"]?.string == "https://auth.example.com")
        #expect(json["token_endpoint"]?.string == "https://auth.example.com/oauth2/token")
        #expect(json["pushed_authorization_request_endpoint"]?.string == "https://auth.example.com/oauth2/par")
        #expect(json["request_parameter_supported"] == true)
        #expect(json["request_uri_parameter_supported"] == false)
        #expect(json["request_object_signing_alg_values_supported"]?.strings == ["ES256", "EdDSA", "Ed25519"])
        #expect(json["require_pushed_authorization_requests"] == nil)
        #expect(json["code_challenge_methods_supported"]?.strings == ["S256"])
        #expect(json["id_token_signing_alg_values_supported"]?.strings?.contains("RS256") == true)
        #expect(json["authorization_response_iss_parameter_supported"]?.bool == true)
    }

    @Test("A new signing key is published before it signs, and the old one still verifies after its last signature")
    func keyRotation() async throws {
        let server = try await TestServer.start()
        let account = try await server.account()
        let client = try await server.bearerClient()
        let before = try await client.signIn(account)
        let oldID = try CompactJWS(before.accessToken.reveal()).header.keyID
        try await server.administer(["keys", "rotate"])
        #expect(try await server.flows.discovery.keySet().set.keys.count == 6)
        let during = try await client.signIn(account)
        #expect(try CompactJWS(during.accessToken.reveal()).header.keyID == oldID)
        server.clock.advance(by: SigningKeySchedule().publicationLead)
        try await server.flows.maintenance.run()
        let after = try await client.signIn(account)
        let newID = try #require(try CompactJWS(after.accessToken.reveal()).header.keyID)
        #expect(newID != oldID)
        #expect(try await server.flows.discovery.keySet().set[newID] != nil)
        #expect(try await server.flows.discovery.keySet().set.keys.count == 6)
        server.clock.advance(by: SigningKeySchedule().retirementLag + .seconds(1))
        try await server.flows.maintenance.run()
        #expect(try await server.flows.discovery.keySet().set.keys.count == 3)
    }
}
