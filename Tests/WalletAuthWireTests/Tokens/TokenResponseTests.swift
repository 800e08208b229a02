import Crypto
import Testing
import WalletAuthWire

@Suite("Token responses") struct TokenResponseTests {
    @Test("An answer is written once and read back")
    func roundTrip() throws {
        let response = TokenResponse(
            accessToken: try AccessToken("a"), tokenType: .dpop, expiresIn: 300, refreshToken: try RefreshToken("r"),
            scope: try Scope("x y"), idToken: try IDToken("i"),
            merchantID: try MerchantID("m"))
        #expect(try TokenResponse(JSONValue.object(parsing: response.bytes)) == response)
        let least = TokenResponse(accessToken: try AccessToken("a"), tokenType: .bearer, expiresIn: nil)
        #expect(String(decoding: least.bytes, as: UTF8.self) == #"{"access_token":"a","token_type":"Bearer"}"#)
    }

    @Test("The example of RFC 6749 section 5.1 is read, and the case of token_type does not count")
    func example() throws {
        let response = try TokenResponse(
            Sample.json(
                #"{"access_token":"2YotnFZFEjr1zCsicMWpAA","token_type":"bearer","expires_in":3600,"refresh_token":"tGzv3JOkF0XG5Qx2TlKWIA","example_parameter":"example_value"}"#
            ))
        #expect(response.tokenType == .bearer)
        #expect(response.expiresIn == 3600)
    }

    @Test(
        "A token of a kind that is not known, or a malformed answer, is refused",
        arguments: [
            "{}", #"{"access_token":"a"}"#, #"{"access_token":"a","token_type":"mac"}"#,
            #"{"access_token":"","token_type":"bearer"}"#,
            #"{"access_token":"a\nX: y","token_type":"bearer"}"#,
            #"{"access_token":"a","token_type":"bearer","expires_in":-1}"#,
            #"{"access_token":"a","token_type":"bearer","expires_in":"x"}"#,
        ])
    func malformed(text: String) {
        #expect(throws: MalformedValue.self) { try TokenResponse(Sample.json(text)) }
    }

