import Core
import SignIn
import Testing

@Suite("Codes of an authenticator app")
struct TOTPTests {
    private static let secret = Array("12345678901234567890".utf8)

    @Test(
        "The vectors of RFC 6238 appendix B",
        arguments: [
            (59, "94287082"), (1_111_111_109, "07081804"), (1_111_111_111, "14050471"), (1_234_567_890, "89005924"),
            (2_000_000_000, "69279037"), (20_000_000_000, "65353130"),
        ] as [(Int64, String)])
    func vectors(seconds: Int64, code: String) {
        let step = TOTP.stepNumber(at: Timestamp(seconds: seconds))
        #expect(TOTP.code(at: step, secret: Self.secret, digits: 8) == code)
    }

    @Test("The vectors of RFC 4226 appendix D")
    func counters() {
        let codes = (0..<10).map { TOTP.code(at: $0, secret: Self.secret) }
        #expect(
            codes == [
                "755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489",
            ])
    }

    @Test("A clock that is half a minute off is taken, one that is a minute off is not")
    func tolerance() {
        let now = Timestamp(seconds: 1_800_000_000)
        let present = TOTP.stepNumber(at: now)
        for distance in Int64(-3)...3 {
            let code = TOTP.code(at: present + distance, secret: Self.secret)
            let step = TOTP.step(of: code, secret: Self.secret, now: now)
            #expect((step == present + distance) == (abs(distance) <= 1), "\(distance)")
        }
        #expect(TOTP.step(of: " 12 ", secret: Self.secret, now: now) == nil)
        #expect(TOTP.step(of: "", secret: Self.secret, now: now) == nil)
    }
}

@Suite("Base32")
struct Base32Tests {
    @Test(
        "The vectors of RFC 4648, without padding",
        arguments: [
            ("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"), ("fooba", "MZXW6YTB"),
            ("foobar", "MZXW6YTBOI"),
        ])
    func vectors(plain: String, encoded: String) {
        #expect(Base32.encode(Array(plain.utf8)) == encoded)
        #expect(Base32.decode(encoded) == Array(plain.utf8))
    }

    @Test("What a person typed is read in either case and with spaces; anything else is not")
    func typed() {
        #expect(Base32.decode("mzxw 6ytb-oi") == Array("foobar".utf8))
        for text in ["M", "MZX", "M0", "MZ=", "Ä", "MZ", "MZXW6Y1B"] { #expect(Base32.decode(text) == nil, "\(text)") }
    }
}
