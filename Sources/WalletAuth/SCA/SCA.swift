public import WalletAuthWire

/// Strong Customer Authentication: how a person agrees to one operation of their wallet, a payment above all, by two factors
/// (Delegated Regulation (EU) 2018/389).
///
/// ``Wallet/perform(_:onSCA:choosing:)`` does all of it for one request. The calls that it is made of are
/// ``Wallet/Authentication/sendSCAChallenge(eventID:request:)`` and
/// ``Wallet/Authentication/submitSCAAttempt(eventID:request:)``, for an app that leads the steps itself. <doc:ApprovingPayments>
/// explains both.
public enum SCA {
    /// What proves a factor: `.otp`, `.pin`, `.biometric`, `.passkey`, `.password`.
    public typealias Method = SCAMethod
    /// By which way: `.sms`, `.email`, `.authenticator`, `.device`, `.redirect`.
    public typealias Channel = SCAChannel
    /// What came of an attempt: `.verified` or `.failed`.
    public typealias Status = SCAAttemptStatus
    /// Why: `.valid`, `.additionalFactorRequired`, `.invalidValue`, `.codeExpired`, `.notChallenged`.
    public typealias StatusReason = SCAAttemptReason

    /// A method by a channel: one way to agree.
    public struct Verification: Hashable, Sendable, Codable {
        /// What is proved.
        public var method: Method
        /// By which way.
        public var channel: Channel

        /// Names a way. One that makes no sense, a password by SMS, is refused where it is sent.
        /// - Parameters:
        ///   - method: what is proved.
        ///   - channel: by which way.
        public init(method: Method, channel: Channel) {
            self.method = method
            self.channel = channel
        }

        /// A code by SMS.
        public static let sms = Verification(method: .otp, channel: .sms)
        /// A code by e-mail.
        public static let email = Verification(method: .otp, channel: .email)
        /// A code of the person's authenticator app.
        public static let authenticator = Verification(method: .otp, channel: .authenticator)
        /// The PIN of this device.
        public static let devicePIN = Verification(method: .pin, channel: .device)
        /// Face or finger on this device.
        public static let deviceBiometric = Verification(method: .biometric, channel: .device)
        /// A passkey on a hosted page.
        public static let passkey = Verification(method: .passkey, channel: .redirect)
        /// The password on a hosted page.
        public static let password = Verification(method: .password, channel: .redirect)
        /// The account's PIN on a hosted page: not that of a device. Offered where the account has one and its brand takes it; as
        /// the password, it proves what the person knows, and is not offered beside it.
        public static let hostedPIN = Verification(method: .pin, channel: .redirect)

        /// Whether a code is sent for it, so that it can be sent again.
        public var sendsCode: Bool { channel == .sms || channel == .email }

        init(_ wire: SCAVerification) { self.init(method: wire.method, channel: wire.channel) }

        var wire: SCAVerification {
            get throws(MalformedValue) { try SCAVerification(method: method, channel: channel) }
        }

        /// What asks least of the person first: the device's own factors, then passkeys and codes, then a password.
        var effort: Int {
            SCAVerification.all.firstIndex { $0.method == method && $0.channel == channel } ?? SCAVerification.all.count
        }
    }

    /// A way in which this person can agree to this operation.
    public struct AvailableVerification: Hashable, Sendable, Codable {
        /// The way.
        public let verification: Verification
        /// Where a code goes, so far masked that only its owner knows it; nil where nothing is sent.
        public let destination: String?

        init(_ wire: WalletAuthWire.AvailableVerification) {
            verification = Verification(wire.verification)
            destination = wire.destination
        }
    }

    /// What an app repeats its request with once the person agreed: the member `scaDetails` of its JSON body.
    public struct Details: Hashable, Sendable, Codable {
        /// The event by which the person agreed.
        public var eventID: String
        /// The operation that they agreed to.
        public var walletOperationID: String

        /// Names what was agreed to.
        /// - Parameters:
        ///   - eventID: the event by which the person agreed.
        ///   - walletOperationID: the operation.
        public init(eventID: String, walletOperationID: String) {
            self.eventID = eventID
            self.walletOperationID = walletOperationID
        }

        private enum CodingKeys: String, CodingKey {
            case eventID = "eventId"
            case walletOperationID = "walletOperationId"
        }
    }
}
