/// Asks for something fresh to sign (`POST /v1/challenges`).
public struct ChallengeRequest: Hashable, Sendable {
    /// What the answer may be used for; a challenge of one purpose never serves another.
    public enum Purpose: String, Hashable, Sendable, Codable, CaseIterable {
        /// Enrolling this device.
        case enroll
        /// Setting the key that signs behind the holder's presence.
        case biometric
        /// Signing in by that key.
        case login
        /// Making or using a device authentication token.
        case deviceToken = "device-token"
        /// The `nonce` of an identity provider's ID token.
        case federatedIdentity = "federated_identity"
        /// Agreeing to an operation. It comes with the SCA event's challenge, and is not asked for by itself.
        case sca
        /// Signing a transaction. It comes with the transaction's confirmation, and is not asked for by itself.
        case transaction
    }

    /// What for.
    public var purpose: Purpose
    /// The device that will sign, where it is enrolled.
    public var deviceID: DeviceID?

    /// Asks.
    /// - Parameters:
    ///   - purpose: what for.
    ///   - deviceID: the device that will sign, where it is enrolled.
    public init(purpose: Purpose, deviceID: DeviceID? = nil) {
        self.purpose = purpose
        self.deviceID = deviceID
    }

    /// Reads a request's JSON. Members that are not known are refused.
    /// - Parameter object: the body.
    public init(_ object: JSONObject) throws(MalformedValue) {
        try object.refuseMembers(otherThan: ["purpose", "deviceId"])
        guard let purpose = Purpose(rawValue: try object.required("purpose", object.string("purpose"))),
            purpose != .sca, purpose != .transaction
        else {
            throw MalformedValue(field: "purpose", reason: "is not known")
        }
        self.purpose = purpose
        deviceID = try object.value("deviceId")
    }

    /// The request's JSON.
    public var json: JSONObject {
        var object = JSONObject()
        object.set("purpose", purpose.rawValue)
        object.set("deviceId", deviceID)
        return object
    }
}

/// A challenge: bound to the DPoP key of the request that asked for it, and used once.
public struct ChallengeResponse: Hashable, Sendable {
    /// Names the challenge; goes back with what was signed.
    public let challengeID: ChallengeID
    /// What is signed.
    public let nonce: Nonce
    /// For how many seconds it serves.
    public let expiresIn: Int64

    /// Makes an answer.
    /// - Parameters:
    ///   - challengeID: names the challenge.
    ///   - nonce: what is signed.
    ///   - expiresIn: seconds.
    public init(challengeID: ChallengeID, nonce: Nonce, expiresIn: Int64) {
        self.challengeID = challengeID
        self.nonce = nonce
        self.expiresIn = expiresIn
    }

    /// Reads an answer's JSON.
    /// - Parameter object: the body.
    public init(_ object: JSONObject) throws(MalformedValue) {
        challengeID = try object.required("challengeId", object.value("challengeId"))
        nonce = try object.required("nonce", object.value("nonce"))
        expiresIn = try object.required("expiresIn", object.integer("expiresIn"))
    }

    /// The answer's JSON.
    public var json: JSONObject {
        var object = JSONObject()
        object.set("challengeId", challengeID)
        object.set("nonce", nonce)
        object.set("expiresIn", expiresIn)
        return object
    }
}
