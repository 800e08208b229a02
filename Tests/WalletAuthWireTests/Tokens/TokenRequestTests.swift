import Testing
import WalletAuthWire

@Suite("Token requests") struct TokenRequestTests {
    @Test("Each grant is read, and comes back as it was sent")
    func roundTrips() throws {
        let app = ClientAuthentication.none(try ClientID("app"))
        let code = try AuthorizationCode("c")
        let verifier = try CodeVerifier(Sample.verifierText)
        let attempt = try RefreshAttempt(Base64URL.encode([UInt8](repeating: 1, count: 16)))
        let requests = [
            TokenRequest(
                client: app,
                grant: .authorizationCode(
                    code, redirectURI: try RedirectURI("com.example.app:/cb"), verifier: verifier),
                resources: ["https://rs.example"]),
            TokenRequest(client: app, grant: .authorizationCode(code, redirectURI: nil, verifier: verifier)),
            TokenRequest(client: app, grant: .authorizationCode(code, redirectURI: nil, verifier: nil)),
            TokenRequest(
                client: app, grant: .refreshToken(try RefreshToken("r"), attempt: attempt), scope: try Scope("a b")),
            TokenRequest(client: app, grant: .refreshToken(try RefreshToken("r"), attempt: nil)),
            TokenRequest(client: app, grant: .tokenExchange(try RefreshToken("r")), scope: try Scope("a")),
            TokenRequest(
                client: .post(try ClientID("app"), try ClientSecret("s")),
                grant: .accessTokenExchange(try AccessToken("a"), audiences: ["https://a.example", "b"]),
                scope: try Scope("a"), resources: ["https://rs.example"]),
            TokenRequest(client: app, grant: .deviceCode(try DeviceCode("d"))),
            TokenRequest(client: app, grant: .backchannel(try AuthenticationRequestID("i"))),
            TokenRequest(client: .post(try ClientID("app"), try ClientSecret("s e")), grant: .clientCredentials),
            TokenRequest(
                client: .privateKeyJWT(try ClientID("app"), try ClientAssertion("a.b.c")), grant: .clientCredentials),
            TokenRequest(
                client: .attestation(try ClientID("app"), try ClientAttestation("a.b.c")),
                grant: .refreshToken(try RefreshToken("r"), attempt: nil)),
            TokenRequest(
                client: .basic(
                    try ClientID("https://c.example:1/?x"), try ClientSecret("p:%+ä".replacing("ä", with: "&"))),
                grant: .clientCredentials),
        ]
        for request in requests {
            let form = try FormParameters(parsing: request.form.encoded)
            let read = try TokenRequest(
                form: form, authorization: request.client.authorizationHeader,
                attestation: request.client.attestationHeader)
            #expect(read == request)
        }
    }

