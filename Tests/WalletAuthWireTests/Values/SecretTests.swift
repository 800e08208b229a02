import Foundation
import Testing
import WalletAuthWire

@Suite("Secrets") struct SecretTests {
    @Test("A secret shows itself in no log: not printed, interpolated, reflected, dumped, or as part of a request")
    func redaction() throws {
        let token = try RefreshToken("wrt_topsecret")
        let request = TokenRequest(
            client: .post(try ClientID("app"), try ClientSecret("topsecret")), grant: .refreshToken(token, attempt: nil)
        )
        var dumped = ""
        dump(token, to: &dumped)
        dump(request, to: &dumped)
        for text in [
            "\(token)", String(reflecting: token), String(describing: [token]), "\(request)",
            String(reflecting: request), dumped,
        ] {
            #expect(!text.contains("topsecret"))
            #expect(text.contains("<redacted>"))
        }
        #expect(token.reveal() == "wrt_topsecret")
    }

    @Test("An error about a malformed secret names the field and not the secret")
    func errors() {
        #expect {
            try AccessToken("topsecret\n")
        } throws: { error in
            let fault = error as? MalformedValue
            return fault?.field == "access_token" && !"\(error)".contains("topsecret")
        }
    }

    @Test("Passwords take any script and refuse null bytes and other controls")
    func passwords() throws {
        #expect(try Password("корова 🐄 battery").reveal() == "корова 🐄 battery")
        #expect(throws: MalformedValue.self) { try Password("correct\u{0}horse") }
        #expect(throws: MalformedValue.self) { try Password("") }
        #expect(throws: MalformedValue.self) { try Password(String(repeating: "a", count: 1025)) }
    }

    @Test("Two spellings of one password that Unicode calls equivalent are two secrets: equality is by bytes")
    func byteEquality() throws {
        #expect(try Password("\u{E9}") != Password("e\u{301}"))
        #expect(try Password("same") == Password("same"))
    }

    @Test("A refresh attempt is exactly 16 bytes")
    func attempts() throws {
        #expect(throws: Never.self) { try RefreshAttempt(Base64URL.encode([UInt8](repeating: 7, count: 16))) }
        #expect(throws: MalformedValue.self) { try RefreshAttempt(Base64URL.encode([UInt8](repeating: 7, count: 15))) }
        #expect(throws: MalformedValue.self) { try RefreshAttempt("") }
    }

    @Test("Comparison in constant time agrees with comparison")
    func constantTime() {
        #expect(ConstantTime.equal([1, 2, 3] as [UInt8], [1, 2, 3] as [UInt8]))
        #expect(!ConstantTime.equal([1, 2, 3] as [UInt8], [1, 2, 4] as [UInt8]))
        #expect(!ConstantTime.equal([1, 2] as [UInt8], [1, 2, 3] as [UInt8]))
        #expect(ConstantTime.equal("", ""))
    }
}
