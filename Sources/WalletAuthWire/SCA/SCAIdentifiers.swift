/// A wallet operation, as the backend that asks for it names it: 1 to 64 letters, digits, `-`, `.`, `_`, `~`, never used
/// twice by one client.
public struct WalletOperationID: WireValue {
    /// The identifier.
    public let rawValue: String

    /// Checks an identifier.
    /// - Parameter text: what was received.
    public init(_ text: String) throws(MalformedValue) {
        if let reason = TextRule.identifier(text, 1...64) {
            throw MalformedValue(field: "walletOperationId", reason: reason)
        }
        rawValue = text
    }
}

/// What kind of operation it is, in the backend's words, by which policies are found: 1 to 64 letters, digits, `-`, `.`,
/// `_`, `~`.
public struct WalletOperationType: WireValue {
    /// The word.
    public let rawValue: String

    /// Makes a payee one of the person's trusted beneficiaries (RTS article 13), once the person agreed.
    public static let trustPayee = WalletOperationType(unchecked: "TRUST_PAYEE")
    /// Takes a payee from the person's trusted beneficiaries again, once the person agreed: they alone amend that list.
    public static let distrustPayee = WalletOperationType(unchecked: "DISTRUST_PAYEE")
    /// Begins a series of payments of one amount to one payee (RTS article 14), once the person agreed.
    public static let beginSeries = WalletOperationType(unchecked: "BEGIN_SERIES")
    /// Ends such a series, which ``WalletOperation/endedSeries`` names. It takes no consent.
    public static let endSeries = WalletOperationType(unchecked: "END_SERIES")

    /// Checks a word.
    /// - Parameter text: what was received.
    public init(_ text: String) throws(MalformedValue) {
        if let reason = TextRule.identifier(text, 1...64) { throw MalformedValue(field: "type", reason: reason) }
        rawValue = text
    }

    private init(unchecked text: String) { rawValue = text }
}

/// The SCA event of a wallet operation: a UUID in its lower-case text.
public struct SCAEventID: WireValue {
    /// The UUID's text.
    public let rawValue: String

    /// Checks an identifier.
    /// - Parameter text: 36 characters, lower case.
    public init(_ text: String) throws(MalformedValue) {
        guard UUIDText.bytes(of: text) != nil else {
            throw MalformedValue(field: "eventId", reason: "is not a UUID in lower case")
        }
        rawValue = text
    }

    /// The event as what a device's assertion agrees to.
    public var transactionID: TransactionID? { try? TransactionID(rawValue) }
}
