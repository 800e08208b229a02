/// A kind of second factor that an account may have.
public enum FactorKind: String, Hashable, Sendable, Codable, CaseIterable {
    /// A code from the person's authenticator app (RFC 6238).
    case totp
    /// A code sent to the account's verified e-mail address.
    case email
    /// A code sent to the account's phone.
    case sms
    /// The answer to a question that the person answered before.
    case secretQuestion = "secret_question"
    /// One of the codes that the person keeps for the day when nothing else is at hand.
    case recoveryCode = "recovery_code"

    /// How it stands on the wire: `totp`, `otp`, `secret_question`, `recovery_code`.
    public var method: String {
        switch self {
        case .totp: "totp"
        case .email, .sms: "otp"
        case .secretQuestion: "secret_question"
        case .recoveryCode: "recovery_code"
        }
    }

    /// By which way a code is sent, where one is: `EMAIL`, `SMS`.
    public var channel: String? {
        switch self {
        case .email: "EMAIL"
        case .sms: "SMS"
        case .totp, .secretQuestion, .recoveryCode: nil
        }
    }

    /// Whether a code has to be sent first.
    public var isSent: Bool { channel != nil }

    /// Reads the pair; a method without its channel means the first kind of that method.
    /// - Parameters:
    ///   - method: `totp`, `otp`, `secret_question`, `recovery_code`.
    ///   - channel: `EMAIL`, `SMS`; nil where the method has none, or any will do.
    public init?(method: String, channel: String?) {
        let found = Self.allCases.first { $0.method == method && (channel == nil || $0.channel == channel) }
        guard let found else { return nil }
        self = found
    }
}
