/// An OAuth client's identifier (RFC 6749 §2.2): 1 to 255 visible ASCII characters.
public struct ClientID: WireValue {
    /// The form of its text.
    public static var form: TextForm { .visible(1...255) }

    /// The identifier.
    public let rawValue: String

    /// Validates an identifier.
    /// - Parameter text: the received text.
    public init(_ text: String) throws(MalformedValue) { rawValue = try Self.checked(text, "client_id") }
}

/// A brand: one look, one set of accounts. Called `brandIdentity` in paths.
public struct BrandID: WireValue {
    /// The form of its text.
    public static var form: TextForm { .identifier(1...64) }

    /// The identifier.
    public let rawValue: String

    /// Validates an identifier: 1 to 64 letters, digits, `-`, `.`, `_`, `~`.
    /// - Parameter text: the received text.
    public init(_ text: String) throws(MalformedValue) { rawValue = try Self.checked(text, "brand") }
}

/// A merchant whose employees may sign in if a client is installed.
public struct MerchantID: WireValue {
    /// The form of its text.
    public static var form: TextForm { .identifier(1...64) }

    /// The identifier.
    public let rawValue: String

    /// Validates an identifier: 1 to 64 letters, digits, `-`, `.`, `_`, `~`.
    /// - Parameter text: the received text.
    public init(_ text: String) throws(MalformedValue) { rawValue = try Self.checked(text, "merchant_id") }
}

/// The server's identifier for a device that an account has enrolled.
public struct DeviceID: WireValue {
    /// The form of its text.
    public static var form: TextForm { .identifier(1...64) }

    /// The identifier.
    public let rawValue: String

    /// Validates an identifier: 1 to 64 letters, digits, `-`, `.`, `_`, `~`.
    /// - Parameter text: the received text.
    public init(_ text: String) throws(MalformedValue) { rawValue = try Self.checked(text, "device_id") }
}

/// An account: a UUID as lower-case text (RFC 9562). It is the `sub` of our tokens.
public struct AccountID: WireValue {
    /// The form of its text.
    public static var form: TextForm { .uuid }

    /// The UUID's text.
    public let rawValue: String

    /// Validates an identifier.
    /// - Parameter text: 36 characters, lower case.
    public init(_ text: String) throws(MalformedValue) { rawValue = try Self.checked(text, "sub") }

    /// Creates the identifier with these 16 bytes.
    /// - Parameter bytes: the UUID, big-endian.
    public init(bytes: [UInt8]) throws(MalformedValue) {
        guard let text = UUIDText.text(of: bytes) else { throw MalformedValue(field: "sub", reason: "is not 16 bytes") }
        rawValue = text
    }

    /// The UUID's 16 bytes, big-endian.
    public var bytes: [UInt8] { UUIDText.bytes(of: rawValue) ?? [] }
}

/// A session: a UUID as lower-case text (RFC 9562). It is the `sid` of our tokens.
public struct SessionID: WireValue {
    /// The form of its text.
    public static var form: TextForm { .uuid }

    /// The UUID's text.
    public let rawValue: String

    /// Validates an identifier.
    /// - Parameter text: 36 characters, lower case.
    public init(_ text: String) throws(MalformedValue) { rawValue = try Self.checked(text, "sid") }

    /// Creates the identifier with these 16 bytes.
    /// - Parameter bytes: the UUID, big-endian.
    public init(bytes: [UInt8]) throws(MalformedValue) {
        guard let text = UUIDText.text(of: bytes) else { throw MalformedValue(field: "sid", reason: "is not 16 bytes") }
        rawValue = text
    }

    /// The UUID's 16 bytes, big-endian.
    public var bytes: [UInt8] { UUIDText.bytes(of: rawValue) ?? [] }
}

/// The only accepted spelling of a UUID: 8-4-4-4-12, lower case (RFC 9562 §4).
enum UUIDText {
    static func bytes(of text: String) -> [UInt8]? {
        let characters = Array(text.utf8)
        guard characters.count == 36 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16)
        var high: UInt8?
        for (position, character) in characters.enumerated() {
            if position == 8 || position == 13 || position == 18 || position == 23 {
                guard character == 0x2D else { return nil }
                continue
            }
            guard !ASCII.isUpper(character), let digit = ASCII.hexValue(character) else { return nil }
            if let first = high {
                bytes.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        return bytes
    }

    static func text(of bytes: [UInt8]) -> String? {
        guard bytes.count == 16 else { return nil }
        var characters: [UInt8] = []
        characters.reserveCapacity(36)
        for (position, byte) in bytes.enumerated() {
            if position == 4 || position == 6 || position == 8 || position == 10 { characters.append(0x2D) }
            characters.append(ASCII.lowerHex[Int(byte >> 4)])
            characters.append(ASCII.lowerHex[Int(byte & 15)])
        }
        return String(decoding: characters, as: UTF8.self)
    }
}
