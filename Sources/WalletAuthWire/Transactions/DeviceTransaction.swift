/// A transaction as the device that claimed it sees it.
public struct DeviceTransaction: WireMessage {
    /// The transaction.
    public var transactionID: TransactionID
    /// Its state.
    public var status: TransactionStatus
    /// The reason the person rejected it.
    public var reason: RejectionReason?
    /// The bytes to parse, show and sign: ``TransactionPayload`` or ``ClientTransactionPayload``.
    public var payload: [UInt8]
    /// The second factors that the transaction allows and the device has.
    public var allowedSecondFactors: [TransactionFactor]
    /// The challenge for a signature by the biometric key, if that is allowed and the person has confirmed. A signature
    /// with the PIN answers the challenge of the PIN's evaluation.
    public var challenge: ChallengeResponse?
    /// When it expires, unless it is signed before.
    public var expiresAt: NumericDate

    /// Creates an answer. Each parameter sets the property of the same name.
    public init(
        transactionID: TransactionID, status: TransactionStatus, reason: RejectionReason? = nil, payload: [UInt8],
        allowedSecondFactors: [TransactionFactor], challenge: ChallengeResponse? = nil, expiresAt: NumericDate
    ) {
        self.transactionID = transactionID
        self.status = status
        self.reason = reason
        self.payload = payload
        self.allowedSecondFactors = allowedSecondFactors
        self.challenge = challenge
        self.expiresAt = expiresAt
    }

    enum CodingKeys: String, CodingKey {
        case transactionID = "transactionId"
        case status, reason, payload, allowedSecondFactors, challenge, expiresAt
    }

    /// No second factor.
    public static var defaults: [String: JSONValue] { ["allowedSecondFactors": []] }
}

/// A device claims the transaction of a QR code (`POST /v1/transactions/claim`).
public struct TransactionClaim: Hashable, Sendable {
    /// The QR data or deep link.
    public let link: TransactionLink
    /// The device.
    public let deviceID: DeviceID

    /// Claims a transaction. Each parameter sets the property of the same name.
    public init(link: TransactionLink, deviceID: DeviceID) {
        self.link = link
        self.deviceID = deviceID
    }

    /// Reads a request's JSON. Unknown members are refused.
    /// - Parameter object: the body.
    public init(_ object: JSONObject) throws(MalformedValue) {
        try object.refuseMembers(otherThan: Self.shape)
        link = try TransactionLink(object.required("qrData", object.string("qrData")))
        deviceID = try object.required("deviceId", object.value("deviceId"))
    }

    /// The request's JSON.
    public var json: JSONObject {
        var object = JSONObject()
        object.set("qrData", link.reveal())
        object.set("deviceId", deviceID)
        return object
    }
}

/// The person's confirmation of what they saw, which is not a signature yet
/// (`POST /v1/transactions/{transactionId}/confirm`).
public struct TransactionConfirmation: WireRequest {
    /// The device.
    public let deviceID: DeviceID
    /// The hash of the bytes that the app showed.
    public let payloadHash: PayloadHash

    /// Confirms a transaction. Each parameter sets the property of the same name.
    public init(deviceID: DeviceID, payloadHash: PayloadHash) {
        self.deviceID = deviceID
        self.payloadHash = payloadHash
    }

    enum CodingKeys: String, CodingKey {
        case deviceID = "deviceId"
        case payloadHash
    }
}

/// The person's rejection of a transaction (`POST /v1/transactions/{transactionId}/reject`). It takes no second factor.
public struct TransactionRejection: WireRequest {
    /// The device.
    public let deviceID: DeviceID
    /// The hash of the bytes that the app showed.
    public let payloadHash: PayloadHash
    /// The reason.
    public let reason: RejectionReason

    /// Rejects a transaction. Each parameter sets the property of the same name.
    public init(deviceID: DeviceID, payloadHash: PayloadHash, reason: RejectionReason) {
        self.deviceID = deviceID
        self.payloadHash = payloadHash
        self.reason = reason
    }

    enum CodingKeys: String, CodingKey {
        case deviceID = "deviceId"
        case payloadHash, reason
    }
}

/// The signature of a confirmed transaction (`POST /v1/transactions/{transactionId}/sign`).
public struct TransactionSignature: WireRequest {
    /// A ``DeviceAssertion`` of the act `transaction`, signed by the device and its second factor.
    public let assertion: SignedAssertion

    /// Signs a transaction. Each parameter sets the property of the same name.
    public init(assertion: SignedAssertion) { self.assertion = assertion }

    enum CodingKeys: String, CodingKey {
        case assertion = "jws"
    }
}

extension TransactionClaim: WireShaped {
    /// Its members.
    public static let shape = WireShape.request(
        TransactionClaim.self, [.required("qrData", TransactionLink.shape), .required("deviceId", .of(DeviceID.self))])
}
