/// The backend's name for a wallet operation: 1 to 64 letters, digits, `-`, `.`, `_`, `~`, never reused by a client.
public struct WalletOperationID: WireValue {
    /// The form of its text.
    public static var form: TextForm { .identifier(1...64) }

    /// The identifier.
    public let rawValue: String

    /// Validates an identifier.
    /// - Parameter text: the received text.
    public init(_ text: String) throws(MalformedValue) { rawValue = try Self.checked(text, "walletOperationId") }
}

/// The kind of an operation in the backend's terms, which selects the policy: 1 to 64 letters, digits, `-`, `.`, `_`,
/// `~`.
public struct WalletOperationType: WireValue {
    /// The form of its text.
    public static var form: TextForm { .identifier(1...64) }

    /// The text.
    public let rawValue: String

    /// Adds a payee to the person's trusted beneficiaries (RTS article 13), after the person agreed.
    public static let trustPayee = WalletOperationType(unchecked: "TRUST_PAYEE")
    /// Removes a payee from the person's trusted beneficiaries, after the person agreed: only they can change that
    /// list.
    public static let distrustPayee = WalletOperationType(unchecked: "DISTRUST_PAYEE")
    /// Begins a series of payments of one amount to one payee (RTS article 14), after the person agreed.
    public static let beginSeries = WalletOperationType(unchecked: "BEGIN_SERIES")
    /// Ends such a series, which ``WalletOperation/endedSeries`` names. It takes no consent.
    public static let endSeries = WalletOperationType(unchecked: "END_SERIES")

    /// Of a transaction whose signature signs the person in at the client that named them (OpenID CIBA Core 1.0). Only the server creates
    /// one.
    public static let backchannelSignIn = WalletOperationType(unchecked: "BACKCHANNEL_SIGN_IN")

    /// Validates a kind.
    /// - Parameter text: the received text.
    public init(_ text: String) throws(MalformedValue) { rawValue = try Self.checked(text, "type") }

    /// The kinds with an effect of their own, in the order of the alphabet. All others are the backend's.
    public static let withEffect: [WalletOperationType] = [.beginSeries, .distrustPayee, .endSeries, .trustPayee]

    /// Whether it is known to pay someone and do nothing else: `TRANSFER` and `PAYMENT`. What a backend's own type does, the
    /// server does not know.
    public var isPayment: Bool { rawValue == "TRANSFER" || rawValue == "PAYMENT" }

    private init(unchecked text: String) { rawValue = text }

    /// Whether it can be taken for another one: `L0GIN` or `log-in` for `LOGIN`.
    func looks(like other: String) -> Bool { Self.plain(rawValue) == Self.plain(other) }

    /// Whether it looks like another one but for one letter that is missing, added, wrong or swapped with its neighbor.
    func isMisspelled(_ other: String) -> Bool {
        Spelling.edits(from: Self.plain(rawValue), to: Self.plain(other)) <= 1
    }

    private static func plain(_ text: String) -> String {
        TextRule.skeleton(of: text.filter { !"-._~".contains($0) })
    }
}

/// The SCA event of a wallet operation: a UUID as lower-case text.
public struct SCAEventID: WireValue {
    /// The form of its text.
    public static var form: TextForm { .uuid }

    /// The UUID's text.
    public let rawValue: String

    /// Validates an identifier.
    /// - Parameter text: 36 characters, lower case.
    public init(_ text: String) throws(MalformedValue) { rawValue = try Self.checked(text, "eventId") }

    /// The event as the object of a device's assertion.
    public var transactionID: TransactionID? { try? TransactionID(rawValue) }
}
