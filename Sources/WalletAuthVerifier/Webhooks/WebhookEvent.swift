public import WalletAuthWire

/// An event that a webhook tells of: ids, states and codes. Ask the server for more.
public struct WebhookEvent: Hashable, Sendable {
    /// The name of an event. New ones may be added: answer 204 to those that you don't know.
    public struct EventType: Hashable, Sendable, RawRepresentable {
        /// The name.
        public let rawValue: String

        /// Creates a type.
        ///
        /// - Parameter rawValue: the name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The phone has signed the transaction.
        public static let transactionSigned = EventType(rawValue: "transaction.signed")
        /// The person declined the transaction.
        public static let transactionRejected = EventType(rawValue: "transaction.rejected")
        /// The transaction ended, because the PIN was locked.
        public static let transactionFailed = EventType(rawValue: "transaction.failed")
        /// The transaction was withdrawn, or its device was removed.
        public static let transactionCancelled = EventType(rawValue: "transaction.cancelled")
        /// The person agreed to the wallet operation.
        public static let operationVerified = EventType(rawValue: "operation.verified")
        /// The person refused the wallet operation.
        public static let operationRefused = EventType(rawValue: "operation.refused")
        /// A person signed in.
        public static let signedIn = EventType(rawValue: "account.signed_in")
        /// An account was erased.
        public static let accountErased = EventType(rawValue: "account.erased")
        /// The account ended, and the person goes on with ``WebhookEvent/mergedInto``.
        public static let accountMerged = EventType(rawValue: "account.merged")
        /// `walletauth webhook test` sent it.
        public static let test = EventType(rawValue: "webhook.test")
    }

    /// The same each time the event is delivered.
    public let id: String
    /// What happened.
    public let type: EventType
    /// When it happened, in ISO 8601 (UTC).
    public let timestamp: String
    /// All members, also those that have no property here.
    public let data: JSONObject

    /// Parses a verified body.
    init(id: String, _ body: [UInt8]) throws(WebhookFault) {
        guard let envelope = try? JSONValue.object(parsing: body), let type = envelope["type"]?.string,
            let timestamp = envelope["timestamp"]?.string, let data = envelope["data"]?.object
        else { throw .malformed("the body is not an event") }
        self.id = id
        self.type = EventType(rawValue: type)
        self.timestamp = timestamp
        self.data = data
    }

    /// The account. Of a transaction that names no account it is absent until the signature.
    public var account: AccountID? { text("sub").flatMap { try? AccountID($0) } }
    /// The account of the same person that has what ``account`` had. Tokens name this one from now on.
    public var mergedInto: AccountID? { text("mergedInto").flatMap { try? AccountID($0) } }
    /// The client through which it happened.
    public var client: ClientID? { text("clientId").flatMap { try? ClientID($0) } }
    /// The enrolled device.
    public var device: DeviceID? { text("deviceId").flatMap { try? DeviceID($0) } }
    /// The transaction.
    public var transactionID: TransactionID? { text("transactionId").flatMap { try? TransactionID($0) } }
    /// The state that the event led to. A later event may have led on: only the server knows the state now.
    public var transactionStatus: TransactionStatus? { text("status").flatMap(TransactionStatus.init(rawValue:)) }
    /// The wallet operation, by the backend's own id.
    public var walletOperationID: WalletOperationID? {
        text("walletOperationId").flatMap { try? WalletOperationID($0) }
    }
    /// The properties that the app gave to a sign-in.
    public var properties: [String: String] {
        var properties: [String: String] = [:]
        for member in data["properties"]?.object?.members ?? [] { properties[member.name] = member.value.string }
        return properties
    }

    private func text(_ member: String) -> String? { data[member]?.string }
}
