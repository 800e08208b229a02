/// A transaction that an app begins (`POST /v1/transactions/drafts`). The server stores nothing until it is signed.
public struct TransactionDraftRequest: Hashable, Sendable {
    /// The device.
    public let deviceID: DeviceID
    /// The app's state, at most ``maximumStateBytes``; nil for none, and never empty.
    public let clientState: [UInt8]?
    /// The app's data to sign, at most ``maximumDataBytes``; nil for none, and never empty.
    public let clientAdditionalData: [UInt8]?
    /// The second factor to require.
    public let requiredSecondFactor: RequiredSecondFactor

    /// The maximum length of ``clientState`` in bytes.
    public static let maximumStateBytes = 1_024
    /// The maximum length of ``clientAdditionalData`` in bytes.
    public static let maximumDataBytes = 4_096

    /// Begins a transaction. Each parameter sets the property of the same name. Empty state and data are none: apps send
    /// what they have, and a hash of nothing would say that there was something to sign.
    public init(
        deviceID: DeviceID, clientState: [UInt8]? = nil, clientAdditionalData: [UInt8]? = nil,
        requiredSecondFactor: RequiredSecondFactor = .any
    ) throws(MalformedValue) {
        if let clientState, clientState.count > Self.maximumStateBytes {
            throw MalformedValue(field: "clientState", reason: "is longer than \(Self.maximumStateBytes) bytes")
        }
        if let clientAdditionalData, clientAdditionalData.count > Self.maximumDataBytes {
            throw MalformedValue(
                field: "clientAdditionalData", reason: "is longer than \(Self.maximumDataBytes) bytes")
        }
        self.deviceID = deviceID
        self.clientState = clientState.flatMap { $0.isEmpty ? nil : $0 }
        self.clientAdditionalData = clientAdditionalData.flatMap { $0.isEmpty ? nil : $0 }
        self.requiredSecondFactor = requiredSecondFactor
    }

    /// Reads a request's JSON. Unknown members are refused.
    /// - Parameter object: the body.
    public init(_ object: JSONObject) throws(MalformedValue) {
        try object.refuseMembers(
            otherThan: ["deviceId", "clientState", "clientAdditionalData", "requiredSecondFactorType"])
        try self.init(
            deviceID: object.required("deviceId", object.value("deviceId")),
            clientState: object.base64URL("clientState"),
            clientAdditionalData: object.base64URL("clientAdditionalData"),
            requiredSecondFactor: object.named("requiredSecondFactorType") ?? .any)
    }

    /// The request's JSON.
    public var json: JSONObject {
        var object = JSONObject()
        object.set("deviceId", deviceID)
        object.set("clientState", clientState.map { Base64URL.encode($0) })
        object.set("clientAdditionalData", clientAdditionalData.map { Base64URL.encode($0) })
        object.set("requiredSecondFactorType", requiredSecondFactor.rawValue)
        return object
    }
}

/// The answer to an app's new transaction.
public struct TransactionDraftResponse: Hashable, Sendable {
    /// The draft, to be returned with the signature.
    public let draft: TransactionDraft
    /// The transaction; its payload is a ``ClientTransactionPayload``.
    public let transaction: DeviceTransaction

    /// Creates an answer. Each parameter sets the property of the same name.
    public init(draft: TransactionDraft, transaction: DeviceTransaction) {
        self.draft = draft
        self.transaction = transaction
    }

    /// Reads an answer's JSON.
    /// - Parameter object: the body.
    public init(_ object: JSONObject) throws(MalformedValue) {
        draft = try object.required("draft", object.secret("draft"))
        transaction = try DeviceTransaction(object)
    }

    /// The answer's JSON.
    public var json: JSONObject {
        var object = transaction.json
        object.set("draft", draft.reveal())
        return object
    }
}

/// A signed transaction of an app, for storage (`POST /v1/transactions`).
public struct SignedDraft: WireRequest {
    /// The draft, as the server sealed it.
    public let draft: TransactionDraft
    /// A ``DeviceAssertion`` of the act `transaction`, signed by the device and its second factor.
    public let assertion: SignedAssertion

    /// Stores a transaction. Each parameter sets the property of the same name.
    public init(draft: TransactionDraft, assertion: SignedAssertion) {
        self.draft = draft
        self.assertion = assertion
    }

    enum CodingKeys: String, CodingKey {
        case draft
        case assertion = "jws"
    }
}
