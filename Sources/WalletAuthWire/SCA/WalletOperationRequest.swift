/// The backend's grounds for an exemption from SCA. The server grants one only if the operator has enabled it, and only
/// after its own count.
public struct ExemptionGrounds: Hashable, Sendable {
    /// Payer and payee are the same person, with accounts at this provider (RTS article 15).
    public var isOwnAccount: Bool
    /// The payment belongs to a series that this operation began (RTS article 14).
    public var series: WalletOperationID?
    /// The backend's real-time analysis of this transaction found a low risk (RTS article 18).
    public var isLowRisk: Bool

    /// Creates grounds; only the given ones are claimed.
    /// - Parameters:
    ///   - isOwnAccount: payer and payee are the same person.
    ///   - series: the operation that began the series.
    ///   - isLowRisk: the backend's analysis found a low risk.
    public init(isOwnAccount: Bool = false, series: WalletOperationID? = nil, isLowRisk: Bool = false) {
        self.isOwnAccount = isOwnAccount
        self.series = series
        self.isLowRisk = isLowRisk
    }

    init(_ object: JSONObject) throws(MalformedValue) {
        try object.refuseMembers(otherThan: Self.shape)
        isOwnAccount = try object.bool("ownAccount") ?? false
        series = try object.value("series")
        switch try object.string("riskAnalysis") {
        case nil: isLowRisk = false
        case "LOW": isLowRisk = true
        case _?: throw MalformedValue(field: "riskAnalysis", reason: "is not LOW, the only value that can be claimed")
        }
    }

    var json: JSONObject {
        var object = JSONObject()
        if isOwnAccount { object["ownAccount"] = .bool(true) }
        object.set("series", series)
        if isLowRisk { object.set("riskAnalysis", "LOW") }
        return object
    }
}

/// A backend's request before it moves money (`POST /v1/wallet-operations`).
public struct WalletOperationRequest: Hashable, Sendable {
    /// The operation's name, never used before by this client.
    public var id: WalletOperationID
    /// The account of the operation.
    public var account: AccountID
    /// The person's session: the `sid` of the access token in the app's call.
    public var session: SessionID
    /// The operation.
    public var operation: WalletOperation
    /// The grounds for an exemption from SCA.
    public var grounds: ExemptionGrounds

    /// Creates a request. Each parameter sets the property of the same name.
    public init(
        id: WalletOperationID, account: AccountID, session: SessionID, operation: WalletOperation,
        grounds: ExemptionGrounds = ExemptionGrounds()
    ) {
        self.id = id
        self.account = account
        self.session = session
        self.operation = operation
        self.grounds = grounds
    }

    /// Reads a request's JSON. Unknown members are refused.
    /// - Parameter object: the body.
    public init(_ object: JSONObject) throws(MalformedValue) {
        try object.refuseMembers(otherThan: Self.shape)
        id = try object.required("walletOperationId", object.value("walletOperationId"))
        account = try object.required("accountId", object.value("accountId"))
        session = try object.required("sessionId", object.value("sessionId"))
        operation = try WalletOperation(members: object)
        try operation.refuseContradictions()
        grounds = try object.object("exemptionGrounds", ExemptionGrounds.init) ?? ExemptionGrounds()
    }

    /// The request's JSON.
    public var json: JSONObject {
        var object = JSONObject()
        object.set("walletOperationId", id)
        object.set("accountId", account)
        object.set("sessionId", session)
        operation.add(to: &object)
        if !grounds.json.isEmpty { object["exemptionGrounds"] = .object(grounds.json) }
        return object
    }
}

/// A backend's request to use a consent (`POST /v1/wallet-operations/{walletOperationId}/consume`).
public struct OperationConsumption: Hashable, Sendable {
    /// The verified event; nil if the operation was exempt.
    public var eventID: SCAEventID?
    /// The account of the person who is signed in at the backend now. Without it, the backend itself must compare the
    /// account in the authentication code with that person, or one person's consent pays with another person's money.
    public var account: AccountID?
    /// The operation, which must be the one the person agreed to.
    public var operation: WalletOperation

    /// Creates a request. Each parameter sets the property of the same name.
    public init(eventID: SCAEventID?, account: AccountID? = nil, operation: WalletOperation) {
        self.eventID = eventID
        self.account = account
        self.operation = operation
    }

    /// Reads a request's JSON. Unknown members are refused.
    /// - Parameter object: the body.
    public init(_ object: JSONObject) throws(MalformedValue) {
        try object.refuseMembers(otherThan: Self.shape)
        eventID = try object.value("eventId")
        account = try object.value("accountId")
        operation = try WalletOperation(members: object)
    }

    /// The request's JSON.
    public var json: JSONObject {
        var object = JSONObject()
        object.set("eventId", eventID)
        object.set("accountId", account)
        operation.add(to: &object)
        return object
    }
}

extension ExemptionGrounds: WireShaped {
    /// Its members.
    public static let shape = WireShape.request(
        ExemptionGrounds.self,
        [
            .optional("ownAccount", .truth), .optional("series", .of(WalletOperationID.self)),
            .optional("riskAnalysis", .choice(["LOW"])),
        ])
}

extension WalletOperationRequest: WireShaped {
    /// Its members.
    public static let shape = WireShape.request(
        WalletOperationRequest.self,
        [
            .required("walletOperationId", .of(WalletOperationID.self)), .required("accountId", .of(AccountID.self)),
            .required("sessionId", .of(SessionID.self)),
        ] + WalletOperation.members + [.optional("exemptionGrounds", ExemptionGrounds.shape)])
}

extension OperationConsumption: WireShaped {
    /// Its members.
    public static let shape = WireShape.request(
        OperationConsumption.self,
        [.optional("eventId", .of(SCAEventID.self)), .optional("accountId", .of(AccountID.self))]
            + WalletOperation.members)
}
