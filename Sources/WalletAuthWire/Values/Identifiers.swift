/// An OAuth client's identifier (RFC 6749 section 2.2): 1 to 255 visible ASCII characters.
public struct ClientID: WireValue {
    /// The identifier.
    public let rawValue: String

    /// Checks an identifier.
    /// - Parameter text: what was received.
    public init(_ text: String) throws(MalformedValue) {
        if let reason = TextRule.visible(text, 1...255) { throw MalformedValue(field: "client_id", reason: reason) }
        rawValue = text
    }
}

/// A brand: one look, one set of accounts. Stands in paths as `brandIdentity`.
public struct BrandID: WireValue {
    /// The identifier.
    public let rawValue: String

    /// Checks an identifier: 1 to 64 letters, digits, `-`, `.`, `_`, `~`.
    /// - Parameter text: what was received.
    public init(_ text: String) throws(MalformedValue) {
        if let reason = TextRule.identifier(text, 1...64) { throw MalformedValue(field: "brand", reason: reason) }
        rawValue = text
    }
}

/// A merchant whose employees may sign in where a client is installed.
public struct MerchantID: WireValue {
    /// The identifier.
    public let rawValue: String

    /// Checks an identifier: 1 to 64 letters, digits, `-`, `.`, `_`, `~`.
    /// - Parameter text: what was received.
    public init(_ text: String) throws(MalformedValue) {
        if let reason = TextRule.identifier(text, 1...64) { throw MalformedValue(field: "merchant_id", reason: reason) }
        rawValue = text
    }
}

/// A device that an account has enrolled, as the server named it.
public struct DeviceID: WireValue {
    /// The identifier.
    public let rawValue: String

    /// Checks an identifier: 1 to 64 letters, digits, `-`, `.`, `_`, `~`.
    /// - Parameter text: what was received.
    public init(_ text: String) throws(MalformedValue) {
        if let reason = TextRule.identifier(text, 1...64) { throw MalformedValue(field: "device_id", reason: reason) }
        rawValue = text
    }
}

/// An account: a UUID in its lower-case text (RFC 9562). It is the `sub` of our tokens.
public struct AccountID: WireValue {
    /// The UUID's text.
    public let rawValue: String

    /// Checks an identifier.
    /// - Parameter text: 36 characters, lower case.
    public init(_ text: String) throws(MalformedValue) {
        guard UUIDText.bytes(of: text) != nil else {
            throw MalformedValue(field: "sub", reason: "is not a UUID in lower case")
        }
        rawValue = text
    }

    /// Names the account with these 16 bytes.
    /// - Parameter bytes: the UUID, big-endian.
    public init(bytes: [UInt8]) throws(MalformedValue) {
        guard let text = UUIDText.text(of: bytes) else { throw MalformedValue(field: "sub", reason: "is not 16 bytes") }
        rawValue = text
    }

    /// The UUID's 16 bytes, big-endian.
    public var bytes: [UInt8] { UUIDText.bytes(of: rawValue) ?? [] }
}

/// A session: a UUID in its lower-case text (RFC 9562). It is the `sid` of our tokens.
public struct SessionID: WireValue {
    /// The UUID's text.
    public let rawValue: String

    /// Checks an identifier.
    /// - Parameter text: 36 characters, lower case.
    public init(_ text: String) throws(MalformedValue) {
        guard UUIDText.bytes(of: text) != nil else {
            throw MalformedValue(field: "sid", reason: "is not a UUID in lower case")
        }
        rawValue = text
    }

    /// Names the session with these 16 bytes.
    /// - Parameter bytes: the UUID, big-endian.
    public init(bytes: [UInt8]) throws(MalformedValue) {
        guard let text = UUIDText.text(of: bytes) else { throw MalformedValue(field: "sid", reason: "is not 16 bytes") }
        rawValue = text
    }

    /// The UUID's 16 bytes, big-endian.
    public var bytes: [UInt8] { UUIDText.bytes(of: rawValue) ?? [] }
}

/// The one spelling of a UUID that is taken: 8-4-4-4-12, lower case (RFC 9562 section 4).
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
