/// A person's "I didn't start this", which ends the event (`POST /v1/sca/events/{eventId}/refusal`).
public struct SCARefusalRequest: Hashable, Sendable {
    /// The operation; must be the event's.
    public var operationID: WalletOperationID

    /// Creates a refusal.
    /// - Parameter operationID: the operation; must be the event's.
    public init(operationID: WalletOperationID) { self.operationID = operationID }

    /// Reads a request's JSON. Unknown members are refused.
    /// - Parameter object: the body.
    public init(_ object: JSONObject) throws(MalformedValue) {
        try object.refuseMembers(otherThan: Self.shape)
        operationID = try object.required("walletOperationId", object.value("walletOperationId"))
    }

    /// The request's JSON.
    public var json: JSONObject {
        var object = JSONObject()
        object.set("walletOperationId", operationID)
        return object
    }
}

extension SCARefusalRequest: WireShaped {
    /// Its members.
    public static let shape = WireShape.request(
        SCARefusalRequest.self, [.required("walletOperationId", .of(WalletOperationID.self))])
}
