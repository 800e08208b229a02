/// Base 64 for URLs without padding, as JOSE and OAuth use it (RFC 4648 §5, RFC 7515 §2).
///
/// Only the canonical text of a byte string decodes: padding, white space, the other alphabet and nonzero trailing bits
/// are refused, so that a replay cache never sees one value in two spellings.
public enum Base64URL {
    /// Encodes bytes.
    /// - Parameter bytes: any bytes; none give an empty string.
    @inlinable
    public static func encode(_ bytes: some Collection<UInt8>) -> String { encode(Array(bytes)) }

    /// Encodes an array of bytes. Like the generic function, but without type metadata lookups at run time.
    /// - Parameter bytes: any bytes; none give an empty string.
    public static func encode(_ bytes: [UInt8]) -> String { Base64.encode(bytes, alphabet: Base64.urlAlphabet) }

    /// Appends the text of some bytes to a UTF-8 buffer, without an intermediate string.
    /// - Parameters:
    ///   - bytes: any bytes.
    ///   - buffer: receives ASCII characters.
    @inlinable
    public static func append(_ bytes: some Collection<UInt8>, to buffer: inout [UInt8]) {
        append(Array(bytes), to: &buffer)
    }

    /// Appends the text of an array of bytes to a buffer of UTF-8.
    /// - Parameters:
    ///   - bytes: any bytes.
    ///   - buffer: receives ASCII characters.
    public static func append(_ bytes: [UInt8], to buffer: inout [UInt8]) {
        Base64.append(bytes, alphabet: Base64.urlAlphabet, to: &buffer)
    }

    /// Decodes a canonical text.
    /// - Parameter text: base64url without padding.
    /// - Returns: the bytes, or nil if the text is not canonical.
    public static func decode(_ text: String) -> [UInt8]? {
        decode(Array(text.utf8)[...])
    }

    /// Decodes a canonical text, given as UTF-8.
    /// - Parameter text: base64url without padding.
    /// - Returns: the bytes, or nil if the text is not canonical.
    public static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        Base64.decode(text, values: Base64.urlValues)
    }
}

/// The two alphabets of RFC 4648, with one coder for both.
enum Base64 {
    static let urlAlphabet = [UInt8]("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    static let standardAlphabet = [UInt8]("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    static let urlValues = values(of: urlAlphabet)
    static let standardValues = values(of: standardAlphabet)

    private static func values(of alphabet: [UInt8]) -> [UInt8] {
        var table = [UInt8](repeating: 0xFF, count: 256)
        for (value, character) in alphabet.enumerated() { table[Int(character)] = UInt8(value) }
        return table
    }

    /// The text without padding.
    static func encode(_ bytes: [UInt8], alphabet: [UInt8]) -> String {
        String(unsafeUninitializedCapacity: length(of: bytes)) { write(bytes, alphabet: alphabet, to: $0) }
    }

    static func append(_ bytes: [UInt8], alphabet: [UInt8], to buffer: inout [UInt8]) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: length(of: bytes)) { characters in
            _ = write(bytes, alphabet: alphabet, to: characters)
            buffer.append(contentsOf: UnsafeBufferPointer(characters))
        }
    }

    private static func length(of bytes: [UInt8]) -> Int { (bytes.count * 4 + 2) / 3 }

    /// Three bytes at a time, into memory that is not set before: this runs for every issued token.
    /// - Parameter characters: has room for ``length(of:)``.
    /// - Returns: the number of characters.
    private static func write(
        _ bytes: [UInt8], alphabet: [UInt8], to characters: UnsafeMutableBufferPointer<UInt8>
    ) -> Int {
        var (index, place) = (0, 0)
        while index + 2 < bytes.count {
            let group = Int(bytes[index]) << 16 | Int(bytes[index + 1]) << 8 | Int(bytes[index + 2])
            characters[place] = alphabet[group >> 18]
            characters[place + 1] = alphabet[group >> 12 & 0x3F]
            characters[place + 2] = alphabet[group >> 6 & 0x3F]
            characters[place + 3] = alphabet[group & 0x3F]
            index += 3
            place += 4
        }
        guard index < bytes.count else { return place }
        let isSingle = index + 1 == bytes.count
        let group = Int(bytes[index]) << 16 | (isSingle ? 0 : Int(bytes[index + 1]) << 8)
        characters[place] = alphabet[group >> 18]
        characters[place + 1] = alphabet[group >> 12 & 0x3F]
        if isSingle { return place + 2 }
        characters[place + 2] = alphabet[group >> 6 & 0x3F]
        return place + 3
    }

    static func decode(_ text: ArraySlice<UInt8>, values: [UInt8]) -> [UInt8]? {
        guard text.count % 4 != 1 else { return nil }
        var bytes = [UInt8](repeating: 0, count: text.count * 3 / 4)
        var (index, place) = (text.startIndex, 0)
        // Four characters at a time, like three bytes in the other direction.
        while index + 3 < text.endIndex {
            let (first, second) = (values[Int(text[index])], values[Int(text[index + 1])])
            let (third, fourth) = (values[Int(text[index + 2])], values[Int(text[index + 3])])
            // A value has six bits, and the mark of any other character eight.
            guard first | second | third | fourth < 0x40 else { return nil }
            bytes[place] = first << 2 | second >> 4
            bytes[place + 1] = second << 4 | third >> 2
            bytes[place + 2] = third << 6 | fourth
            index += 4
            place += 3
        }
        var bits: UInt32 = 0
        var count = 0
        for character in text[index...] {
            let value = values[Int(character)]
            guard value != 0xFF else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                bytes[place] = UInt8(truncatingIfNeeded: bits >> UInt32(count))
                place += 1
            }
        }
        // Trailing bits belong to no byte: anything but zero is a second spelling of the same bytes.
        guard bits & (1 << UInt32(count) - 1) == 0 else { return nil }
        return bytes
    }

    /// Decodes the standard alphabet with padding, as in HTTP Basic credentials (RFC 7617).
    static func decodeStandard(_ text: String) -> [UInt8]? {
        let characters = Array(text.utf8)
        let body = characters.prefix { $0 != 0x3D }
        let padding = characters.dropFirst(body.count)
        // Some clients omit the padding; any padding must be right.
        guard padding.allSatisfy({ $0 == 0x3D }), padding.isEmpty || characters.count % 4 == 0, padding.count <= 2
        else {
            return nil
        }
        return decode(body, values: standardValues)
    }
}
