import WalletAuth
import WalletAuthWire

extension Wallet {
    /// An answer to a challenge.
    public struct SCAAuthenticationEventAttemptEmbeddedHybridRequest: Sendable {
        /// The operation; must be the event's.
        public var walletOperationID: String
        /// The way that was challenged.
        public var verification: SCAAuthenticationEventAttemptVerification
        /// Nil if the app gave none, or an empty one.
        let value: Redacted?

        /// Creates an answer.
        /// - Parameters:
        ///   - walletOperationID: the operation.
        ///   - verification: the way that was challenged.
        ///   - value: what the person typed; nil or empty for the channel `.redirect`.
        public init(
            walletOperationID: String, verification: SCAAuthenticationEventAttemptVerification, value: String? = nil
        ) {
            self.walletOperationID = walletOperationID
            self.verification = verification
            self.value = value.flatMap { $0.isEmpty ? nil : Redacted($0) }
        }
    }

    /// The status of an answer.
    public enum SCAAuthenticationEventAttemptStatus: String, Sendable, Hashable {
        /// The event is verified: repeat the call with `scaDetails`.
        case verified = "VERIFIED"
        /// It is not: the reason says why.
        case failed = "FAILED"
        /// The person rejected it. The server does not answer this: a person who declines verifies nothing.
        case rejected = "REJECTED"
    }

    /// The reason for a status.
    public enum SCAAuthenticationEventAttemptStatusReason: String, Sendable, Hashable, CaseIterable {
        /// The value was right.
        case valid = "VALID"
        /// The value was right, and another factor is needed: challenge one of the response's `availableVerifications`.
        case additionalFactorRequired = "ADDITIONAL_FACTOR_REQUIRED"
        /// The value was wrong. It cost one attempt.
        case invalidValue = "INVALID_VALUE"
        /// The code has expired: challenge again.
        case codeExpired = "CODE_EXPIRED"
        /// The authenticator app's code was used before: wait for the next one.
        case codeUsed = "CODE_USED"
        /// This way was not challenged, or nothing was entered on its page yet.
        case notChallenged = "NOT_CHALLENGED"
    }

    /// The outcome of an answer.
    public struct SCAAuthenticationEventAttemptEmbeddedHybridResponse: Sendable, Hashable {
        /// The event.
        public let eventID: String
        /// The operation.
        public let walletOperationID: String
        /// Always `.embedded`.
        public let authenticationMode: SCAAuthenticationMode
        /// The way that was answered.
        public let verification: SCAAuthenticationEventAttemptVerification
        /// The status.
        public let status: SCAAuthenticationEventAttemptStatus
        /// The reason for the status.
        public let statusReason: SCAAuthenticationEventAttemptStatusReason
        /// How many wrong values end an event: five.
        public let allowableAttempts: Int
        /// How many wrong values there were.
        public let currentAttempts: Int
        /// The ways that would complete the event, if another factor is needed.
        public let availableVerifications: [SCAAvailableVerification]
    }
}

extension Wallet.SCAAuthenticationEventAttemptEmbeddedHybridResponse {
    /// The outcome of an operation's event.
    init(
        _ attempt: SCA.Attempt, eventID: String, _ request: Wallet.SCAAuthenticationEventAttemptEmbeddedHybridRequest
    ) {
        self.init(
            eventID: eventID, walletOperationID: request.walletOperationID, authenticationMode: .embedded,
            verification: request.verification, status: attempt.status == .verified ? .verified : .failed,
            statusReason: .init(rawValue: attempt.statusReason.rawValue) ?? .invalidValue,
            allowableAttempts: SignInEvent.allowableAttempts,
            currentAttempts: max(0, SignInEvent.allowableAttempts - attempt.remainingAttempts),
            availableVerifications: attempt.availableVerifications.compactMap(Wallet.SCAAvailableVerification.init))
    }

    /// The outcome of a sign-in's event.
    init(
        _ status: Wallet.SCAAuthenticationEventAttemptStatus,
        _ reason: Wallet.SCAAuthenticationEventAttemptStatusReason, of signIn: SignInEvent,
        _ way: Wallet.SCAAuthenticationEventAttemptVerification
    ) {
        self.init(
            eventID: signIn.event.eventID, walletOperationID: signIn.event.walletOperationID,
            authenticationMode: signIn.event.authenticationMode, verification: way, status: status,
            statusReason: reason, allowableAttempts: SignInEvent.allowableAttempts, currentAttempts: signIn.failed,
            availableVerifications: reason == .additionalFactorRequired ? signIn.factor?.ways ?? [] : [])
    }
}
