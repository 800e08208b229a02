import Crypto
import Testing
import WalletAuthWire

@Suite("DPoP proofs") struct DPoPTests {
    private let signer = P256Signer(P256.Signing.PrivateKey())
    private let now = Sample.now

    private func expectation(
        _ url: String = "https://a.example/oauth2/token", method: String = "POST", token: AccessToken? = nil
    ) throws -> DPoPProof.Expectation {
        DPoPProof.Expectation(method: method, target: try HTTPTarget(url), accessToken: token)
    }

    private func proof(header: String? = nil, _ changes: [String: JSONValue?] = [:]) throws -> String {
        var claims = JSONObject()
        claims["jti"] = "id-1"
        claims["htm"] = "POST"
        claims["htu"] = "https://a.example/oauth2/token"
        claims.set("iat", now)
        for (name, value) in changes { claims[name] = value }
        let key = JSONValue.object(try #require(signer.publicJWK).publicMembers).text
        return try Sample.compact(
            header: header ?? #"{"typ":"dpop+jwt","alg":"ES256","jwk":\#(key)}"#,
            payload: JSONValue.object(claims).text, by: signer)
    }

    @Test("The proof for a token request in RFC 9449 section 4 verifies")
    func tokenRequest() throws {
        let expected = try expectation("https://server.example.com/token")
        let proof = try DPoPProof.verified(
            JOSEVectors.RFC9449.tokenProof, for: expected, now: NumericDate(clamping: 1_562_262_616))
        #expect(proof.id == "-BwC3ESc6acc2lTc")
        #expect(proof.thumbprint.rawValue == JOSEVectors.RFC9449.thumbprint)
        #expect(proof.nonce == nil)
    }

    @Test("The proof for a protected resource in RFC 9449 section 7 verifies, with the hash of its access token")
    func protectedResource() throws {
        let token = try AccessToken(JOSEVectors.RFC9449.accessToken)
        #expect(DPoPProof.hash(of: token) == JOSEVectors.RFC9449.accessTokenHash)
        let expected = try expectation("https://resource.example.org/protectedresource", method: "GET", token: token)
        let proof = try DPoPProof.verified(
            JOSEVectors.RFC9449.resourceProof, for: expected, now: NumericDate(clamping: 1_562_262_618))
        #expect(proof.accessTokenHash == JOSEVectors.RFC9449.accessTokenHash)
    }

    @Test("A proof that is made verifies, by a key that waits as well as by one that does not")
    func roundTrip() async throws {
        let token = try AccessToken("at")
        let content = DPoPProofContent(
            id: "id-2", method: "GET", target: try HTTPTarget("https://A.example:443/x/../y?q=1#f"), issuedAt: now,
            nonce: try Nonce("n"), accessToken: token)
        let waiting: any AsyncJWSSigner = signer
        let atOnce = { try content.signed(by: signer) }
        for text in [try atOnce(), try await content.signed(by: waiting)] {
            let proof = try DPoPProof.verified(
                text, for: expectation("https://a.example/y", method: "GET", token: token), now: now)
            #expect(proof.id == "id-2")
            #expect(proof.nonce?.rawValue == "n")
            #expect(proof.key == signer.publicJWK)
        }
    }

    @Test("A proof for another method, URL or access token is refused")
    func otherRequest() throws {
        let text = try proof()
        #expect(throws: Never.self) { try DPoPProof.verified(text, for: expectation(), now: now) }
        #expect(throws: JOSEError.claim(name: "htm", .mismatch)) {
            try DPoPProof.verified(text, for: expectation(method: "GET"), now: now)
        }
        for url in [
            "https://a.example/oauth2/revoke", "https://b.example/oauth2/token", "http://a.example/oauth2/token",
            "https://a.example:444/oauth2/token", "https://a.example/oauth2/token/", "https://a.example/oauth2/Token",
        ] {
            #expect(throws: JOSEError.claim(name: "htu", .mismatch)) {
                try DPoPProof.verified(text, for: expectation(url), now: now)
            }
        }
        let token = try AccessToken("at")
        #expect(throws: JOSEError.claim(name: "ath", .missing)) {
            try DPoPProof.verified(text, for: expectation(token: token), now: now)
        }
        let other = try proof(["ath": .string(DPoPProof.hash(of: AccessToken("other")))])
        #expect(throws: JOSEError.claim(name: "ath", .mismatch)) {
            try DPoPProof.verified(other, for: expectation(token: token), now: now)
        }
    }

    @Test("A fault of a proof is a sentence that names the member; its values are for logs, short and without query")
    func faults() throws {
        for (fault, sentence) in [
            (.claim(name: "htu", .mismatch), "The proof's htu is for another URL."),
            (.claim(name: "htm", .mismatch), "The proof's htm is for another method."),
            (.claim(name: "ath", .mismatch), "The proof's ath is for another access token."),
            (.claim(name: "iat", .malformed), "The proof has a malformed iat."),
            (.claim(name: "jti", .missing), "The proof has no jti."),
            (.invalidSignature, "The proof has a wrong signature."),
        ] as [(JOSEError, String)] {
            #expect(DPoPProof.sentence(about: fault) == sentence)
        }
        func difference(_ changes: [String: JSONValue?], _ name: String) throws -> String? {
            DPoPProof.difference(
                in: try proof(changes), refusedFor: .claim(name: name, .mismatch), expected: try expectation())
        }
        let expected = "expected https://a.example/oauth2/token"
        let slash = try difference(["htu": "https://a.example/oauth2/token/?code=secret"], "htu")
        #expect(slash == "htu is https://a.example/oauth2/token/, \(expected)")
        let long = try difference(["htu": .string("https://a.example/" + String(repeating: "x", count: 1000))], "htu")
        #expect(try #require(long).utf8.count < 300)
        #expect(try difference(["htm": "GE\nT"], "htm") == "htm is GET, expected POST")
        #expect(try difference([:], "ath") == nil)
    }

    @Test("A proof that is too old, or from the future, is refused")
    func times() throws {
        let text = try proof()
        #expect(throws: Never.self) {
            try DPoPProof.verified(text, for: expectation(), now: now.advanced(by: .seconds(330)))
        }
        #expect(throws: JOSEError.claim(name: "iat", .expired)) {
            try DPoPProof.verified(text, for: expectation(), now: now.advanced(by: .seconds(331)))
        }
        #expect(throws: Never.self) {
            try DPoPProof.verified(text, for: expectation(), now: now.advanced(by: .seconds(-30)))
        }
        #expect(throws: JOSEError.claim(name: "iat", .tooEarly)) {
            try DPoPProof.verified(text, for: expectation(), now: now.advanced(by: .seconds(-31)))
        }
    }

    @Test("Where nonces tell the age of a proof, a clock within five minutes is accepted, and one further off is named")
    func clocks() throws {
        let proof = try DPoPProof.verified(proof(), for: expectation(), now: nil)
        for seconds in [-300, 0, 300] as [Int64] {
            #expect(proof.clockFault(at: now.advanced(by: .seconds(seconds))) == nil)
        }
        let ahead = try #require(proof.clockFault(at: now.advanced(by: .seconds(-721))))
        #expect(ahead.contains("12 min 1 s ahead of"))
        let behind = try #require(proof.clockFault(at: now.advanced(by: .seconds(301))))
        #expect(behind.contains("5 min 1 s behind"))
        let exact = try #require(proof.clockFault(at: now.advanced(by: .seconds(360))))
        #expect(exact.contains("6 min behind"))
        #expect(proof.clockFault(at: .latest) != nil)
    }

    @Test("A proof without jti, htm, htu or iat is refused, and so is one where they are malformed")
    func claims() throws {
        for name in ["jti", "htm", "htu", "iat"] {
            #expect(throws: JOSEError.claim(name: name, .missing)) {
                try DPoPProof.verified(proof([name: nil]), for: expectation(), now: now)
            }
            #expect(throws: JOSEError.claim(name: name, .malformed)) {
                try DPoPProof.verified(proof([name: true]), for: expectation(), now: now)
            }
        }
        for (name, value) in [
            ("jti", ""), ("jti", String(repeating: "j", count: 257)), ("htu", "not a url"),
            ("htu", "https://u@a.example/oauth2/token"), ("nonce", "a\nb"),
        ] {
            #expect(throws: JOSEError.claim(name: name, .malformed)) {
                try DPoPProof.verified(proof([name: .string(value)]), for: expectation(), now: now)
            }
        }
    }

    @Test("A proof by another key than the one in its header is refused")
    func otherKey() throws {
        let parts = try proof().split(separator: ".").map(String.init)
        let stranger = P256Signer(P256.Signing.PrivateKey())
        let signature = Base64URL.encode(try stranger.sign(Array((parts[0] + "." + parts[1]).utf8)))
        let forged = parts[0] + "." + parts[1] + "." + signature
        #expect(throws: JOSEError.invalidSignature) { try DPoPProof.verified(forged, for: expectation(), now: now) }
    }

    @Test(
        "A header without jwk, with a private, RSA or symmetric key, with none, or of another type is refused",
        .threat("Replayed proofs and assertions"))
    func headers() throws {
        let key = JSONValue.object(try #require(signer.publicJWK).publicMembers).text
        let headers = [
            #"{"typ":"dpop+jwt","alg":"ES256"}"#, #"{"typ":"dpop+jwt","alg":"ES256","jwk":"x"}"#,
            #"{"typ":"dpop+jwt","alg":"none","jwk":\#(key)}"#,
            #"{"typ":"dpop+jwt","alg":"HS256","jwk":{"kty":"oct","k":"AA"}}"#,
            #"{"typ":"dpop+jwt","alg":"EdDSA","jwk":\#(key)}"#,
            #"{"typ":"dpop+jwt","alg":"RS256","jwk":{"kty":"RSA","e":"AQAB","n":"\#(JOSEVectors.RFC7638.modulus)"}}"#,
            #"{"typ":"dpop+jwt","alg":"ES256","jwk":\#(key.dropLast()),"d":"AA"}}"#,
            #"{"typ":"jwt","alg":"ES256","jwk":\#(key)}"#, #"{"alg":"ES256","jwk":\#(key)}"#,
            #"{"typ":"dpop+jwt","alg":"ES256","jwk":\#(key),"crit":["x"]}"#,
            #"{"typ":"dpop+jwt","alg":"ES256","jwk":\#(key),"jku":"https://e.example"}"#,
        ]
        for header in headers {
            #expect(throws: JOSEError.self) {
                try DPoPProof.verified(proof(header: header), for: expectation(), now: now)
            }
        }
    }

    @Test("A proof that is longer than any proof is refused unread")
    func tooLong() throws {
        #expect(throws: JOSEError.tooLarge) {
            try DPoPProof.verified(
                proof(["x": .string(String(repeating: "x", count: 4096))]), for: expectation(), now: now)
        }
    }

    @Test(
        "htu is compared after normalization by syntax and scheme, without query and fragment",
        arguments: [
            ("https://A.Example/oauth2/token", "https://a.example/oauth2/token"),
            ("HTTPS://a.example:443/", "https://a.example/"), ("http://a.example:80", "http://a.example/"),
            ("https://a.example", "https://a.example/"), ("https://a.example/x?y=1#z", "https://a.example/x"),
            ("https://a.example/%7euser/%c3%a4", "https://a.example/~user/%C3%A4"),
            ("https://a.example/a/./b/../c/.", "https://a.example/a/c/"),
            ("https://a.example/../x", "https://a.example/x"), ("https://a.example/a/..", "https://a.example/"),
            ("https://a.example/%2e%2e/x", "https://a.example/x"),
            ("https://a.example:8443/x", "https://a.example:8443/x"), ("https://[::1]:443/x", "https://[::1]/x"),
            ("https://a.example//x", "https://a.example//x"), ("https://a.example:/x", "https://a.example/x"),
        ])
    func normalization(url: String, normalized: String) throws {
        #expect(try HTTPTarget(url).rawValue == normalized)
        #expect(try HTTPTarget(normalized).rawValue == normalized)
    }

    @Test(
        "What is no URL of an HTTP request is refused",
        arguments: [
            "", "/oauth2/token", "ftp://a.example/", "https:/x", "https://", "https://u:p@a.example/",
            "https://a.example:99999/",
        ])
    func noTarget(url: String) {
        #expect(throws: MalformedValue.self) { try HTTPTarget(url) }
    }
}
