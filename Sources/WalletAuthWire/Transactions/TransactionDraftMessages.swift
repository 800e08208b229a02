/// A transaction that an app begins (`POST /v1/transactions/drafts`). The server stores nothing until it is signed.
public struct TransactionDraftRequest: WireRequest {
    /// The device.
    public let deviceID: DeviceID
    /// The app's state, at most ``maximumStateBytes``; nil for none, and never empty.
    public private(set) var clientState: [UInt8]?
    /// The app's data to sign, at most ``maximumDataBytes``; nil for none, and never empty.
    public private(set) var clientAdditionalData: [UInt8]?
    private var requiredSecondFactorType: RequiredSecondFactor?

    /// The second factor to require.
    public var requiredSecondFactor: RequiredSecondFactor { requiredSecondFactorType ?? .any }

    /// The maximum length of ``clientState`` in bytes.
    public static let maximumStateBytes = 1_024
    /// The maximum length of ``clientAdditionalData`` in bytes.
    public static let maximumDataBytes = 4_096

    /// Begins a transaction. Each parameter sets the property of the same name.
    public init(
        deviceID: DeviceID, clientState: [UInt8]? = nil, clientAdditionalData: [UInt8]? = nil,
        requiredSecondFactor: RequiredSecondFactor = .any
    ) throws(MalformedValue) {
        self.deviceID = deviceID
        self.clientState = clientState
        self.clientAdditionalData = clientAdditionalData
        requiredSecondFactorType = requiredSecondFactor
        try validate()
    }

    enum CodingKeys: String, CodingKey {
        case deviceID = "deviceId"
        case clientState, clientAdditionalData, requiredSecondFactorType
    }

    /// Empty state and data are none: apps send what they have, and a hash of nothing would say that there was something to
    /// sign.
    public mutating func validate() throws(MalformedValue) {
        if clientState?.isEmpty == true { clientState = nil }
        if clientAdditionalData?.isEmpty == true { clientAdditionalData = nil }
        requiredSecondFactorType = requiredSecondFactor
        guard clientState?.count ?? 0 <= Self.maximumStateBytes else {
            throw MalformedValue(field: "clientState", reason: "is longer than \(Self.maximumStateBytes) bytes")
        }
        guard clientAdditionalData?.count ?? 0 <= Self.maximumDataBytes else {
            throw MalformedValue(
                field: "clientAdditionalData", reason: "is longer than \(Self.maximumDataBytes) bytes")
        }
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

extension TransactionDraftResponse: WireShaped {
    /// The members of the transaction, and the draft.
    public static let shape = WireShape.answer(
        TransactionDraftResponse.self,
        DeviceTransaction.shape.members + [.required("draft", .of(TransactionDraft.self))])
}
