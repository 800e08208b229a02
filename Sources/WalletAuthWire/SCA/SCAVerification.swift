/// What proves a factor in a payment consent.
public enum SCAMethod: String, Hashable, Sendable, Codable, CaseIterable {
    /// A one-time password: sent, or shown by an authenticator app (RFC 6238).
    case otp = "OTP"
    /// A PIN.
    case pin = "PIN"
    /// A key behind the device's check of its holder's presence.
    case biometric = "BIOMETRIC"
    /// A passkey (WebAuthn).
    case passkey = "PASSKEY"
    /// The account's password.
    case password = "PASSWORD"
}

/// By which way a factor is proved.
public enum SCAChannel: String, Hashable, Sendable, Codable, CaseIterable {
    /// A code in a short message.
    case sms = "SMS"
    /// A code in an e-mail.
    case email = "EMAIL"
    /// A code that the person's authenticator app shows.
    case authenticator = "AUTHENTICATOR"
    /// A signature by the enrolled device and its second key.
    case device = "DEVICE"
    /// A hosted page, which comes back to a registered URL.
    case redirect = "REDIRECT"
}

/// A method by a channel: one of the ways in which a payment consent can be verified.
public struct SCAVerification: Hashable, Sendable {
    /// What is proved.
    public let method: SCAMethod
    /// By which way.
    public let channel: SCAChannel

    /// A code by SMS.
    public static let sms = SCAVerification(.otp, .sms)
    /// A code by e-mail.
    public static let email = SCAVerification(.otp, .email)
    /// A code of the person's authenticator app.
    public static let authenticator = SCAVerification(.otp, .authenticator)
    /// The PIN of the enrolled device.
    public static let devicePIN = SCAVerification(.pin, .device)
    /// The biometric key of the enrolled device.
    public static let deviceBiometric = SCAVerification(.biometric, .device)
    /// A passkey on a hosted page.
    public static let passkey = SCAVerification(.passkey, .redirect)
    /// The password on a hosted page.
    public static let password = SCAVerification(.password, .redirect)
    /// The account's PIN on a hosted page; not that of a device.
    public static let hostedPIN = SCAVerification(.pin, .redirect)

    /// Every way there is, in the order in which an app offers them: what asks least of the person first.
    public static let all: [SCAVerification] = [
        .deviceBiometric, .devicePIN, .passkey, .authenticator, .sms, .email, .password, .hostedPIN,
    ]

    private init(_ method: SCAMethod, _ channel: SCAChannel) {
        self.method = method
        self.channel = channel
    }

    /// Names a way.
    /// - Parameters:
    ///   - method: what is proved.
    ///   - channel: by which way.
    /// - Throws: ``MalformedValue`` where the method does not go by that channel.
    public init(method: SCAMethod, channel: SCAChannel) throws(MalformedValue) {
        self.init(method, channel)
        guard Self.all.contains(self) else {
            throw MalformedValue(field: "verification", reason: "has a method that does not go by that channel")
        }
    }
}

extension SCAVerification {
    /// Reads `{method, channel}`.
    /// - Parameter object: the member's object.
    public init(_ object: JSONObject) throws(MalformedValue) {
        guard let method = SCAMethod(rawValue: try object.required("method", object.string("method"))) else {
            throw MalformedValue(field: "method", reason: "is not known here")
        }
        guard let channel = SCAChannel(rawValue: try object.required("channel", object.string("channel"))) else {
            throw MalformedValue(field: "channel", reason: "is not known here")
        }
        try self.init(method: method, channel: channel)
    }

    /// `{method, channel}`.
    public var json: JSONObject {
        var object = JSONObject()
        object.set("method", method.rawValue)
        object.set("channel", channel.rawValue)
        return object
    }

    /// The member `verification` of a request.
    /// - Parameter object: the request.
    static func member(of object: JSONObject) throws(MalformedValue) -> SCAVerification {
        let member = try object.required("verification", object.object("verification"))
        try member.refuseMembers(otherThan: ["method", "channel"])
        return try SCAVerification(member)
    }
}

/// A way in which this person can verify this operation.
public struct AvailableVerification: Hashable, Sendable {
    /// The way.
    public var verification: SCAVerification
    /// Where a code goes, so far masked that only its owner knows it; nil where nothing is sent.
    public var destination: String?

    /// Names a way.
    /// - Parameters:
    ///   - verification: the way.
    ///   - destination: where a code goes, masked.
    public init(_ verification: SCAVerification, destination: String? = nil) {
        self.verification = verification
        self.destination = destination
    }

    /// Reads `{method, channel, destination?}`.
    /// - Parameter object: the element.
    public init(_ object: JSONObject) throws(MalformedValue) {
        verification = try SCAVerification(object)
        destination = ShownText.destination(try object.string("destination"))
    }

    /// `{method, channel, destination?}`.
    public var json: JSONObject {
        var object = verification.json
        object.set("destination", destination)
        return object
    }
}