    @Test("The Basic credentials of RFC 6749 section 2.3.1 are read, and form-encoded ones are decoded")
    func basic() throws {
        let form = Sample.form(["grant_type": "client_credentials"])
        let request = try TokenRequest(form: form, authorization: "Basic czZCaGRSa3F0Mzo3RmpmcDBaQnIxS3REUmJuZlZkbUl3")
        #expect(try request.client == .basic(ClientID("s6BhdRkqt3"), ClientSecret("7Fjfp0ZBr1KtDRbnfVdmIw")))
        #expect(
            try TokenRequest(form: form, authorization: "basic YXBwOmElM0Fi").client
                == .basic(ClientID("app"), ClientSecret("a:b")))
    }

    @Test(
        "Malformed Basic credentials are invalid_client",
        arguments: [
            "Basic", "Basic ", "Basic !!!", "Basic YXBw", "Bearer abc", "Basic Og==", "Basic OnNlY3JldA==",
            "Basic YXBwOmE= x", "Basic YXBwOgA=", "Basic YXBwOmE==", "Basic YXBwOsCv",
        ])
    func malformedBasic(header: String) {
        #expect {
            try TokenRequest(form: Sample.form(["grant_type": "client_credentials"]), authorization: header)
        } throws: { error in
            (error as? OAuthError)?.code == .invalidClient && (error as? OAuthError)?.httpStatus == 401
        }
    }

    @Test("Basic credentials with an empty secret name a public client, which proves nothing")
    func emptyBasicSecret() throws {
        let form = Sample.form(["token": "t"])
        for header in ["Basic YXBwOg==", "basic YXBwOg=="] {
            #expect(try TokenStateRequest(form: form, authorization: header).client == .none(ClientID("app")))
        }
        let named = Sample.form(["token": "t", "client_id": "app"])
        #expect(try TokenStateRequest(form: named, authorization: "Basic YXBwOg==").client == .none(ClientID("app")))
        for parameters in [["client_id": "other"], ["client_id": "app", "client_secret": "s"]] {
            let form = Sample.form(parameters.merging(["token": "t"]) { $1 })
            #expect {
                try TokenStateRequest(form: form, authorization: "Basic YXBwOg==")
            } throws: {
                ($0 as? OAuthError)?.code == .invalidRequest
            }
        }
    }

    @Test(
        "No client authentication and no client_id is invalid_client at every endpoint that a client authenticates at")
    func noClient() {
        func isInvalidClient(_ error: any Error) -> Bool {
            (error as? OAuthError)?.code == .invalidClient && (error as? OAuthError)?.httpStatus == 401
        }
        let state = Sample.form(["token": "t"])
        #expect {
            try TokenRequest(form: Sample.form(["grant_type": "client_credentials"]), authorization: nil)
        } throws: {
            isInvalidClient($0)
        }
        #expect {
            try TokenStateRequest(form: state, authorization: nil)
        } throws: {
            isInvalidClient($0)
        }
        #expect {
            try TokenStateRequest(form: state, authorization: nil)
        } throws: {
            isInvalidClient($0)
        }
    }

    @Test("Several ways of client authentication at once, or two different identifiers, are refused")
    func severalMethods() {
        let header = "Basic YXBwOnM="
        let assertion = ["client_assertion": "a.b.c", "client_assertion_type": ClientAuthentication.assertionType]
        let cases: [([String: String], String?)] = [
            (["client_id": "app", "client_secret": "s"], header), (["client_id": "other"], header), (assertion, header),
            (assertion.merging(["client_id": "app", "client_secret": "s"]) { $1 }, nil),
            (["client_assertion": "a.b.c", "client_id": "app"], nil),
            (["client_assertion_type": ClientAuthentication.assertionType, "client_id": "app"], nil),
            (
                [
                    "client_assertion": "a.b.c",
                    "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:saml2-bearer",
                ], nil
            ),
        ]
        for (parameters, authorization) in cases {
            let form = Sample.form(parameters.merging(["grant_type": "client_credentials"]) { $1 })
            #expect { try TokenRequest(form: form, authorization: authorization) } throws: {
                ($0 as? OAuthError)?.code == .invalidRequest
            }
        }
    }

    @Test(
        "Missing, malformed and unknown parameters are named as RFC 6749 section 5.2 names them",
        arguments: [
            ([:], .invalidRequest), (["grant_type": "password"], .unsupportedGrantType),
            (["grant_type": "AUTHORIZATION_CODE"], .unsupportedGrantType),
            (["grant_type": "authorization_code", "code_verifier": Sample.verifierText], .invalidRequest),
            (["grant_type": "authorization_code", "code": "c", "code_verifier": "short"], .invalidRequest),
            (["grant_type": "refresh_token"], .invalidRequest),
            (["grant_type": "refresh_token", "refresh_token": "r\u{E9}"], .invalidRequest),
            (["grant_type": "refresh_token", "refresh_token": "r", "attempt": "x"], .invalidRequest),
            (["grant_type": "refresh_token", "refresh_token": "r", "scope": "a\u{9}b"], .invalidScope),
            (["grant_type": "client_credentials", "resource": "x"], .invalidTarget),
            (["grant_type": "urn:ietf:params:oauth:grant-type:device_code"], .invalidRequest),
        ] as [([String: String], OAuthError.Code)])
    func errors(parameters: [String: String], code: OAuthError.Code) {
        let form = Sample.form(parameters.merging(["client_id": "app"]) { $1 })
        #expect { try TokenRequest(form: form, authorization: nil) } throws: { ($0 as? OAuthError)?.code == code }
    }

    @Test(
        "A token exchange is of a refresh token or an access token, for an access token, and of no more",
        arguments: [
            (["subject_token": nil], .invalidRequest), (["subject_token_type": nil], .invalidRequest),
            (["subject_token_type": "urn:ietf:params:oauth:token-type:id_token"], .invalidRequest),
            (["subject_token_type": TokenResponse.accessTokenType], nil),
            (["subject_token_type": TokenResponse.accessTokenType, "audience": "other"], nil),
            (["subject_token_type": TokenResponse.accessTokenType, "actor_token": "a"], .invalidRequest),
            (["requested_token_type": "urn:ietf:params:oauth:token-type:id_token"], .invalidRequest),
            (["actor_token": "a"], .invalidRequest), (["actor_token_type": "a"], .invalidRequest),
            (["audience": "other"], .invalidTarget), ([:], nil),
            (["requested_token_type": TokenResponse.accessTokenType], nil),
        ] as [([String: String?], OAuthError.Code?)])
    func exchange(change: [String: String?], code: OAuthError.Code?) {
        let usual: [String: String?] = [
            "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "client_id": "app", "subject_token": "t",
            "subject_token_type": "urn:ietf:params:oauth:token-type:refresh_token",
        ]
        let form = Sample.form(usual.merging(change) { $1 }.compactMapValues(\.self))
        do {
            _ = try TokenRequest(form: form, authorization: nil)
            #expect(code == nil)
        } catch {
            #expect(error.code == code)
        }
    }

    @Test("An assertion without client_id names its client by sub (RFC 7521 section 4.2)")
    func assertionSubject() throws {
        let jwt = Sample.base64url(#"{"alg":"ES256"}"#) + "." + Sample.base64url(#"{"sub":"app"}"#) + ".AA"
        let form = Sample.form([
            "grant_type": "client_credentials", "client_assertion": jwt,
            "client_assertion_type": ClientAuthentication.assertionType,
        ])
        #expect(try TokenRequest(form: form, authorization: nil).client.clientID.rawValue == "app")
    }

    @Test(
        "An attestation without client_id names its client by sub; it comes alone, and a malformed one is invalid_client"
    )
    func attestation() throws {
        let jwt = Sample.base64url(#"{"alg":"ES256"}"#) + "." + Sample.base64url(#"{"sub":"app"}"#) + ".AA"
        let form = Sample.form(["grant_type": "refresh_token", "refresh_token": "r"])
        let read = try TokenRequest(form: form, authorization: nil, attestation: jwt).client
        #expect(try read == .attestation(ClientID("app"), ClientAttestation(jwt)))
        let named = Sample.form(["grant_type": "refresh_token", "refresh_token": "r", "client_id": "other"])
        #expect(try TokenRequest(form: named, authorization: nil, attestation: jwt).client.clientID.rawValue == "other")
        let secret = Sample.form([
            "grant_type": "refresh_token", "refresh_token": "r", "client_id": "app", "client_secret": "s",
        ])
        let bad: [(FormParameters, String?, String, OAuthError.Code)] = [
            (form, "Basic YXBwOnM=", jwt, .invalidRequest), (secret, nil, jwt, .invalidRequest),
            (form, nil, "x", .invalidClient), (form, nil, "", .invalidClient), (named, nil, "", .invalidClient),
            (named, nil, "a\u{9}b", .invalidClient),
        ]
        for (form, authorization, attestation, code) in bad {
            #expect {
                try TokenRequest(form: form, authorization: authorization, attestation: attestation)
            } throws: {
                ($0 as? OAuthError)?.code == code
            }
        }
    }

    @Test("Revocation and introspection take a token and ignore hints that they do not know")
    func tokenState() throws {
        let form = Sample.form(["token": "t", "token_type_hint": "id_token", "client_id": "app"])
        #expect(try TokenStateRequest(form: form, authorization: nil).hint == nil)
        let introspection = TokenStateRequest(
            client: .none(try ClientID("app")), token: try PresentedToken("t"), hint: .refreshToken)
        #expect(try TokenStateRequest(form: introspection.form, authorization: nil) == introspection)
        #expect(throws: OAuthError.self) {
            try TokenStateRequest(form: Sample.form(["client_id": "app"]), authorization: nil)
        }
    }
}
