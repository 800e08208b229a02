import Testing
import WalletAuthWire

@Suite("PKCE") struct PKCETests {
    @Test("The verifier of RFC 7636 appendix B has the challenge of appendix B")
    func appendixB() throws {
        let verifier = try CodeVerifier(Sample.verifierText)
        #expect(CodeChallenge(verifier: verifier).rawValue == Sample.challengeText)
        #expect(try CodeChallenge(Sample.challengeText).verify(verifier))
        let octets: [UInt8] = [
            116, 24, 223, 180, 151, 153, 224, 37, 79, 250, 96, 125, 216, 173, 187, 186, 22, 212, 37, 77, 105, 214, 191,
            240, 91,
            88, 5, 88, 83, 132, 141, 121,
        ]
        #expect(try CodeVerifier(random: octets) == verifier)
    }

    @Test("Another verifier, or the challenge itself as verifier (plain), does not verify")
    func wrongVerifier() throws {
        let challenge = try CodeChallenge(Sample.challengeText)
        #expect(try !challenge.verify(CodeVerifier(String(repeating: "a", count: 43))))
        #expect(try !challenge.verify(CodeVerifier(Sample.challengeText)))
    }

    @Test(
        "A verifier that is too short, too long or has other characters is refused",
        arguments: [
            "", String(repeating: "a", count: 42), String(repeating: "a", count: 129),
            String(repeating: "a", count: 42) + "+",
            String(repeating: "a", count: 42) + "\u{0}", String(repeating: "a", count: 41) + "ä",
        ])
    func malformedVerifier(text: String) {
        #expect(throws: MalformedValue.self) { try CodeVerifier(text) }
    }

    @Test(
        "A challenge that is no SHA-256, or one in non-canonical base64url, is refused",
        arguments: [
            "", "abc", Sample.challengeText + "=", String(Sample.challengeText.dropLast()) + "N",
            Sample.challengeText + "A",
        ])
    func malformedChallenge(text: String) {
        #expect(throws: MalformedValue.self) { try CodeChallenge(text) }
    }

    @Test("A verifier shows itself nowhere")
    func redacted() throws {
        let verifier = try CodeVerifier(Sample.verifierText)
        var dumped = ""
        dump(verifier, to: &dumped)
        for text in ["\(verifier)", String(reflecting: verifier), dumped] { #expect(!text.contains("dBjft")) }
    }
}
