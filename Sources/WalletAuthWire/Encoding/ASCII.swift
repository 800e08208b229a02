/// Character classes of RFC 3986 and RFC 5234, on bytes.
enum ASCII {
    static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }
    static func isUpper(_ byte: UInt8) -> Bool { byte &- 0x41 < 26 }
    static func isLower(_ byte: UInt8) -> Bool { byte &- 0x61 < 26 }
    static func isLetter(_ byte: UInt8) -> Bool { isLower(byte | 0x20) }
    static func isAlphanumeric(_ byte: UInt8) -> Bool { isLetter(byte) || isDigit(byte) }

    /// RFC 3986 §2.3: ALPHA / DIGIT / "-" / "." / "_" / "~".
    static func isUnreserved(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || byte == 0x2D || byte == 0x2E || byte == 0x5F || byte == 0x7E
    }

    static func lowercased(_ byte: UInt8) -> UInt8 { isUpper(byte) ? byte | 0x20 : byte }

    /// The value of a hexadecimal digit of either case, or nil.
    static func hexValue(_ byte: UInt8) -> UInt8? {
        if isDigit(byte) { return byte &- 0x30 }
        let letter = byte | 0x20
        return letter >= 0x61 && letter <= 0x66 ? letter &- 0x61 &+ 10 : nil
    }

    static let upperHex = [UInt8]("0123456789ABCDEF".utf8)
    static let lowerHex = [UInt8]("0123456789abcdef".utf8)

    /// Whether two texts are equal ignoring the case of ASCII letters, like schemes, hosts and media types.
    static func equalIgnoringCase(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count
            && zip(left.utf8, right.utf8).allSatisfy { lowercased($0) == lowercased($1) }
    }
}
