import Crypto
import Testing
import WalletAuthWire

@Suite("Attacks on JWS", .threat("Malformed tokens and JSON")) struct JWSAttackTests {
    private let signer = P256Signer(P256.Signing.PrivateKey(), keyID: "k1")
    private let claims = #"{"sub":"a"}"#

    private func verifier(_ signer: any JWSSigner) throws -> any JWSVerifier {
        try #require(signer.publicJWK).verifier()
    }

    @Test("What was signed verifies, and one changed bit anywhere does not")
    func changedBits() throws {
        let text = try CompactJWSEncoder(signer: signer, type: .jwt).encode(Array(claims.utf8), signer: signer)
        let verifier = try verifier(signer)
        #expect(try CompactJWS(text).verified(by: verifier, type: .jwt).payload == Array(claims.utf8))
        for index in text.utf8.indices {
            var bytes = Array(text.utf8)
            bytes[text.utf8.distance(from: text.startIndex, to: index)] ^= 1
            #expect(throws: JOSEError.self) {
                _ = try CompactJWS(String(decoding: bytes, as: UTF8.self)).verified(by: verifier, type: .jwt)
            }
        }
    }

    @Test(
        "alg none in every spelling, and every algorithm that is not here, is refused",
        arguments: [
            "none", "None", "NONE", "nOnE", "", "HS256", "HS512", "ES384", "es256", "PS256", "RS1", "ES256 ", "ES256K",
        ])
    func algorithmNone(name: String) throws {
        let header = #"{"alg":"\#(name)"}"#
        #expect(throws: JOSEError.algorithmNotAllowed) {
            try CompactJWS(Sample.base64url(header) + "." + Sample.base64url(claims) + ".")
        }
        let signed = try Sample.compact(header: header, payload: claims, by: signer)
        #expect(throws: JOSEError.algorithmNotAllowed) { try CompactJWS(signed) }
    }

    @Test(
        "alg missing, or of another type than a string, is refused",
        arguments: ["{}", #"{"alg":null}"#, #"{"alg":["ES256"]}"#, #"{"alg":256}"#])
    func algorithmMissing(header: String) throws {
        let text = try Sample.compact(header: header, payload: claims, by: signer)
        #expect(throws: JOSEError.algorithmNotAllowed) { try CompactJWS(text) }
    }

    @Test("Algorithm confusion: HS256 with the public key as secret is refused before any key is touched")
    func confusionWithHMAC() throws {
        let input = Sample.base64url(#"{"alg":"HS256","kid":"k1"}"#) + "." + Sample.base64url(claims)
        let publicKey = try #require(signer.publicJWK)
        let tag = HMAC<SHA256>.authenticationCode(
            for: Array(input.utf8), using: SymmetricKey(data: publicKey.json.bytes))
        #expect(throws: JOSEError.algorithmNotAllowed) { try CompactJWS(input + "." + Base64URL.encode(Array(tag))) }
    }

    @Test(
        "Algorithm confusion: a header that names another algorithm than the key's is refused",
        arguments: ["EdDSA", "RS256", "Ed25519"])
    func confusionBetweenKeys(name: String) throws {
        let text = try Sample.compact(header: #"{"alg":"\#(name)","kid":"k1"}"#, payload: claims, by: signer)
        let verifier = try verifier(signer)
        #expect(throws: JOSEError.algorithmDoesNotFitKey) { try CompactJWS(text).verified(by: verifier) }
        #expect(throws: JOSEError.algorithmDoesNotFitKey) { try CompactJWS(text).verified(by: [verifier]) }
    }

    @Test(
        "A key that the sender brings along in jwk, jku, x5u or x5c is refused",
        arguments: ["jwk", "jku", "x5u", "x5c"])
    func embeddedKey(name: String) throws {
        let jwk = JSONValue.object(try #require(signer.publicJWK).publicMembers).text
        let values = ["jwk": jwk, "x5c": #"["MIIB"]"#]
        let value = values[name] ?? #""https://evil.example/keys""#
        let text = try Sample.compact(header: #"{"alg":"ES256","\#(name)":\#(value)}"#, payload: claims, by: signer)
        #expect(throws: JOSEError.headerNotAllowed(name)) { try CompactJWS(text) }
    }

    @Test(
        "crit is refused, empty or not, and so is anything that would make the token other than a plain JWS",
        arguments: [
            ("crit", #"["exp"]"#), ("crit", "[]"), ("crit", "null"), ("crit", #"["b64"]"#), ("b64", "false"),
            ("enc", #""A256GCM""#), ("zip", #""DEF""#),
        ])
    func critical(name: String, value: String) throws {
        let text = try Sample.compact(header: #"{"alg":"ES256","\#(name)":\#(value)}"#, payload: claims, by: signer)
        #expect(throws: JOSEError.headerNotAllowed(name)) { try CompactJWS(text) }
    }

    @Test("A duplicated member in header or claims is refused, whichever reading an attacker hopes for")
    func doubledMembers() throws {
        let header = try Sample.compact(header: #"{"alg":"none","alg":"ES256"}"#, payload: claims, by: signer)
        #expect(throws: JOSEError.self) { try CompactJWS(header) }
        let payload = try Sample.compact(header: #"{"alg":"ES256"}"#, payload: #"{"sub":"a","sub":"b"}"#, by: signer)
        let verified = try CompactJWS(payload).verified(by: verifier(signer))
        #expect(throws: JOSEError.self) { try verified.claims() }
    }

    @Test(
        "Malformed texts are refused",
        arguments: [
            "", ".", "..", "...", "a.b", "a.b.c.d", "eyJhbGciOiJFUzI1NiJ9", "eyJhbGciOiJFUzI1NiJ9.e30",
            " eyJhbGciOiJFUzI1NiJ9.e30.AA",
        ])
    func malformed(text: String) {
        #expect(throws: JOSEError.self) { try CompactJWS(text) }
    }

    @Test("A second spelling of a signature (padding, other alphabet, spare bits) is refused")
    func secondSpelling() throws {
        let text = JOSEVectors.RFC7515A3.compact
        let spellings = [
            text + "==", text + "=", String(text.dropLast()) + "R", text.replacing("-", with: "+"), text + "\n",
        ]
        for other in spellings {
            #expect(throws: JOSEError.malformed) { try CompactJWS(other) }
        }
    }

    @Test("A signature in DER, cut short, too long or of zeros is refused")
    func signatureForms() throws {
        let key = P256.Signing.PrivateKey()
        let input = Sample.base64url(#"{"alg":"ES256"}"#) + "." + Sample.base64url(claims)
        let signature = try key.signature(for: Array(input.utf8))
        let verifier = P256Verifier(key.publicKey)
        let raw = Array(signature.rawRepresentation)
        for bytes in [
            Array(signature.derRepresentation), Array(raw.dropLast()), raw + [0], [UInt8](repeating: 0, count: 64), [],
        ] {
            #expect(throws: JOSEError.invalidSignature) {
                try CompactJWS(input + "." + Base64URL.encode(bytes)).verified(by: verifier)
            }
        }
        #expect(throws: Never.self) { try CompactJWS(input + "." + Base64URL.encode(raw)).verified(by: verifier) }
    }

    @Test("A token of one type does not pass as another (RFC 8725 section 3.11)")
    func types() throws {
        let verifier = try verifier(signer)
        for (written, passes) in [
            ("at+jwt", true), ("application/at+jwt", true), ("AT+JWT", true), ("JWT", false), ("dpop+jwt", false),
            ("", false),
        ] {
            let text = try Sample.compact(header: #"{"alg":"ES256","typ":"\#(written)"}"#, payload: claims, by: signer)
            if passes {
                #expect(throws: Never.self) { try CompactJWS(text).verified(by: verifier, type: .accessToken) }
            } else {
                #expect(throws: JOSEError.wrongType) { try CompactJWS(text).verified(by: verifier, type: .accessToken) }
            }
        }
        let untyped = try Sample.compact(header: #"{"alg":"ES256"}"#, payload: claims, by: signer)
        #expect(throws: JOSEError.wrongType) { try CompactJWS(untyped).verified(by: verifier, type: .accessToken) }
    }

    @Test("The key is chosen by kid, and without kid any of eight keys may have signed")
    func keyChoice() throws {
        let other = P256Signer(P256.Signing.PrivateKey(), keyID: "k2")
        let verifiers = try [verifier(other), verifier(signer)]
        let named = try CompactJWSEncoder(signer: signer, type: nil).encode([], signer: signer)
        #expect(throws: Never.self) { try CompactJWS(named).verified(by: verifiers) }
        let nameless = try Sample.compact(header: #"{"alg":"ES256"}"#, payload: claims, by: signer)
        for keys in [verifiers, Array(verifiers.reversed())] {
            #expect(throws: Never.self) { try CompactJWS(nameless).verified(by: keys) }
        }
        let strangers = try (1...8).map { try verifier(P256Signer(P256.Signing.PrivateKey(), keyID: "s\($0)")) }
        #expect(throws: JOSEError.invalidSignature) { try CompactJWS(nameless).verified(by: strangers) }
        #expect(throws: JOSEError.unknownKey) { try CompactJWS(nameless).verified(by: strangers + verifiers) }
        let unknown = try Sample.compact(header: #"{"alg":"ES256","kid":"../../k1"}"#, payload: claims, by: signer)
        #expect(throws: JOSEError.unknownKey) { try CompactJWS(unknown).verified(by: verifiers) }
        let wrong = try Sample.compact(header: #"{"alg":"ES256","kid":"k2"}"#, payload: claims, by: signer)
        #expect(throws: JOSEError.invalidSignature) { try CompactJWS(wrong).verified(by: verifiers) }
    }

    @Test("Huge tokens, headers, numbers and nesting are refused")
    func huge() throws {
        #expect(throws: JOSEError.tooLarge) { try CompactJWS(String(repeating: "A", count: 20_000)) }
        let header = try Sample.compact(
            header: #"{"alg":"ES256","x":"\#(String(repeating: "a", count: 5000))"}"#, payload: claims, by: signer)
        #expect(throws: JOSEError.self) { try CompactJWS(header) }
        for payload in [
            #"{"exp":1e400}"#, #"{"exp":99999999999999999999}"#, String(repeating: "[", count: 5000),
            #"{"a":"# + String(repeating: "[", count: 9) + String(repeating: "]", count: 9) + "}",
        ] {
            #expect(throws: JOSEError.self) { try JWTClaims(parsing: Array(payload.utf8)) }
        }
    }

    @Test(
        "Keys that are none are refused: off the curve, wrong curve, private, symmetric, short or even RSA, exponent 1",
        arguments: [
            #"{"kty":"EC","crv":"P-256","x":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA","y":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}"#,
            #"{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"}"#,
            #"{"kty":"EC","crv":"P-521","x":"AA","y":"AA"}"#, #"{"kty":"EC","crv":"secp256k1","x":"AA","y":"AA"}"#,
            #"{"kty":"oct","k":"AA"}"#,
            #"{"kty":"OKP","crv":"X25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#,
            #"{"kty":"OKP","crv":"Ed25519","x":"11qY"}"#,
            #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","d":"AA"}"#,
            #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","use":"enc"}"#,
            #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","alg":"ES256"}"#,
            #"{"kty":"RSA","n":"AQAB","e":"AQAB"}"#, #"{"kty":"RSA","n":"\#(JOSEVectors.RFC7638.modulus)","e":"AQ"}"#,
            #"{"kty":"RSA","n":"\#(JOSEVectors.RFC7638.modulus)","e":"AAEAAQ"}"#,
            #"{"kty":"RSA","n":"\#(JOSEVectors.RFC7638.modulus)","e":"Ag"}"#,
            #"{"kty":"RSA","n":"\#(JOSEVectors.RFC7638.modulus.dropLast())g","e":"AQAB"}"#, "{}", #"{"kty":7}"#,
        ])
    func keys(text: String) {
        #expect(throws: JOSEError.self) { try JWK(Sample.json(text)) }
    }

    @Test("An RSA key has no verifier here, so that a server-side file alone decides about RSA")
    func rsaHook() throws {
        let key = try JWK(Sample.json(#"{"kty":"RSA","n":"\#(JOSEVectors.RFC7638.modulus)","e":"AQAB"}"#))
        #expect(throws: JOSEError.algorithmNotAllowed) { try key.verifier() }
    }
}
