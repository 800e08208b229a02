/// A request for a fresh challenge to sign (`POST /v1/challenges`).
public struct ChallengeRequest: WireRequest {
    /// The purpose of the challenge; it is valid for no other.
    public enum Purpose: String, Hashable, Sendable, Codable, CaseIterable {
        /// Enrolling this device.
        case enroll
        /// Registering a biometric key.
        case biometric
        /// Signing in with the biometric key.
        case login
        /// Creating or using a device authentication token.
        case deviceToken = "device-token"
        /// The `nonce` of an identity provider's ID token.
        case federatedIdentity = "federated_identity"
        /// Agreeing to an operation. It comes with the SCA event's challenge and cannot be requested separately.
        case sca
        /// Signing a transaction. It comes with the transaction's confirmation and cannot be requested separately.
        case transaction
    }

    /// The purpose.
    public var purpose: Purpose
    /// The device that will sign, if it is enrolled.
    public var deviceID: DeviceID?

    /// Creates a request.
    /// - Parameters:
    ///   - purpose: the purpose.
    ///   - deviceID: the device that will sign, if it is enrolled.
    public init(purpose: Purpose, deviceID: DeviceID? = nil) {
        self.purpose = purpose
        self.deviceID = deviceID
    }

    enum CodingKeys: String, CodingKey {
        case purpose
        case deviceID = "deviceId"
    }

    /// Refuses the two purposes whose challenges cannot be requested separately.
    public func validate() throws(MalformedValue) {
        guard purpose != .sca, purpose != .transaction else {
            throw MalformedValue(field: "purpose", reason: "is not known")
        }
    }
}

/// A challenge: bound to the DPoP key of its request, and valid once.
public struct ChallengeResponse: WireMessage {
    /// Identifies the challenge; returned with the signature.
    public let challengeID: ChallengeID
    /// The value to sign.
    public let nonce: Nonce
    /// The validity in seconds.
    public let expiresIn: Int64

    /// Creates an answer.
    /// - Parameters:
    ///   - challengeID: identifies the challenge.
    ///   - nonce: the value to sign.
    ///   - expiresIn: the validity in seconds.
    public init(challengeID: ChallengeID, nonce: Nonce, expiresIn: Int64) {
        self.challengeID = challengeID
        self.nonce = nonce
        self.expiresIn = expiresIn
    }

    enum CodingKeys: String, CodingKey {
        case challengeID = "challengeId"
        case nonce, expiresIn
    }
}
