/// The method of a factor in a payment consent.
public enum SCAMethod: String, Hashable, Sendable, Codable, CaseIterable {
    /// A one-time password, sent or shown by an authenticator app (RFC 6238).
    case otp = "OTP"
    /// A PIN.
    case pin = "PIN"
    /// A biometric key.
    case biometric = "BIOMETRIC"
    /// A passkey (WebAuthn).
    case passkey = "PASSKEY"
    /// The account's password.
    case password = "PASSWORD"
    /// An approval on another device of the account.
    case pushNotification = "PUSH_NOTIFICATION"
}

/// The channel of a factor.
public enum SCAChannel: String, Hashable, Sendable, Codable, CaseIterable {
    /// A code in a short message.
    case sms = "SMS"
    /// A code in an e-mail.
    case email = "EMAIL"
    /// A code that the person's authenticator app shows.
    case authenticator = "AUTHENTICATOR"
    /// A signature by the enrolled device and its second key, or by a passkey that the app asks for.
    case device = "DEVICE"
    /// A hosted page, which returns to a registered URL.
    case redirect = "REDIRECT"
    /// A push message to the account's other devices, one of which approves.
    case pushNotification = "PUSH_NOTIFICATION"
}

/// A method and its channel: one way to verify a payment consent.
public struct SCAVerification: WireMessage {
    /// The method.
    public let method: SCAMethod
    /// The channel.
    public let channel: SCAChannel

    /// A code by SMS.
    public static let sms = SCAVerification(.otp, .sms)
    /// A code by e-mail.
    public static let email = SCAVerification(.otp, .email)
    /// A code from the person's authenticator app.
    public static let authenticator = SCAVerification(.otp, .authenticator)
    /// The PIN of the enrolled device.
    public static let devicePIN = SCAVerification(.pin, .device)
    /// The biometric key of the enrolled device.
    public static let deviceBiometric = SCAVerification(.biometric, .device)
    /// A passkey in the app's own screen.
    public static let devicePasskey = SCAVerification(.passkey, .device)
    /// A passkey on a hosted page.
    public static let passkey = SCAVerification(.passkey, .redirect)
    /// The password on a hosted page.
    public static let password = SCAVerification(.password, .redirect)
    /// The account's PIN on a hosted page; not that of a device.
    public static let hostedPIN = SCAVerification(.pin, .redirect)

    /// A push message, and the PIN or the biometric key of another device of the account.
    public static let push = SCAVerification(.pushNotification, .pushNotification)

    /// All ways, in the order in which an app offers them: sorted by effort for the person.
    public static let all: [SCAVerification] = [
        .deviceBiometric, .devicePIN, .devicePasskey, .passkey, .push, .authenticator, .sms, .email, .password,
        .hostedPIN,
    ]

    /// Whether the person proves the factor somewhere else: on a hosted page, or on another device. The app then asks for the
    /// result, and sends no value.
    public var isProvedElsewhere: Bool { channel == .redirect || channel == .pushNotification }

    fileprivate init(_ method: SCAMethod, _ channel: SCAChannel) {
        self.method = method
        self.channel = channel
    }

    /// Creates a way.
    /// - Parameters:
    ///   - method: the method.
    ///   - channel: the channel.
    /// - Throws: ``MalformedValue`` if the method does not work with the channel.
    public init(method: SCAMethod, channel: SCAChannel) throws(MalformedValue) {
        self.init(method, channel)
        try validate()
    }

    /// Refuses a method that does not work with the channel.
    public func validate() throws(MalformedValue) {
        guard Self.all.contains(self) else {
            throw MalformedValue(field: "verification", reason: "has a method that does not work with the channel")
        }
    }

    /// The member `verification` of a request.
    /// - Parameter object: the request.
    static func member(of object: JSONObject) throws(MalformedValue) -> SCAVerification {
        let verification = try object.object("verification") { (member) throws(MalformedValue) in
            try member.refuseMembers(otherThan: ["method", "channel"])
            return try SCAVerification(member)
        }
        return try object.required("verification", verification)
    }
}

/// A way in which this person can verify this operation.
public struct AvailableVerification: WireMessage, WireAlternative {
    private let method: SCAMethod
    private let channel: SCAChannel
    /// The masked destination of a code; nil if nothing is sent.
    public private(set) var destination: String?

    /// Creates an available way.
    /// - Parameters:
    ///   - verification: the way.
    ///   - destination: the masked destination of a code.
    public init(_ verification: SCAVerification, destination: String? = nil) {
        method = verification.method
        channel = verification.channel
        self.destination = destination
    }

    /// The way.
    public var verification: SCAVerification { SCAVerification(method, channel) }

    /// Leaves out a destination that would steer the screen.
    public mutating func validate() throws(MalformedValue) {
        try verification.validate()
        destination = ShownText.destination(destination)
    }
}
