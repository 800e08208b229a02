/// What the backend knows of an operation that may let it pass without SCA. The server grants an exemption only where the
/// operator has switched it on, and only after its own count.
public struct ExemptionGrounds: Hashable, Sendable {
    /// Payer and payee are the same person, with accounts at this provider (RTS article 15).
    public var isOwnAccount: Bool
    /// The payment belongs to a series that began by the operation of this name (RTS article 14).
    public var series: WalletOperationID?
    /// The backend's own analysis of this transaction in real time found a low risk (RTS article 18).
    public var isLowRisk: Bool

    /// Nothing is claimed, but what is named.
    /// - Parameters:
    ///   - isOwnAccount: payer and payee are the same person.
    ///   - series: the operation by which the series began.
    ///   - isLowRisk: the backend's analysis found a low risk.
    public init(isOwnAccount: Bool = false, series: WalletOperationID? = nil, isLowRisk: Bool = false) {
        self.isOwnAccount = isOwnAccount
        self.series = series
        self.isLowRisk = isLowRisk
    }

    init(_ object: JSONObject) throws(MalformedValue) {
        try object.refuseMembers(otherThan: ["ownAccount", "series", "riskAnalysis"])
        isOwnAccount = try object.bool("ownAccount") ?? false
        series = try object.value("series")
        switch try object.string("riskAnalysis") {
        case nil: isLowRisk = false
        case "LOW": isLowRisk = true
        case _?: throw MalformedValue(field: "riskAnalysis", reason: "is not LOW, which is all that can be claimed")
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

/// A backend asks before it moves money (`POST /v1/wallet-operations`).
public struct WalletOperationRequest: Hashable, Sendable {
    /// The operation's name, which the client never used before.
    public var id: WalletOperationID
    /// Whose money or data it is about.
    public var account: AccountID
    /// The person's session: the `sid` of the access token that the app's call came with.
    public var session: SessionID
    /// What is to be done.
    public var operation: WalletOperation
    /// What may let it pass without SCA.
    public var grounds: ExemptionGrounds

    /// Asks. Each parameter is the property of its name.
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

    /// Reads a request's JSON. Members that are not known are refused.
    /// - Parameter object: the body.
    public init(_ object: JSONObject) throws(MalformedValue) {
        try object.refuseMembers(
            otherThan: WalletOperation.members.union([
                "walletOperationId", "accountId", "sessionId", "exemptionGrounds",
            ]))
        id = try object.required("walletOperationId", object.value("walletOperationId"))
        account = try object.required("accountId", object.value("accountId"))
        session = try object.required("sessionId", object.value("sessionId"))
        operation = try WalletOperation(members: object)
        try operation.refuseContradictions()
        grounds = try object.object("exemptionGrounds").map(ExemptionGrounds.init) ?? ExemptionGrounds()
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

/// A backend carries out what the person agreed to (`POST /v1/wallet-operations/{walletOperationId}/consume`).
public struct OperationConsumption: Hashable, Sendable {
    /// The event that was verified; nil where the operation was exempt.
    public var eventID: SCAEventID?
    /// Whose money it is about: who is signed in at the backend now. Without it the backend has to hold the account that the
    /// authentication code names against that person itself, or somebody's consent pays with somebody else's money.
    public var account: AccountID?
    /// What is carried out, which has to be what was agreed to.
    public var operation: WalletOperation

    /// Names what is carried out. Each parameter is the property of its name.
    public init(eventID: SCAEventID?, account: AccountID? = nil, operation: WalletOperation) {
        self.eventID = eventID
        self.account = account
        self.operation = operation
    }

    /// Reads a request's JSON. Members that are not known are refused.
    /// - Parameter object: the body.
    public init(_ object: JSONObject) throws(MalformedValue) {
        try object.refuseMembers(otherThan: WalletOperation.members.union(["eventId", "accountId"]))
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
