/// The fields of `login_method=recovery`: somebody who cannot give the password asks for a code.
public struct RecoveryLogin: Hashable, Sendable {
    /// Whose account it is.
    public var username: Username
    /// The device that asks, where it is enrolled.
    public var deviceID: DeviceID?
    /// The device's proof of its key.
    public var deviceProof: DeviceProof?

    /// Names whose account it is.
    /// - Parameters:
    ///   - username: whose account it is.
    ///   - deviceID: the device, where it is enrolled.
    ///   - deviceProof: the device's proof of its key.
    public init(username: Username, deviceID: DeviceID? = nil, deviceProof: DeviceProof? = nil) {
        self.username = username
        self.deviceID = deviceID
        self.deviceProof = deviceProof
    }
}

/// The `recovery` member of an answer: a code was sent, if there is somebody to send it to. Everybody is told the same.
public struct RecoveryPrompt: Hashable, Sendable {
    /// How many digits the code has.
    public var digits: Int64
    /// Seconds until it can be sent again; nil where it cannot be any more.
    public var resendAfter: Int64?
    /// Seconds that a code is good.
    public var expiresIn: Int64
    /// Whether this step had a code sent, if there is somebody to send it to; nil where a server does not say.
    public var sent: Bool?

    /// Each parameter is the property of its name.
    public init(digits: Int64, resendAfter: Int64?, expiresIn: Int64, sent: Bool? = nil) {
        self.digits = digits
        self.resendAfter = resendAfter
        self.expiresIn = expiresIn
        self.sent = sent
    }

    /// Reads the `recovery` member.
    /// - Parameter object: its members.
    public init(_ object: JSONObject) throws(MalformedValue) {
        digits = try object.required("digits", object.integer("digits"))
        resendAfter = try object.integer("resend_after")
        expiresIn = try object.required("expires_in", object.integer("expires_in"))
        sent = try object.bool("sent")
    }

    /// The `recovery` member.
    public var json: JSONObject {
        var object = JSONObject()
        object.set("digits", digits)
        object.set("resend_after", resendAfter)
        object.set("expires_in", expiresIn)
        object.set("sent", sent)
        return object
    }
}
