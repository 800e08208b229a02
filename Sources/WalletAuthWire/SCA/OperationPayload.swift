/// The bytes that a person agrees to: one operation of one account, in canonical JSON (RFC 8785).
///
/// The server creates them once, and no one encodes them again. A device signs their ``PayloadHash/operation(_:)``
/// after the app has parsed the same bytes and shown their content.
public struct OperationPayload: Hashable, Sendable {
    /// The version of the format.
    public static let version: Int64 = 1
    /// The maximum length in bytes: the sum of its parts' limits, with some room.
    public static let maximumBytes = 16_384

    /// The SCA event.
    public let eventID: SCAEventID
    /// The backend's name for the operation.
    public let operationID: WalletOperationID
    /// The backend's client.
    public let clientID: ClientID
    /// The account of the operation.
    public let account: AccountID
    /// The operation.
    public let operation: WalletOperation
    /// When the consent expires.
    public let expiresAt: NumericDate

    /// Creates a payload. Each parameter sets the property of the same name.
    public init(
        eventID: SCAEventID, operationID: WalletOperationID, clientID: ClientID, account: AccountID,
        operation: WalletOperation, expiresAt: NumericDate
    ) {
        self.eventID = eventID
        self.operationID = operationID
        self.clientID = clientID
        self.account = account
        self.operation = operation
        self.expiresAt = expiresAt
    }

    /// The bytes. All names are ASCII, and strings and integers are already written as RFC 8785 requires, so only the
    /// order of the names matters.
    public var bytes: [UInt8] {
        var object = JSONObject()
        object.set("account", account)
        if let amount = operation.amount { object["amount"] = .object(amount.json) }
        object.set("clientId", clientID)
        if !operation.details.isEmpty { object["details"] = .object(JSONObject(strings: operation.details)) }
        object.set("eventId", eventID)
        object.set("expiresAt", expiresAt)
        if let payee = operation.payee { object["payee"] = .object(payee.json) }
        object.set("type", operation.type)
        object.set("ver", Self.version)
        object.set("walletOperationId", operationID)
        return object.bytes
    }

    /// The hash that is signed and compared.
    public var hash: PayloadHash { .operation(bytes) }

    private static let members: Set = [
        "account", "amount", "clientId", "details", "eventId", "expiresAt", "payee", "type", "ver", "walletOperationId",
    ]

    /// Parses the received bytes.
    /// - Parameter bytes: the payload.
    /// - Throws: ``MalformedValue`` for another version, duplicate or unknown members, text unfit for display, and
    ///   bytes that are not canonical: what is seen is what is signed.
    public init(parsing bytes: [UInt8]) throws(MalformedValue) {
        guard bytes.count <= Self.maximumBytes else {
            throw MalformedValue(field: "operation", reason: "is too long")
        }
        let object = try JSONValue.object(parsing: bytes)
        guard try object.integer("ver") == Self.version else {
            throw MalformedValue(field: "ver", reason: "is unknown: update the app")
        }
        try object.refuseMembers(otherThan: Self.members)
        eventID = try object.required("eventId", object.value("eventId"))
        operationID = try object.required("walletOperationId", object.value("walletOperationId"))
        clientID = try object.required("clientId", object.value("clientId"))
        account = try object.required("account", object.value("account"))
        operation = try WalletOperation(members: object)
        expiresAt = try object.required("expiresAt", object.date("expiresAt"))
        guard self.bytes == bytes else {
            throw MalformedValue(field: "operation", reason: "is not in canonical form")
        }
    }
}
