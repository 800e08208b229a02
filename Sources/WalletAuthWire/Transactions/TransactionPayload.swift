/// The bytes that a person signs for a backend's transaction, in canonical JSON (RFC 8785).
///
/// The server creates them once, for the device that claims the transaction, and no one encodes them again: the app
/// parses these bytes, shows their content, and signs their ``PayloadHash/transaction(_:)``.
public struct TransactionPayload: Hashable, Sendable {
    /// The version of the format; differs from that of ``ClientTransactionPayload``.
    public static let version: Int64 = 1
    /// The maximum length in bytes.
    public static let maximumBytes = 8_192

    /// The transaction.
    public let transactionID: TransactionID
    /// The client that created it.
    public let clientID: ClientID
    /// The account that signs.
    public let account: AccountID
    /// The content.
    public let content: TransactionContent
    /// The required second factor.
    public let requiredSecondFactor: RequiredSecondFactor
    /// Random bytes unique to this transaction.
    public let nonce: Nonce
    /// When the transaction expires, unless it is signed before.
    public let expiresAt: NumericDate

    /// Creates a payload. Each parameter sets the property of the same name.
    public init(
        transactionID: TransactionID, clientID: ClientID, account: AccountID, content: TransactionContent,
        requiredSecondFactor: RequiredSecondFactor, nonce: Nonce, expiresAt: NumericDate
    ) {
        self.transactionID = transactionID
        self.clientID = clientID
        self.account = account
        self.content = content
        self.requiredSecondFactor = requiredSecondFactor
        self.nonce = nonce
        self.expiresAt = expiresAt
    }

    /// The bytes. Names are ASCII and sorted, and strings and integers are written as RFC 8785 requires.
    public var bytes: [UInt8] {
        var object = JSONObject()
        object.set("account", account)
        if let amount = content.amount { object["amount"] = .object(amount.json) }
        object.set("clientId", clientID)
        object.set("dataHash", content.dataHash)
        object.set("expiresAt", expiresAt)
        object.set("id", transactionID)
        if !content.lines.isEmpty { object["lines"] = .array(content.lines.map { .object($0.json) }) }
        object.set("nonce", nonce)
        object.set("origin", TransactionOrigin.server.rawValue)
        if let payee = content.payee { object["payee"] = .object(payee.json) }
        object.set("reference", content.reference)
        object.set("requiredSecondFactorType", requiredSecondFactor.rawValue)
        object.set("type", content.type)
        object.set("ver", Self.version)
        return object.bytes
    }

    private static let members: Set = [
        "account", "amount", "clientId", "dataHash", "expiresAt", "id", "lines", "nonce", "origin", "payee",
        "reference", "requiredSecondFactorType", "type", "ver",
    ]

    /// Parses the received bytes, to show them to the person who will sign. The rules are those of a new request, so
    /// that no server can make a device show more than a backend may request.
    /// - Parameter bytes: the payload.
    /// - Throws: ``MalformedValue`` for another version, duplicate or unknown members, text unfit for display, labels
    ///   that look the same, a currency missing from ISO 4217, whose minor unit is unknown, and bytes that are not
    ///   canonical.
    public init(parsing bytes: [UInt8]) throws(MalformedValue) {
        let object = try Self.object(in: bytes)
        let content = try TransactionContent(members: object, dataHash: object.value("dataHash"))
        try content.admit()
        try self.init(object, content, canonical: bytes)
    }

    /// Parses bytes that were already signed: rules for new text do not invalidate an older signature.
    ///
    /// The text may contain invisible or bidirectional characters. Do not display it as is.
    /// - Parameter bytes: the payload.
    /// - Throws: ``MalformedValue`` for another version, duplicate or unknown members, and bytes that are not
    ///   canonical.
    public init(recorded bytes: [UInt8]) throws(MalformedValue) {
        let object = try Self.object(in: bytes)
        let content = try TransactionContent(recorded: object, dataHash: object.value("dataHash"))
        try self.init(object, content, canonical: bytes)
    }

    private static func object(in bytes: [UInt8]) throws(MalformedValue) -> JSONObject {
        try TransactionOrigin.server.payload(
            parsing: bytes, version: Self.version, maximumBytes: Self.maximumBytes, members: Self.members)
    }

    private init(
        _ object: JSONObject, _ content: TransactionContent, canonical bytes: [UInt8]
    ) throws(MalformedValue) {
        transactionID = try object.required("id", object.value("id"))
        clientID = try object.required("clientId", object.value("clientId"))
        account = try object.required("account", object.value("account"))
        self.content = content
        requiredSecondFactor = try object.required(
            "requiredSecondFactorType", object.named("requiredSecondFactorType"))
        nonce = try object.required("nonce", object.value("nonce"))
        expiresAt = try object.required("expiresAt", object.date("expiresAt"))
        guard self.bytes == bytes else {
            throw MalformedValue(field: "payload", reason: "is not in canonical form")
        }
    }
}

