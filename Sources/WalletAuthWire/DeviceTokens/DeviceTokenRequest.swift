import Crypto

/// Starts a long-lived session (`POST /v1/device-authentication-tokens`): user name and password again, in a request
/// that the enrolled device signs (``DeviceRequestSignature``).
public struct DeviceTokenRequest: Hashable, Sendable {
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

    /// Reads a request's JSON. Unknown members are refused.
    /// - Parameter object: the body.
    /// - Throws: ``MalformedValue`` with the member that is missing or malformed.
    public init(_ object: JSONObject) throws(MalformedValue) {
        try object.refuseMembers(otherThan: ["deviceId", "challengeId", "username", "password"])
        deviceID = try object.required("deviceId", object.value("deviceId"))
        challengeID = try object.required("challengeId", object.value("challengeId"))
        username = try object.required("username", object.value("username"))
        password = try object.required("password", object.secret("password"))
    }

    /// The request's JSON.
    public var json: JSONObject {
        var object = JSONObject()
        object.set("deviceId", deviceID)
        object.set("challengeId", challengeID)
        object.set("username", username)
        object.set("password", password.reveal())
        return object
    }
}

/// A new device authentication token. It is returned only once.
public struct DeviceTokenResponse: Hashable, Sendable {
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

    /// Reads an answer's JSON.
    /// - Parameter object: the body.
    /// - Throws: ``MalformedValue`` with the member that is missing or malformed.
    public init(_ object: JSONObject) throws(MalformedValue) {
        token = try object.required("deviceToken", object.secret("deviceToken"))
        expiresIn = try object.required("expiresIn", object.integer("expiresIn"))
    }

    /// The answer's JSON.
    public var json: JSONObject {
        var object = JSONObject()
        object.set("deviceToken", token.reveal())
        object.set("expiresIn", expiresIn)
        return object
    }
}

/// A person's decision about long-lived sessions on a device (`GET` and
/// `PUT /v1/device-authentication-tokens/current`).
public struct DeviceTokenConsent: Hashable, Sendable {
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

    /// Reads JSON.
    /// - Parameter object: the body.
    /// - Throws: ``MalformedValue`` with the member that is missing or malformed.
    public init(_ object: JSONObject) throws(MalformedValue) {
        guard let state = State(rawValue: try object.required("consent", object.string("consent"))) else {
            throw MalformedValue(field: "consent", reason: "is not active, expired, declined or none")
        }
        self.state = state
        expiresIn = try object.integer("expiresIn")
    }

    /// The JSON.
    public var json: JSONObject {
        var object = JSONObject()
        object.set("consent", state.rawValue)
        object.set("expiresIn", expiresIn)
        return object
    }
}
