import Core
import Testing
import WalletAuthWire

@Suite("Signing keys")
struct SigningKeyTests {
    @Test("The RS256 example of RFC 7515 appendix A.2 verifies, and a changed one does not")
    func rfc7515() throws {
        let n =
            "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ"
        let jws =
            "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw"
        let modulus = try #require(Base64URL.decode(n))
        let verifier = try RS256Verifier(JWK(.rsa(modulus: modulus, exponent: [1, 0, 1])))
        let token = try CompactJWS(jws)
        #expect(try token.verified(by: verifier).claims().issuer == "joe")
        #expect(!verifier.isValid(token.signature, for: token.signingInput + [0]))
        #expect(!verifier.isValid(Array(token.signature.dropLast()), for: token.signingInput))
    }

    @Test("A key signs, is stored and read back, and verifies its own", arguments: SigningAlgorithm.allCases)
    func roundTrip(algorithm: SigningAlgorithm) throws {
        let key = try SigningKey.generate(algorithm, id: "k1")
        let read = try SigningKey(algorithm, id: "k1", privateBytes: key.privateBytes)
        #expect(read.publicKey == key.publicKey)
        var claims = IDTokenClaims(
            issuer: "https://auth.example.com", subject: "s", audience: ["app"],
            expiresAt: NumericDate(clamping: 1_800_003_600), issuedAt: NumericDate(clamping: 1_800_000_000))
        claims.nonce = try Nonce("n")
        let token = try CompactJWS(try read.idToken(claims).reveal())
        #expect(token.header.algorithm == algorithm)
        #expect(token.header.keyID == "k1")
        #expect(try token.verified(by: key.verifier, type: .jwt).claims().subject == "s")
    }

    @Test("A key of one algorithm is not confused with one of another")
    func confusion() throws {
        let rsa = try SigningKey.generate(.rs256, id: "k")
        let ec = try SigningKey.generate(.es256, id: "k")
        let claims = IDTokenClaims(
            issuer: "i", subject: "s", audience: ["a"], expiresAt: NumericDate(clamping: 2),
            issuedAt: NumericDate(clamping: 1))
        let token = try CompactJWS(try rsa.idToken(claims).reveal())
        #expect(throws: JOSEError.algorithmDoesNotFitKey) { try token.verified(by: ec.verifier) }
    }

    @Test("A published key signs only when every cached key set holds it")
    func schedule() {
        let schedule = SigningKeySchedule()
        let now = Timestamp(seconds: 1_800_000_000)
        #expect(!schedule.maySign(publishedAt: now, now: now + schedule.keySetMaximumAge))
        #expect(schedule.maySign(publishedAt: now, now: now + schedule.publicationLead))
        #expect(schedule.publicationLead > schedule.keySetMaximumAge)
    }
}
