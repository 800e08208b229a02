import Testing
import WalletAuthWire

@Suite("Base64url", .threat("Malformed tokens and JSON")) struct Base64URLTests {
    @Test(
        "The vectors of RFC 4648 section 10, without padding, encode and decode",
        arguments: [
            ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
            ("foobar", "Zm9vYmFy"),
        ])
    func vectors(plain: String, encoded: String) {
        #expect(Base64URL.encode(Array(plain.utf8)) == encoded)
        #expect(Base64URL.decode(encoded) == Array(plain.utf8))
    }

    @Test("The bytes of RFC 7515 appendix C use the alphabet for URLs")
    func appendixC() {
        #expect(Base64URL.encode([3, 236, 255, 224, 193]) == "A-z_4ME")
        #expect(Base64URL.decode("A-z_4ME") == [3, 236, 255, 224, 193])
    }

    @Test("Every byte string of up to two bytes comes back")
    func roundTrip() {
        for high in UInt8.min...UInt8.max {
            #expect(Base64URL.decode(Base64URL.encode([high])) == [high])
            #expect(Base64URL.decode(Base64URL.encode([high, ~high])) == [high, ~high])
        }
    }

    @Test("Long byte strings come back, and a foreign character is refused at each place of their text")
    func longTexts() {
        for length in 60...63 {
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 13) }
            let text = Array(Base64URL.encode(bytes).utf8)
            #expect(Base64URL.decode(text[...]) == bytes)
            for place in text.indices {
                var changed = text
                changed[place] = UInt8(ascii: "=")
                #expect(Base64URL.decode(changed[...]) == nil)
            }
        }
    }

    @Test(
        "An attacker cannot spell the same bytes in a second, non-canonical base64url",
        arguments: [
            "Zh", "Zm9", "Zg==", "Zm8=", "Zm9v\n", " Zm9v", "Zm 9v", "+/+/", "Zm9vY", "A", "Zg\u{0}", "Zm9v.", "Zmö",
        ])
    func nonCanonical(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }
}
