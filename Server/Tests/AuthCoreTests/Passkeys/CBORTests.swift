import Testing
import WalletAuthWire

@Suite("Reading CBOR")
struct CBORTests {
    private static func bytes(_ hexadecimal: String) -> [UInt8] { PasskeyVector.bytes(hexadecimal) }

    @Test("The examples of RFC 8949 appendix A that WebAuthn can write are read")
    func examples() throws {
        let examples: [(String, CBORValue)] = [
            ("00", .integer(0)), ("17", .integer(23)), ("1818", .integer(24)), ("1903e8", .integer(1000)),
            ("1a000f4240", .integer(1_000_000)), ("1b000000e8d4a51000", .integer(1_000_000_000_000)),
            ("20", .integer(-1)), ("3863", .integer(-100)), ("3903e7", .integer(-1000)), ("f4", .bool(false)),
            ("f5", .bool(true)), ("f6", .null), ("40", .bytes([])), ("4401020304", .bytes([1, 2, 3, 4])),
            ("60", .text("")), ("6449455446", .text("IETF")), ("62c3bc", .text("ü")), ("80", .array([])),
            ("83010203", .array([.integer(1), .integer(2), .integer(3)])), ("a0", .map([:])),
            ("a201020304", .map([.integer(1): .integer(2), .integer(3): .integer(4)])),
            (
                "a26161016162820203",
                .map([.text("a"): .integer(1), .text("b"): .array([.integer(2), .integer(3)])])
            ),
        ]
        for (text, value) in examples { #expect(try CBORReader.value(of: Self.bytes(text)) == value, "\(text)") }
    }

    @Test(
        "Whatever is not canonical, not bounded or not used is refused",
        arguments: [
            "", "18", "1800", "1817", "190017", "1900ff", "1a0000ffff", "1b00000000ffffffff", "1bffffffffffffffff",
            "3bffffffffffffffff", "5f42010243030405ff", "7f657374726561646d696e67ff", "9fff", "bf61610161629f0203ffff",
            "f90000", "fb3ff199999999999a", "f7", "f0", "f818", "c11a514b67b0", "62c328", "61ff", "4401", "830102",
            "a10", "a2010201", "a201020103", "a2616101616102", "a1400", "a1f501", "a18001", "0000",
            "9b0000000100000000",
            "bb0000000100000000", "5b7fffffffffffffff", "818181818100", "ff",
        ])
    func refused(text: String) {
        #expect(throws: PasskeyFault.self) { _ = try CBORReader.value(of: Self.bytes(text)) }
    }

    @Test("Four levels are read, a fifth is not; a long input is not even begun")
    func depth() throws {
        _ = try CBORReader.value(of: Self.bytes("8181818100"))
        #expect(throws: PasskeyFault.self) { _ = try CBORReader.value(of: [UInt8](repeating: 0x81, count: 30_000)) }
        #expect(throws: PasskeyFault.self) {
            _ = try CBORReader.value(of: [0x5A, 0, 0, 0x80, 0x00] + [UInt8](repeating: 0, count: 0x8000))
        }
    }

    @Test("attack: a text with more combining marks in a row than a language needs is refused")
    func combiningMarks() throws {
        // A text of 60 or 62 bytes.
        let mark: [UInt8] = [0xCC, 0x81]
        let accepted = [0x78, 60] + Array(repeatElement(mark, count: 30).joined())
        #expect(try CBORReader.value(of: accepted).text?.unicodeScalars.count == 30)
        #expect(throws: PasskeyFault.self) {
            _ = try CBORReader.value(of: [0x78, 62] + Array(repeatElement(mark, count: 31).joined()))
        }
    }

    @Test("No cut or flipped registration makes the reader fail otherwise than by saying so")
    func mutilated() throws {
        for vector in PasskeyVector.all {
            guard let object = vector.attestationObject.map(Self.bytes) else { continue }
            for length in 0..<min(object.count, 400) {
                #expect(throws: PasskeyFault.self) { _ = try CBORReader.value(of: Array(object[..<length])) }
            }
            for bit in 0..<min(object.count * 8, 4_000) {
                var changed = object
                changed[bit / 8] ^= 1 << (bit % 8)
                if let data = try? CBORReader.value(of: changed).map?[.text("authData")]?.bytes {
                    _ = try? AuthenticatorData(data)
                }
            }
        }
    }
}
