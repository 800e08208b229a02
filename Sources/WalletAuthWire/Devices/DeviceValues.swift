/// A challenge of the server, to be answered once.
public struct ChallengeID: WireValue {
    /// The form of its text.
    public static var form: TextForm { .identifier(1...1024) }

    /// The identifier.
    public let rawValue: String

    /// Validates an identifier: 1 to 1024 letters, digits, `-`, `.`, `_`, `~`.
    /// - Parameter text: the received text.
    public init(_ text: String) throws(MalformedValue) { rawValue = try Self.checked(text, "challengeId") }
}

/// The object of a person's agreement or rejection: a transaction, or the event of a payment consent.
public struct TransactionID: WireValue {
    /// The form of its text.
    public static var form: TextForm { .identifier(1...64) }

    /// The identifier.
    public let rawValue: String

    /// Validates an identifier: 1 to 64 letters, digits, `-`, `.`, `_`, `~`.
    /// - Parameter text: the received text.
    public init(_ text: String) throws(MalformedValue) { rawValue = try Self.checked(text, "transactionId") }
}

/// The `Idempotency-Key` header, which distinguishes the repetition of a request from a second request.
public struct IdempotencyKey: WireValue {
    /// The form of its text.
    public static var form: TextForm { .identifier(16...64) }

    /// The header's name.
    public static let headerName = "Idempotency-Key"

    /// The key.
    public let rawValue: String

    /// Validates a key: 16 to 64 letters, digits, `-`, `.`, `_`, `~`. The SDK's are base64url of 16 random bytes.
    /// - Parameter text: the received text.
    public init(_ text: String) throws(MalformedValue) { rawValue = try Self.checked(text, Self.headerName) }
}
