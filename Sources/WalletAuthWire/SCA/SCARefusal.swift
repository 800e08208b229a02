/// A person ends the event (`POST /v1/sca/events/{eventId}/refusal`).
public struct SCARefusalRequest: Hashable, Sendable {
    /// The operation; must be the event's.
    public var operationID: WalletOperationID
    /// Whether the person started it and no longer wants it. Otherwise they did not start it, and the holder is notified.
    public var isWithdrawal: Bool

    /// Creates a refusal.
    /// - Parameters:
    ///   - operationID: the operation; must be the event's.
    ///   - isWithdrawal: whether the person started it and no longer wants it.
    public init(operationID: WalletOperationID, isWithdrawal: Bool = false) {
        self.operationID = operationID
        self.isWithdrawal = isWithdrawal
    }

    /// Reads a request's JSON. Unknown members are refused.
    /// - Parameter object: the body.
    public init(_ object: JSONObject) throws(MalformedValue) {
        try object.refuseMembers(otherThan: Self.shape)
        operationID = try object.required("walletOperationId", object.value("walletOperationId"))
        isWithdrawal = try object.bool("withdrawn") ?? false
    }

    /// The request's JSON.
    public var json: JSONObject {
        var object = JSONObject()
        object.set("walletOperationId", operationID)
        if isWithdrawal { object["withdrawn"] = true }
        return object
    }
}

extension SCARefusalRequest: WireShaped {
    /// Its members.
    public static let shape = WireShape.request(
        SCARefusalRequest.self,
        [.required("walletOperationId", .of(WalletOperationID.self)), .optional("withdrawn", .truth)])
}
