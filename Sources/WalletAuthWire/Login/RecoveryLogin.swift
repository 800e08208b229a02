/// The fields of `login_method=recovery`: a person without their password requests a code.
public struct RecoveryLogin: Hashable, Sendable {
    /// The account's user name.
    public var username: Username
    /// The requesting device, if it is enrolled.
    public var deviceID: DeviceID?
    /// The device's proof of its key.
    public var deviceProof: DeviceProof?

    /// Creates the fields.
    /// - Parameters:
    ///   - username: the account's user name.
    ///   - deviceID: the device, if it is enrolled.
    ///   - deviceProof: the device's proof of its key.
    public init(username: Username, deviceID: DeviceID? = nil, deviceProof: DeviceProof? = nil) {
        self.username = username
        self.deviceID = deviceID
        self.deviceProof = deviceProof
    }
}

/// The `recovery` member of an answer: a code was sent, if there is a recipient. The answer is the same for every name.
public struct RecoveryPrompt: WireMessage {
    /// The number of digits of the code.
    public var digits: Int64
    /// Seconds until it can be sent again; nil if it no longer can.
    public var resendAfter: Int64?
    /// The validity of a code in seconds.
    public var expiresIn: Int64
    /// Whether this step sent a code, if there is a recipient; nil if the server does not say.
    public var sent: Bool?

    /// Creates a value. Each parameter sets the property of the same name.
    public init(digits: Int64, resendAfter: Int64?, expiresIn: Int64, sent: Bool? = nil) {
        self.digits = digits
        self.resendAfter = resendAfter
        self.expiresIn = expiresIn
        self.sent = sent
    }

    enum CodingKeys: String, CodingKey {
        case digits
        case resendAfter = "resend_after"
        case expiresIn = "expires_in"
        case sent
    }
}
