/// The bytes that a person agrees to: one operation of one account, in canonical JSON (RFC 8785).
///
/// The server makes them once and hands them out; nobody encodes them again. A device signs their
/// ``PayloadHash/operation(_:)``, after the app has parsed these very bytes and shown what they say.
public struct OperationPayload: Hashable, Sendable {
    /// The version of the format.
    public static let version: Int64 = 1
    /// The most bytes that a payload can have: what its parts may be, with room.
    public static let maximumBytes = 16_384

    /// The SCA event.
    public let eventID: SCAEventID
    /// The operation's name at the backend.
    public let operationID: WalletOperationID
    /// The backend's client.
    public let clientID: ClientID
    /// Whose operation it is.
    public let account: AccountID
    /// What it does.
    public let operation: WalletOperation
    /// Until when the person may agree.
    public let expiresAt: NumericDate

    /// Says what is agreed to. Each parameter is the property of its name.
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

    /// The bytes. All names are ASCII, and the strings and whole numbers in it are written as RFC 8785 wants them, so that
    /// the order of the names is all that has to be seen to.
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

    /// Reads the bytes as they came.
    /// - Parameter bytes: the payload.
    /// - Throws: ``MalformedValue`` for another version, doubled or unknown members, text that nobody may be shown, and bytes
    ///   that are not canonical: what is seen is what is signed.
    public init(parsing bytes: [UInt8]) throws(MalformedValue) {
        guard bytes.count <= Self.maximumBytes else {
            throw MalformedValue(field: "operation", reason: "is too long")
        }
        let object = try JSONValue.object(parsing: bytes)
        guard try object.integer("ver") == Self.version else {
            throw MalformedValue(field: "ver", reason: "is not known here: the app has to be updated")
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