/// The bytes that a person signs for a transaction that their app began, in canonical JSON (RFC 8785).
///
/// It has neither amount nor payee and its own version, so that it can never pass for a payment requested by a backend.
public struct ClientTransactionPayload: Hashable, Sendable {
    /// The version of the format; differs from that of ``TransactionPayload``.
    public static let version: Int64 = 2
    /// The maximum length in bytes.
    public static let maximumBytes = 2_048

    /// The transaction.
    public let transactionID: TransactionID
    /// The client whose app began it.
    public let clientID: ClientID
    /// The account that signs.
    public let account: AccountID
    /// The hash of the app's state.
    public let clientStateHash: TransactionDataHash?
    /// The hash of the app's data.
    public let clientAdditionalDataHash: TransactionDataHash?
    /// The required second factor.
    public let requiredSecondFactor: RequiredSecondFactor
    /// Random bytes unique to this transaction.
    public let nonce: Nonce
    /// When the draft expires, unless it is signed before.
    public let expiresAt: NumericDate

    /// Creates a payload. Each parameter sets the property of the same name.
    public init(
        transactionID: TransactionID, clientID: ClientID, account: AccountID, clientStateHash: TransactionDataHash?,
        clientAdditionalDataHash: TransactionDataHash?, requiredSecondFactor: RequiredSecondFactor, nonce: Nonce,
        expiresAt: NumericDate
    ) {
        self.transactionID = transactionID
        self.clientID = clientID
        self.account = account
        self.clientStateHash = clientStateHash
        self.clientAdditionalDataHash = clientAdditionalDataHash
        self.requiredSecondFactor = requiredSecondFactor
        self.nonce = nonce
        self.expiresAt = expiresAt
    }

    /// The bytes. Names are ASCII and sorted, and strings and integers are written as RFC 8785 requires.
    public var bytes: [UInt8] {
        var object = JSONObject()
        object.set("account", account)
        object.set("clientAdditionalDataHash", clientAdditionalDataHash)
        object.set("clientId", clientID)
        object.set("clientStateHash", clientStateHash)
        object.set("expiresAt", expiresAt)
        object.set("id", transactionID)
        object.set("nonce", nonce)
        object.set("origin", TransactionOrigin.client.rawValue)
        object.set("requiredSecondFactorType", requiredSecondFactor.rawValue)
        object.set("ver", Self.version)
        return object.bytes
    }

    private static let members: Set = [
        "account", "clientAdditionalDataHash", "clientId", "clientStateHash", "expiresAt", "id", "nonce", "origin",
        "requiredSecondFactorType", "ver",
    ]

    /// Parses the received bytes.
    /// - Parameter bytes: the payload.
    /// - Throws: ``MalformedValue`` for another version, duplicate or unknown members, and bytes that are not
    ///   canonical.
    public init(parsing bytes: [UInt8]) throws(MalformedValue) {
        let object = try TransactionOrigin.client.payload(
            parsing: bytes, version: Self.version, maximumBytes: Self.maximumBytes, members: Self.members)
        transactionID = try object.required("id", object.value("id"))
        clientID = try object.required("clientId", object.value("clientId"))
        account = try object.required("account", object.value("account"))
        clientStateHash = try object.value("clientStateHash")
        clientAdditionalDataHash = try object.value("clientAdditionalDataHash")
        requiredSecondFactor = try object.required(
            "requiredSecondFactorType", object.named("requiredSecondFactorType"))
        nonce = try object.required("nonce", object.value("nonce"))
        expiresAt = try object.required("expiresAt", object.date("expiresAt"))
        guard self.bytes == bytes else {
            throw MalformedValue(field: "payload", reason: "is not in canonical form")
        }
    }
}

/// The side that began a transaction.
public enum TransactionOrigin: String, Hashable, Sendable, Codable, CaseIterable {
    /// A backend, through the server's API.
    case server
    /// The app itself.
    case client

    /// The members of a payload of this origin, not yet read.
    fileprivate func payload(
        parsing bytes: [UInt8], version: Int64, maximumBytes: Int, members: Set<String>
    ) throws(MalformedValue) -> JSONObject {
        let object = try JSONValue.object(parsing: bytes, limits: JSONLimits(bytes: maximumBytes, depth: 4))
        guard try object.string("origin") == rawValue else {
            throw MalformedValue(field: "origin", reason: "is not \(rawValue)")
        }
        guard try object.integer("ver") == version else {
            throw MalformedValue(field: "ver", reason: "is not known here: update the app or the verifier")
        }
        try object.refuseMembers(otherThan: members)
        return object
    }
}