    @Test(
        "A lifetime as text or with a fraction, and a scope with more spaces or as an array, are read as they are meant",
        arguments: [
            #""expires_in":"3600","scope":"a  b""#, #""expires_in":3600.0,"scope":["a","b"]"#,
            #""expires_in":3600.9,"scope":" a b ""#, #""expires_in":3600,"scope":"a\tb""#,
        ])
    func tolerance(members: String) throws {
        let response = try TokenResponse(Sample.json(#"{"access_token":"a","token_type":"bearer",\#(members)}"#))
        #expect(response.expiresIn == 3600)
        #expect(response.scope == (try Scope("a b")))
    }

    @Test("A type that is missing is the one that the reader assumes, and refused where none is")
    func assumedType() throws {
        for members in ["", #","token_type":null"#, #","token_type":"""#] {
            let object = try Sample.json(#"{"access_token":"a"\#(members)}"#)
            #expect(try TokenResponse(object, assuming: .dpop).tokenType == .dpop)
            #expect(throws: MalformedValue.self) { try TokenResponse(object) }
        }
        let mac = try Sample.json(#"{"access_token":"a","token_type":"mac"}"#)
        #expect(throws: MalformedValue.self) { try TokenResponse(mac, assuming: .bearer) }
    }

    @Test("OAuth errors carry our code and number, and survive a server that sends none")
    func oauthErrors() throws {
        let error = OAuthError.invalidCredentials(during: .generatingDeviceToken)
        #expect(try OAuthError(error.json) == error)
        #expect(error.statusCode == 419)
        #expect(error.httpStatus == 401)
        let foreign = try OAuthError(
            Sample.json(#"{"error":"invalid_grant","error_description":"a\u0001b","error_code":7}"#))
        #expect(foreign.code == .invalidGrant)
        #expect(foreign.errorCode == nil)
        #expect(foreign.detail == "a'b")
        #expect(throws: MalformedValue.self) { try OAuthError(Sample.json(#"{"error":""}"#)) }
        #expect(OAuthError(.invalidRequest, "say \"no\"\r\nX: y").detail == "say 'no'''X: y")
    }
}

@Suite("Access tokens") struct AccessTokenTests {
    private let signer = P256Signer(P256.Signing.PrivateKey(), keyID: "k")
    private let rules = JWTRules(issuer: "https://a.example", audiences: ["https://rs.example"])

    private func claims() throws -> AccessTokenClaims {
        var claims = AccessTokenClaims(
            issuer: "https://a.example", subject: "s", audience: ["https://rs.example"], clientID: try ClientID("app"),
            expiresAt: Sample.now.advanced(by: .seconds(300)),
            issuedAt: Sample.now, id: "j", scope: try Scope("a b"))
        claims.sessionID = try SessionID(bytes: [UInt8](0..<16))
        claims.authenticatedAt = Sample.now
        claims.acr = "urn:acr"
        claims.amr = ["pwd"]
        claims.merchantID = try MerchantID("m")
        claims.attestation = AppAttestation(
            platform: .android, environment: .production, app: "com.example.wallet", keyLevel: .strongBox,
            attestedAt: Sample.now)
        claims.keyThumbprint = try JWKThumbprint(JOSEVectors.RFC9449.thumbprint)
        return claims
    }

    private func token(_ payload: [UInt8], type: JWSType = .accessToken) throws -> AccessToken {
        try AccessToken(CompactJWSEncoder(signer: signer, type: type).encode(payload, signer: signer))
    }

    @Test("What is minted verifies to the same claims")
    func roundTrip() throws {
        let claims = try claims()
        let verifiers = [try #require(signer.publicJWK).verifier()]
        #expect(
            try AccessTokenClaims.verified(token(claims.bytes), by: verifiers, rules: rules, now: Sample.now) == claims)
        #expect(throws: JOSEError.claim(name: "exp", .expired)) {
            try AccessTokenClaims.verified(
                token(claims.bytes), by: verifiers, rules: rules, now: Sample.now.advanced(by: .seconds(400)))
        }
    }

    @Test("An ID token does not pass as an access token")
    func idToken() throws {
        let verifiers = [try #require(signer.publicJWK).verifier()]
        #expect(throws: JOSEError.wrongType) {
            try AccessTokenClaims.verified(
                token(claims().bytes, type: .jwt), by: verifiers, rules: rules, now: Sample.now)
        }
    }

    @Test(
        "A confirmation that is not understood never makes a bearer token",
        arguments: [#"{"x5t#S256":"AA"}"#, "{}", "null", #""jkt""#, #"{"jkt":7}"#, #"{"jkt":null}"#])
    func confirmation(value: String) throws {
        var object = try claims().json
        object["cnf"] = try JSONValue(parsing: Array(value.utf8))
        #expect(throws: MalformedValue.self) { try AccessTokenClaims(object) }
    }

    @Test(
        "A token whose attestation is not understood is no token, and one without any attests nothing",
        arguments: [#""apple""#, "{}", #"{"platform":"other","environment":"production","app":"a","attestedAt":1}"#])
    func attestation(value: String) throws {
        var object = try claims().json
        object["attestation"] = try JSONValue(parsing: Array(value.utf8))
        #expect(throws: MalformedValue.self) { try AccessTokenClaims(object) }
        object["attestation"] = nil
        #expect(try AccessTokenClaims(object).attestation == nil)
    }

    @Test("Who acts for the person is read as it is written, the one that calls first")
    func actors() throws {
        var claims = try claims()
        claims.actors = try ["stock", "orders", "app"].map { try ClientID($0) }
        #expect(
            try AccessTokenClaims(JSONValue.object(parsing: claims.bytes)).actors == claims.actors)
        let act = JSONValue.object(try #require(claims.json["act"]?.object)).text
        #expect(act == #"{"sub":"stock","act":{"sub":"orders","act":{"sub":"app"}}}"#)
        // What another server says of an actor besides is not read.
        var object = claims.json
        object["act"] = try JSONValue(parsing: Array(#"{"iss":"https://a.example","sub":"stock"}"#.utf8))
        #expect(try AccessTokenClaims(object).actors == [ClientID("stock")])
        object["act"] = nil
        #expect(try AccessTokenClaims(object).actors.isEmpty)
    }

    @Test(
        "A token whose actors are not understood never looks like one of the person's own app",
        arguments: [
            #""orders""#, "{}", "null", "[]", #"{"sub":7}"#, #"{"client_id":"orders"}"#, #"{"sub":""}"#,
            #"{"sub":"a","act":null}"#,
            String(repeating: #"{"sub":"a","act":"#, count: 8) + #"{"sub":"a"}"#
                + String(repeating: "}", count: 8),
        ])
    func unreadActors(value: String) throws {
        var object = try claims().json
        object["act"] = try JSONValue(parsing: Array(value.utf8))
        #expect(throws: MalformedValue.self) { try AccessTokenClaims(object) }
    }

    @Test("An inactive token's introspection says nothing else, an active one's its claims")
    func introspection() throws {
        #expect(JSONValue.object(IntrospectionResponse.inactive.json).text == #"{"active":false}"#)
        let active = IntrospectionResponse.active(try claims(), tokenType: .dpop)
        #expect(try IntrospectionResponse(active.json) == active)
        #expect(active.json["username"] == nil)
        let named = IntrospectionResponse.active(try claims(), tokenType: .dpop, username: "ada")
        #expect(try IntrospectionResponse(named.json) == named)
    }
}

@Suite("ID tokens") struct IDTokenTests {
    private func claims() throws -> IDTokenClaims {
        var claims = IDTokenClaims(
            issuer: "https://a.example", subject: "s", audience: ["app"],
            expiresAt: Sample.now.advanced(by: .seconds(300)), issuedAt: Sample.now)
        claims.nonce = try Nonce("n")
        claims.authenticatedAt = Sample.now
        claims.accessTokenHash = IDTokenClaims.hash(of: try AccessToken("at"))
        return claims
    }

    private func expectation() throws -> IDTokenClaims.Expectation {
        IDTokenClaims.Expectation(
            issuer: try Issuer("https://a.example"), clientID: try ClientID("app"), nonce: try Nonce("n"),
            accessToken: try AccessToken("at"), maxAge: 60)
    }

    @Test("The at_hash of OpenID Connect Core appendix A.4 comes out")
    func accessTokenHash() throws {
        #expect(
            IDTokenClaims.hash(of: try AccessToken("jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y"))
                == "77QmUPtjPfzWtF2AnpK9RQ")
    }

    @Test("Claims that are expected are taken, through JSON and back")
    func good() throws {
        let claims = try claims()
        #expect(try IDTokenClaims(claims.json) == claims)
        #expect(throws: Never.self) { try claims.validate(expectation(), now: Sample.now) }
    }

    @Test(
        "Claims that a client may do without are strict unless it asks to do without them",
        arguments: [#"{"auth_time":"now"}"#, #"{"auth_time":null}"#, #"{"acr":1}"#, #"{"amr":"pwd"}"#, #"{"sid":7}"#])
    func optionalClaims(members: String) throws {
        var object = try claims().json
        for member in try Sample.json(members).members { object[member.name] = member.value }
        #expect(throws: MalformedValue.self) { try IDTokenClaims(object) }
        let read = try IDTokenClaims(object, optional: .tolerant)
        #expect(read.subject == "s")
        // A claim that is asked for is not optional any more.
        if object["auth_time"]?.integer == nil {
            #expect(throws: JOSEError.claim(name: "auth_time", .missing)) {
                try read.validate(expectation(), now: Sample.now)
            }
        }
    }

    @Test("An auth_time of 0 says nothing about the sign-in")
    func unknownTime() throws {
        var object = try claims().json
        object.set("auth_time", Int64(0))
        let read = try IDTokenClaims(object, optional: .tolerant)
        #expect(read.authenticatedAt == nil)
        #expect(throws: JOSEError.claim(name: "auth_time", .missing)) {
            try read.validate(expectation(), now: Sample.now)
        }
    }

    @Test(
        "Claims by which trust is decided are strict however the others are read",
        arguments: [#"{"iss":7}"#, #"{"sub":7}"#, #"{"aud":7}"#, #"{"azp":7}"#, #"{"nonce":7}"#, #"{"exp":"1"}"#])
    func decisiveClaims(members: String) throws {
        var object = try claims().json
        for member in try Sample.json(members).members { object[member.name] = member.value }
        #expect(throws: MalformedValue.self) { try IDTokenClaims(object, optional: .tolerant) }
    }

    @Test(
        "A token of another issuer, for another client, with a swapped nonce, or with another access token is refused"
    )
    func attacks() throws {
        let cases: [(String, JOSEError.ClaimFault, (inout IDTokenClaims) throws -> Void)] = [
            ("iss", .mismatch, { $0.issuer = "https://evil.example" }), ("aud", .mismatch, { $0.audience = ["other"] }),
            ("azp", .missing, { $0.audience = ["app", "other"] }),
            ("azp", .mismatch, { $0.authorizedParty = "other" }), ("nonce", .missing, { $0.nonce = nil }),
            ("nonce", .mismatch, { $0.nonce = try Nonce("m") }),
            ("at_hash", .mismatch, { $0.accessTokenHash = IDTokenClaims.hash(of: try AccessToken("other")) }),
            ("exp", .expired, { $0.expiresAt = Sample.now.advanced(by: .seconds(-61)) }),
            ("iat", .tooEarly, { $0.issuedAt = Sample.now.advanced(by: .seconds(61)) }),
            ("auth_time", .missing, { $0.authenticatedAt = nil }),
            ("auth_time", .expired, { $0.authenticatedAt = Sample.now.advanced(by: .seconds(-121)) }),
        ]
        for (name, fault, change) in cases {
            var claims = try claims()
            try change(&claims)
            #expect(throws: JOSEError.claim(name: name, fault)) { try claims.validate(expectation(), now: Sample.now) }
        }
    }
}
