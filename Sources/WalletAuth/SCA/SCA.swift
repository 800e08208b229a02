public import WalletAuthWire

/// Strong Customer Authentication: a person's consent to one operation of their wallet, above all a payment, with two
/// factors (Delegated Regulation (EU) 2018/389).
///
/// ``Wallet/perform(_:onSCA:choosing:)`` does all of it for one request. An app that controls the steps itself calls
/// ``Wallet/Authentication/sendSCAChallenge(eventID:request:)`` and
/// ``Wallet/Authentication/submitSCAAttempt(eventID:request:)``. <doc:ApprovingPayments> explains both.
public enum SCA {
    /// The method of a factor: `.otp`, `.pin`, `.biometric`, `.passkey`, `.password`, `.pushNotification`.
    public typealias Method = SCAMethod
    /// The channel of a factor: `.sms`, `.email`, `.authenticator`, `.device`, `.redirect`,
    /// `.pushNotification`.
    public typealias Channel = SCAChannel
    /// The status of an attempt: `.verified` or `.failed`.
    public typealias Status = SCAAttemptStatus
    /// The reason for the status: `.valid`, `.additionalFactorRequired`, `.invalidValue`, `.codeExpired`,
    /// `.codeUsed`, `.notChallenged`.
    public typealias StatusReason = SCAAttemptReason

    /// One way to agree: a method and its channel.
    public struct Verification: Hashable, Sendable, Codable {
        /// The method.
        public var method: Method
        /// The channel.
        public var channel: Channel

        /// Creates a way to agree. A meaningless combination, such as a password by SMS, is refused when it is sent.
        /// - Parameters:
        ///   - method: the method.
        ///   - channel: the channel.
        public init(method: Method, channel: Channel) {
            self.method = method
            self.channel = channel
        }

        /// A code by SMS.
        public static let sms = Verification(method: .otp, channel: .sms)
        /// A code by e-mail.
        public static let email = Verification(method: .otp, channel: .email)
        /// A code from the person's authenticator app.
        public static let authenticator = Verification(method: .otp, channel: .authenticator)
        /// This device's PIN.
        public static let devicePIN = Verification(method: .pin, channel: .device)
        /// Face or fingerprint on this device.
        public static let deviceBiometric = Verification(method: .biometric, channel: .device)
        /// A passkey that this app asks for.
        public static let devicePasskey = Verification(method: .passkey, channel: .device)
        /// A passkey on a hosted page.
        public static let passkey = Verification(method: .passkey, channel: .redirect)
        /// The password on a hosted page.
        public static let password = Verification(method: .password, channel: .redirect)
        /// The account's PIN on a hosted page; it is not a device's PIN. Offered if the account has one and its brand
        /// accepts it. Like the password, it proves knowledge, and the two are not offered together.
        public static let hostedPIN = Verification(method: .pin, channel: .redirect)

        /// A push message to the person's other devices, one of which approves. This app waits for the result.
        public static let push = Verification(method: .pushNotification, channel: .pushNotification)

        /// Whether a code is sent, and can be sent again.
        public var sendsCode: Bool { channel == .sms || channel == .email }

        /// Whether a code or a push message is sent, and can be sent again.
        public var isSent: Bool { sendsCode || self == .push }

        /// Whether the person proves it on a page or on another device, so that an attempt without a value asks for the result.
        var isProvedElsewhere: Bool { channel == .redirect || channel == .pushNotification }

        package init(_ wire: SCAVerification) { self.init(method: wire.method, channel: wire.channel) }

        package var wire: SCAVerification {
            get throws(MalformedValue) { try SCAVerification(method: method, channel: channel) }
        }

        /// The effort for the person: the device's own factors come first, then passkeys and codes, then a password.
        var effort: Int {
            SCAVerification.all.firstIndex { $0.method == method && $0.channel == channel } ?? SCAVerification.all.count
        }
    }

    /// A way in which this person can agree to this operation.
    public struct AvailableVerification: Hashable, Sendable, Codable {
        /// The way.
        public let verification: Verification
        /// The masked destination of a code; nil if nothing is sent.
        public let destination: String?

        init(_ verification: Verification, destination: String?) {
            self.verification = verification
            self.destination = destination
        }

        init(_ wire: WalletAuthWire.AvailableVerification) {
            self.init(Verification(wire.verification), destination: wire.destination)
        }
    }

    /// The member `scaDetails` that an app adds to its JSON body when it repeats its request after the consent.
    public struct Details: Hashable, Sendable, Codable {
        /// The event of the consent.
        public var eventID: String
        /// The operation that the person agreed to.
        public var walletOperationID: String

        /// Creates the details.
        /// - Parameters:
        ///   - eventID: the event of the consent.
        ///   - walletOperationID: the operation.
        public init(eventID: String, walletOperationID: String) {
            self.eventID = eventID
            self.walletOperationID = walletOperationID
        }

        var wire: SCADetails {
            get throws(MalformedValue) {
                SCADetails(eventID: try SCAEventID(eventID), operationID: try WalletOperationID(walletOperationID))
            }
        }

        private enum CodingKeys: String, CodingKey {
            case eventID = "eventId"
            case walletOperationID = "walletOperationId"
        }
    }
}
