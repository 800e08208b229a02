import WalletAuth
import WalletAuthWire

extension Wallet {
    /// A method of verification. There is none by push notification.
    public enum SCAAuthenticationEventAttemptVerificationMethod: String, Sendable, Hashable, CaseIterable {
        /// A one-time password, which is sent or comes from an authenticator app.
        case otp = "OTP"
        /// The PIN of the enrolled device, or of the account on a hosted page.
        case pin = "PIN"
        /// Face or fingerprint on the enrolled device.
        case biometric = "BIOMETRIC"
        /// A passkey on a hosted page.
        case passkeys = "PASSKEY"
        /// The password on a hosted page.
        case password = "PASSWORD"
    }

    /// The channel of a verification.
    public enum SCAAuthenticationEventAttemptVerificationChannel: String, Sendable, Hashable, CaseIterable {
        /// A short message.
        case sms = "SMS"
        /// An e-mail.
        case email = "EMAIL"
        /// The person's authenticator app.
        case authenticator = "AUTHENTICATOR"
        /// The enrolled device, which signs the operation.
        case device = "DEVICE"
        /// A hosted page, which returns to the `returnURL` of the challenge's action.
        case redirect = "REDIRECT"
    }

    /// A method and its channel.
    public struct SCAAuthenticationEventAttemptVerification: Sendable, Hashable {
        /// The method.
        public var method: SCAAuthenticationEventAttemptVerificationMethod
        /// The channel.
        public var channel: SCAAuthenticationEventAttemptVerificationChannel

        /// Creates a verification. Each parameter sets the property of the same name.
        public init(
            method: SCAAuthenticationEventAttemptVerificationMethod,
            channel: SCAAuthenticationEventAttemptVerificationChannel
        ) {
            self.method = method
            self.channel = channel
        }
    }

    /// A way in which this person can verify an event.
    public struct SCAAvailableVerification: Sendable, Hashable {
        /// The method.
        public let method: SCAAuthenticationEventAttemptVerificationMethod
        /// The channel.
        public let channel: SCAAuthenticationEventAttemptVerificationChannel
        /// The masked address or number; nil if nothing is sent.
        public let target: String?

        init(_ verification: SCAAuthenticationEventAttemptVerification, target: String?) {
            (method, channel, self.target) = (verification.method, verification.channel, target)
        }

        init?(_ available: SCA.AvailableVerification) {
            let way = available.verification
            guard let method = SCAAuthenticationEventAttemptVerificationMethod(rawValue: way.method.rawValue),
                let channel = SCAAuthenticationEventAttemptVerificationChannel(rawValue: way.channel.rawValue)
            else { return nil }
            (self.method, self.channel, target) = (method, channel, available.destination)
        }
    }
}

extension Wallet.SCAAuthenticationEventAttemptVerification {
    /// The verification in the terms of `WalletAuth`, which has the same methods and channels.
    func counterpart(during operation: WalletAuth.WalletError.Operation) throws -> SCA.Verification {
        guard let method = SCA.Method(rawValue: method.rawValue), let channel = SCA.Channel(rawValue: channel.rawValue)
        else { throw WalletAuth.WalletError.badRequest("the verification is unknown", during: operation) }
        return SCA.Verification(method: method, channel: channel)
    }
}
