import Crypto

/// Starts a long-lived session (`POST /v1/device-authentication-tokens`): user name and password again, in a request
/// that the enrolled device signs (``DeviceRequestSignature``).
public struct DeviceTokenRequest: WireRequest {
    /// The device for the token; must be the device of the call's session.
    public var deviceID: DeviceID
    /// The challenge of purpose ``ChallengeRequest/Purpose/deviceToken`` for this device, whose nonce is in the
    /// signature.
    public var challengeID: ChallengeID
    /// The account's user name.
    public var username: Username
    /// The password as typed.
    public var password: Password

    /// Creates a request.
    /// - Parameters:
    ///   - deviceID: the device for the token.
    ///   - challengeID: the challenge whose nonce is in the signature.
    ///   - username: the account's user name.
    ///   - password: the password as typed.
    public init(deviceID: DeviceID, challengeID: ChallengeID, username: Username, password: Password) {
        self.deviceID = deviceID
        self.challengeID = challengeID
        self.username = username
        self.password = password
    }

    /// The signature's `ik`: base64url of the challenge's SHA-256. The request has no `Idempotency-Key`, because its
    /// challenge works once.
    public var signatureKey: IdempotencyKey {
        get throws(MalformedValue) {
            try IdempotencyKey(Base64URL.encode(Array(SHA256.hash(data: Array(challengeID.rawValue.utf8)))))
        }
    }

    enum CodingKeys: String, CodingKey {
        case deviceID = "deviceId"
        case challengeID = "challengeId"
        case username, password
    }
}

/// A new device authentication token. It is returned only once.
public struct DeviceTokenResponse: WireMessage {
    /// The token.
    public let token: DeviceAuthenticationToken
    /// The validity in seconds; each sign-in with the token restarts it.
    public let expiresIn: Int64

    /// Creates an answer.
    /// - Parameters:
    ///   - token: the token.
    ///   - expiresIn: seconds.
    public init(token: DeviceAuthenticationToken, expiresIn: Int64) {
        self.token = token
        self.expiresIn = expiresIn
    }

    enum CodingKeys: String, CodingKey {
        case token = "deviceToken"
        case expiresIn
    }
}

/// A person's decision about long-lived sessions on a device (`GET` and
/// `PUT /v1/device-authentication-tokens/current`).
public struct DeviceTokenConsent: WireMessage {
    /// The decision, or the state of the token.
    public enum State: String, Hashable, Sendable, Codable, CaseIterable {
        /// Agreed, with a valid token.
        case active
        /// Agreed once; the token has expired or ended.
        case expired
        /// Refused.
        case declined
        /// Never asked.
        case none
    }

    /// The state.
    public var state: State
    /// The remaining validity of the token in seconds unless it is used before; nil unless it is active.
    public var expiresIn: Int64?

    /// Creates a value.
    /// - Parameters:
    ///   - state: the state.
    ///   - expiresIn: the remaining validity of the token in seconds.
    public init(state: State, expiresIn: Int64? = nil) {
        self.state = state
        self.expiresIn = expiresIn
    }

    enum CodingKeys: String, CodingKey {
        case state = "consent"
        case expiresIn
    }
}
