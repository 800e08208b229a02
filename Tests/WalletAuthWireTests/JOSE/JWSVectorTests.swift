import Crypto
import Foundation
import Testing
import WalletAuthWire

@Suite("Published JOSE vectors") struct JWSVectorTests {
    private func p256(_ x: String, _ y: String) throws -> JWK {
        try JWK(Sample.json(#"{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)"}"#))
    }

    @Test("The ES256 example of RFC 7515 appendix A.3 verifies, and its payload is the bytes that were signed")
    func appendixA3() throws {
        let key = try p256(JOSEVectors.RFC7515A3.x, JOSEVectors.RFC7515A3.y)
        let verified = try CompactJWS(JOSEVectors.RFC7515A3.compact).verified(by: key.verifier())
        #expect(verified.payload == Base64URL.decode(JOSEVectors.RFC7515A3.payload))
        let claims = try verified.claims()
        #expect(claims.issuer == "joe")
        #expect(try claims.requiredDate("exp").secondsSince1970 == 1_300_819_380)
        #expect(claims.object["http://example.com/is_root"]?.bool == true)
    }

    @Test("The general serialization of RFC 7515 appendix A.6 is read, and its second signature verifies")
    func appendixA6() throws {
        let general = try GeneralJWS(Array(JOSEVectors.rfc7515A6.utf8))
        #expect(general.signatures.map(\.header.algorithm) == [.rs256, .es256])
        #expect(general.signatures[0].signature == Base64URL.decode(JOSEVectors.rfc7515A2Signature))
        let key = try p256(JOSEVectors.RFC7515A3.x, JOSEVectors.RFC7515A3.y)
        let verified = try general.signatures[1].verified(by: key.verifier())
        #expect(verified.payload == Base64URL.decode(JOSEVectors.RFC7515A3.payload))
    }

    @Test("The unsecured example of RFC 7515 appendix A.5 is refused")
    func appendixA5() {
        #expect(throws: JOSEError.algorithmNotAllowed) {
            try CompactJWS("eyJhbGciOiJub25lIn0." + JOSEVectors.RFC7515A3.payload + ".")
        }
    }

    @Test("The thumbprint of RFC 7638 section 3.1 is computed, whatever else the key says about itself")
    func thumbprintRSA() throws {
        let n = JOSEVectors.RFC7638.modulus
        let key = try JWK(
            Sample.json(#"{"kty":"RSA","n":"\#(n)","e":"AQAB","alg":"RS256","kid":"2011-04-29","x-other":1}"#))
        #expect(key.thumbprint.rawValue == JOSEVectors.RFC7638.thumbprint)
        #expect(key.keyID == "2011-04-29")
    }

    @Test("The Ed25519 key, thumbprint and signature of RFC 8037 appendix A come out")
    func ed25519() throws {
        let seed = try #require(Base64URL.decode(JOSEVectors.RFC8037.d))
        let signer = Ed25519Signer(try Curve25519.Signing.PrivateKey(rawRepresentation: seed))
        let key = try JWK(Sample.json(#"{"kty":"OKP","crv":"Ed25519","x":"\#(JOSEVectors.RFC8037.x)"}"#))
        #expect(signer.publicJWK == key)
        #expect(key.thumbprint.rawValue == JOSEVectors.RFC8037.thumbprint)
        let verified = try CompactJWS(JOSEVectors.RFC8037.compact).verified(by: key.verifier())
        #expect(verified.payload == Array("Example of Ed25519 signing".utf8))
        // Ed25519 is deterministic in the RFC; CryptoKit's is not, so the own signature is verified, not compared.
        let encoder = try CompactJWSEncoder(signer: signer, type: nil)
        let own = try encoder.encode(verified.payload, signer: signer)
        #expect(own.hasPrefix("eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc."))
        #expect(try CompactJWS(own).verified(by: key.verifier()).payload == verified.payload)
    }

    @Test("Ed25519 is taken by both of its names, in a header and in a key (RFC 8037, RFC 9864)")
    func ed25519Names() throws {
        let signer = Ed25519Signer(Curve25519.Signing.PrivateKey())
        let x = try #require(signer.publicJWK?.publicMembers["x"]?.string)
        for name in ["EdDSA", "Ed25519"] {
            let key = try JWK(Sample.json(#"{"kty":"OKP","crv":"Ed25519","x":"\#(x)","alg":"\#(name)"}"#))
            let text = try Sample.compact(header: #"{"alg":"\#(name)"}"#, payload: "{}", by: signer)
            #expect(try CompactJWS(text).verified(by: key.verifier()).header.algorithm == .edDSA)
        }
        #expect(SigningAlgorithm.edDSA.names == ["EdDSA", "Ed25519"])
        #expect(SigningAlgorithm.es256.names == ["ES256"])
        #expect(SigningAlgorithm(named: "ed25519") == nil && SigningAlgorithm(named: "ES256K") == nil)
    }

    @Test("The type of a plain JWT is written in upper case, and read in any (RFC 7519 section 5.1)")
    func plainType() throws {
        let signer = P256Signer(P256.Signing.PrivateKey())
        for (type, name) in [(JWSType.jwt, "JWT"), (.accessToken, "at+jwt"), (.dpop, "dpop+jwt")] {
            let text = try CompactJWSEncoder(signer: signer, type: type).encode([1], signer: signer)
            let header = try #require(Base64URL.decode(String(text.prefix { $0 != "." })))
            #expect(try JSONValue.object(parsing: header)["typ"]?.string == name)
            #expect(try CompactJWS(text).header.type == type)
        }
        #expect(JWSType("JWT") == .jwt && JWSType("application/Jwt") == .jwt)
    }

    @Test("A key set keeps its keys through JSON, leaves out kinds that it does not know, and refuses private keys")
    func keySets() throws {
        let n = JOSEVectors.RFC7638.modulus
        let text = #"""
            {"keys":[{"kty":"oct-future","kid":"a"},{"kty":"EC","crv":"P-384","x":"AA","y":"AA","kid":"b"},
             {"kty":"OKP","crv":"Ed25519","x":"\#(JOSEVectors.RFC8037.x)","kid":"c","use":"sig"},
             {"kty":"RSA","n":"\#(n)","e":"AQAB","kid":"d","use":"enc"},{"kty":"RSA","n":"\#(n)","e":"AQAB","kid":"e"}]}
            """#
        let set = try JWKSet(Sample.json(text))
        #expect(set.keys.map(\.keyID) == ["c", "e"])
        #expect(try JWKSet(set.json) == set)
        #expect(set["e"]?.algorithm == .rs256)
        #expect(throws: JOSEError.self) {
            try JWKSet(
                Sample.json(#"{"keys":[{"kty":"OKP","crv":"Ed25519","x":"\#(JOSEVectors.RFC8037.x)","d":"AA"}]}"#))
        }
    }
}
