/// A kind of second factor.
public enum FactorKind: String, Hashable, Sendable, Codable, CaseIterable {
    /// A code from the person's authenticator app (RFC 6238).
    case totp
    /// A code sent to the account's verified e-mail address.
    case email
    /// A code sent to the account's phone.
    case sms
    /// The answer to a secret question.
    case secretQuestion = "secret_question"
    /// A recovery code, which the person keeps for when no other factor is at hand.
    case recoveryCode = "recovery_code"

    /// The value on the wire: `totp`, `otp`, `secret_question`, `recovery_code`.
    public var method: String {
        switch self {
        case .totp: "totp"
        case .email, .sms: "otp"
        case .secretQuestion: "secret_question"
        case .recoveryCode: "recovery_code"
        }
    }

    /// The channel of a code, if one is sent: `EMAIL`, `SMS`.
    public var channel: String? {
        switch self {
        case .email: "EMAIL"
        case .sms: "SMS"
        case .totp, .secretQuestion, .recoveryCode: nil
        }
    }

    /// Whether a code must be sent first.
    public var isSent: Bool { channel != nil }

    /// Finds the kind of a pair; a method without its channel means the first kind of that method.
    /// - Parameters:
    ///   - method: `totp`, `otp`, `secret_question`, `recovery_code`.
    ///   - channel: `EMAIL`, `SMS`; nil if the method has none, or for any.
    public init?(method: String, channel: String?) {
        let found = Self.allCases.first { $0.method == method && (channel == nil || $0.channel == channel) }
        guard let found else { return nil }
        self = found
    }
}
