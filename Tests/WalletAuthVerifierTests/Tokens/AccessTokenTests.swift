import Crypto
import Testing
import WalletAuthWire

@testable import WalletAuthVerifier

@Suite("Access tokens at a backend", .threat("forged, misdirected or doubled tokens")) struct AccessTokenTests {
    private let server: TestIssuer
    private let verifier: AccessTokenVerifier

    init() throws {
        server = try TestIssuer()
        verifier = try server.verifier()
    }

    @Test("A good bearer token lets its person in, under the scheme in any case")
    func good() async throws {
        for scheme in ["Bearer", "bearer", "BEARER "] {
            let request = PresentedRequest(
                method: "GET", path: "/accounts", authorization: ["\(scheme) \(try server.token())"])
            let access = try await verifier.verify(request)
            #expect(access.person?.account.rawValue == TestIssuer.account)
            #expect(access.person?.session.rawValue == TestIssuer.session)
            #expect(access.claims.scope.contains("payments"))
            #expect(access.tokenType == .bearer)
            #expect(access.responseHeaders.isEmpty)
        }
    }

    @Test("A refusal is one line in the log: its code and its reason, without the token and the response")
    func inLog() async throws {
        let token = try server.token(["aud": .string("https://other.example")])
        let refusal = try await verifier.requiredRefusal(of: .bearer(token))
        #expect("\(refusal)" == "invalid_token: \(refusal.reason)")
        #expect(!refusal.reason.contains(token))
    }

    @Test("The sender of a token with the issuer's signature learns its fault; attack: that of a forged one does not")
    func faultsThatAreTold() async throws {
        let expired = try server.token(["exp": .integer(server.clock.now().secondsSince1970 - 3600)])
        let elsewhere = try server.token(["aud": .string("https://other.example")])
        for (token, told) in [(expired, "The access token expired 3600 seconds ago"), (elsewhere, "another audience")] {
            let refusal = try await verifier.requiredRefusal(of: .bearer(token))
            #expect(refusal.code == .invalidToken)
            #expect(refusal.answer.values("WWW-Authenticate").allSatisfy { $0.contains(told) })
            let parts = token.split(separator: ".")
            let forged = try await verifier.requiredRefusal(
                of: .bearer("\(parts[0]).\(parts[1]).\(String(parts[2].reversed()))"))
            #expect(
                forged.answer.values("WWW-Authenticate").allSatisfy {
                    $0.contains("The access token is not valid here")
                })
        }
    }

    @Test("A request without a token learns how to bring one, and gets no error (RFC 6750 section 3.1)")
    func missing() async throws {
        for authorization in [[], ["Basic YTpi"], [""]] {
            let request = PresentedRequest(method: "GET", path: "/", authorization: authorization)
            let refusal = try await verifier.requiredRefusal(of: request)
            #expect(refusal.code == .missingToken)
            #expect(refusal.answer.status == 401)
            #expect(
                refusal.answer.values("WWW-Authenticate") == [
                    #"DPoP algs="ES256 EdDSA Ed25519", realm="https://api.example""#,
                    #"Bearer realm="https://api.example""#,
                ])
            #expect(refusal.answer.values("Content-Type") == ["application/problem+json"])
            #expect(refusal.answer.values("Cache-Control") == ["no-store"])
        }
        #expect(server.keyFetches == 0)
    }

    @Test("A request by the scheme DPoP is challenged by DPoP alone, whatever is wrong with it (RFC 9449 section 7.1)")
    func presentedScheme() async throws {
        for header in ["DPoP", "DPoP nonsense", "dpop \(try server.token())", "DPoP a b"] {
            let refusal = try await verifier.requiredRefusal(
                of: PresentedRequest(method: "GET", path: "/", authorization: [header]))
            let challenges = refusal.answer.values("WWW-Authenticate")
            #expect(challenges.count == 1, "\(header)")
            #expect(challenges.first?.hasPrefix("DPoP ") == true, "\(header)")
        }
    }

    @Test("attack: two Authorization headers, two tokens in one, or no token are 400")
    func several() async throws {
        let token = try server.token()
        for authorization in [["Bearer \(token)", "Bearer \(token)"], ["Bearer \(token) \(token)"], ["Bearer"]] {
            let refusal = await verifier.refusal(
                of: PresentedRequest(method: "GET", path: "/", authorization: authorization))
            #expect(refusal?.code == .invalidRequest)
            #expect(refusal?.answer.status == 400)
        }
    }

    @Test(
        "attack: none, HMAC by the public key, RSA, another's key, keys in the header, critical extensions and other types"
    )
    func forgeries() async throws {
        let stranger = P256Signer(P256.Signing.PrivateKey(), keyID: "key-1")
        let strangersKey = JSONValue.object(try #require(stranger.publicJWK).json)
        let publicKey = try #require(server.key.publicJWK)
        var forged = [
            try server.token(header: ["alg": "none"]), try server.token(header: ["alg": "None"]),
            try server.token(header: ["alg": "RS256"]), try server.token(header: ["alg": "EdDSA"]),
            try server.token(header: ["alg": nil]), try server.token(by: stranger),
            try server.token(header: ["jwk": strangersKey], by: stranger),
            try server.token(header: ["jku": "https://evil.example/keys"], by: stranger),
            try server.token(header: ["x5u": "https://evil.example/chain"], by: stranger),
            try server.token(header: ["x5c": ["AA"]], by: stranger), try server.token(header: ["crit": ["x"]]),
            try server.token(header: ["typ": "jwt"]), try server.token(header: ["typ": "dpop+jwt"]),
            try server.token(header: ["typ": nil]), try server.token(header: ["typ": "wallet-operation+jwt"]),
        ]
        let unsigned = try server.token(header: ["alg": "none"]).split(separator: ".").prefix(2).joined(separator: ".")
        forged.append(unsigned + ".")
        // The classic confusion: an HMAC keyed by what everybody knows.
        let input = try server.token(header: ["alg": "HS256"]).split(separator: ".").prefix(2).joined(separator: ".")
        let mac = HMAC<SHA256>.authenticationCode(
            for: Array(input.utf8), using: SymmetricKey(data: JSONValue.object(publicKey.json).bytes))
        forged.append(input + "." + Base64URL.encode(Array(mac)))
        for token in forged {
            let refusal = await verifier.refusal(of: .bearer(token))
            #expect(refusal?.code == .invalidToken, "\(token.prefix(60))")
            #expect(refusal?.answer.status == 401)
        }
        let flipped = try server.token()
        let changed = String(flipped.dropLast()) + (flipped.hasSuffix("A") ? "Q" : "A")
        let refusal = await verifier.refusal(of: .bearer(changed))
        #expect(refusal?.code == .invalidToken)
        let good = await verifier.refusal(of: .bearer(flipped))
        #expect(good == nil)
    }

    @Test("A token of another issuer, even by a single letter, or for another audience is refused")
    func issuerAndAudience() async throws {
        for (name, value) in [
            ("iss", "https://auth.example/"), ("iss", "https://AUTH.example"), ("iss", nil),
            ("aud", "https://api.example/"), ("aud", ["https://other.example"]), ("aud", []), ("aud", nil),
        ] as [(String, JSONValue?)] {
            let refusal = await verifier.refusal(of: .bearer(try server.token([name: value])))
            #expect(refusal?.code == .invalidToken, "\(name) \(String(describing: value))")
        }
        let several = await verifier.refusal(
            of: .bearer(try server.token(["aud": ["https://other.example", "https://api.example"]])))
        #expect(several == nil)
    }

    @Test("A token that is over, not yet good, or good for years is refused; half a minute is forgiven")
    func times() async throws {
        let now = server.clock.now().secondsSince1970
        let cases: [(String, Int64, Bool)] = [
            ("exp", now - 29, true), ("exp", now - 30, false), ("exp", now - 1000, false),
            ("exp", now + 3630, true), ("exp", now + 3631, false), ("exp", now + 315_360_000, false),
            ("iat", now + 30, true), ("iat", now + 31, false), ("nbf", now + 30, true), ("nbf", now + 31, false),
            ("iat", now - 3631, false),
        ]
        for (name, value, isGood) in cases {
            let refusal = await verifier.refusal(of: .bearer(try server.token([name: .integer(value)])))
            #expect((refusal == nil) == isGood, "\(name) \(value - now)")
        }
        for name in ["exp", "iat", "sub", "client_id", "jti"] {
            let refusal = await verifier.refusal(of: .bearer(try server.token([name: nil])))
            #expect(refusal?.code == .invalidToken, "\(name)")
        }
    }

    @Test("A token that was let in is refused once it is over, though it is remembered")
    func remembered() async throws {
        let token = try server.token()
        for _ in 0..<3 {
            let refusal = await verifier.refusal(of: .bearer(token))
            #expect(refusal == nil)
        }
        server.clock.advance(by: .seconds(329))
        let shortlyBefore = await verifier.refusal(of: .bearer(token))
        #expect(shortlyBefore == nil)
        server.clock.advance(by: .seconds(1))
        let after = await verifier.refusal(of: .bearer(token))
        #expect(after?.code == .invalidToken)
    }

    @Test("No more tokens are remembered than there is room for")
    func bounded() throws {
        let client = try ClientID("app")
        let tokens = VerifiedTokenCache(capacity: 10)
        for number in 0..<1000 {
            let claims = AccessTokenClaims(
                issuer: "i", subject: "s", audience: ["a"], clientID: client, expiresAt: .latest,
                issuedAt: ManualBackendClock.start, id: "\(number)", scope: .none)
            tokens.keep(claims, of: SHA256.hash(data: Array("\(number)".utf8)), generation: 1)
        }
        #expect(tokens.count <= 10)
        #expect(tokens.claims(of: SHA256.hash(data: Array("999".utf8)), generation: 1)?.id == "999")
        #expect(tokens.claims(of: SHA256.hash(data: Array("999".utf8)), generation: 2) == nil)
        #expect(tokens.claims(of: SHA256.hash(data: Array("1".utf8)), generation: 1) == nil)
    }

    @Test("A client for itself is no person, whatever its subject looks like")
    func clients() async throws {
        let request = PresentedRequest.bearer(try server.token(["sid": nil]))
        let access = try await verifier.verify(request)
        #expect(access.person == nil)
        await #expect(throws: AccessRefusal.self) { try await verifier.verifyPerson(request) }
        do { _ = try await verifier.verifyPerson(request) } catch {
            #expect(error.code == .personRequired)
            #expect(error.answer.status == 403)
        }
    }

    @Test("A request, its refusal and the reflection of both show no token")
    func secrets() async throws {
        let token = try server.token(["aud": "other"])
        let request = PresentedRequest.bearer(token)
        let refusal = try await verifier.requiredRefusal(of: request)
        var dumped = "\(request) \(String(reflecting: refusal))"
        dump(request, to: &dumped)
        dump(refusal, to: &dumped)
        for part in token.split(separator: ".").dropFirst() { #expect(!dumped.contains(part)) }
    }
}
