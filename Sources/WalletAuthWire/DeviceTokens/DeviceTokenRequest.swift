import Crypto

/// Begins a long-lived session (`POST /v1/device-authentication-tokens`): user name and password once more, in a request
/// that the enrolled device signs (``DeviceRequestSignature``).
public struct DeviceTokenRequest: Hashable, Sendable {
    /// The device that the token is for: the one that the call's session was opened on.
    public var deviceID: DeviceID
    /// The challenge of purpose ``ChallengeRequest/Purpose/deviceToken`` for this device, whose nonce the signature has.
    public var challengeID: ChallengeID
    /// Whose wallet it is.
    public var username: Username
    /// The password as typed.
    public var password: Password

    /// Makes a request.
    /// - Parameters:
    ///   - deviceID: the device that the token is for.
    ///   - challengeID: the challenge whose nonce the signature has.
    ///   - username: whose wallet it is.
    ///   - password: the password as typed.
    public init(deviceID: DeviceID, challengeID: ChallengeID, username: Username, password: Password) {
        self.deviceID = deviceID
        self.challengeID = challengeID
        self.username = username
        self.password = password
    }

    /// What the signature names as its `ik`: the request has no `Idempotency-Key`, since its challenge serves once. It is
    /// base64url of the challenge's SHA-256.
    public var signatureKey: IdempotencyKey {
        get throws(MalformedValue) {
            try IdempotencyKey(Base64URL.encode(Array(SHA256.hash(data: Array(challengeID.rawValue.utf8)))))
        }
    }

    /// Reads a request's JSON. Members that are not known are refused.
    /// - Parameter object: the body.
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

/// A device authentication token, as it is told once.
public struct DeviceTokenResponse: Hashable, Sendable {
    /// The token.
    public let token: DeviceAuthenticationToken
    /// For how many seconds it serves; each sign-in by it begins that anew.
    public let expiresIn: Int64

    /// Makes an answer.
    /// - Parameters:
    ///   - token: the token.
    ///   - expiresIn: seconds.
    public init(token: DeviceAuthenticationToken, expiresIn: Int64) {
        self.token = token
        self.expiresIn = expiresIn
    }

    /// Reads an answer's JSON.
    /// - Parameter object: the body.
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

/// What a device's holder said of long-lived sessions (`GET` and `PUT /v1/device-authentication-tokens/current`).
public struct DeviceTokenConsent: Hashable, Sendable {
    /// What they said, or what became of it.
    public enum State: String, Hashable, Sendable, Codable, CaseIterable {
        /// Agreed, and a token serves.
        case active
        /// Agreed once; the token is over.
        case expired
        /// Refused.
        case declined
        /// Was never asked.
        case none
    }

    /// How it stands.
    public var state: State
    /// Until when the token serves unless it is used before, in seconds from now; nil unless it is active.
    public var expiresIn: Int64?

    /// Says how it stands.
    /// - Parameters:
    ///   - state: how it stands.
    ///   - expiresIn: for how many seconds the token serves.
    public init(state: State, expiresIn: Int64? = nil) {
        self.state = state
        self.expiresIn = expiresIn
    }

    /// Reads JSON.
    /// - Parameter object: the body.
    public init(_ object: JSONObject) throws(MalformedValue) {
        guard let state = State(rawValue: try object.required("consent", object.string("consent"))) else {
            throw MalformedValue(field: "consent", reason: "is none of active, expired, declined and none")
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
