public import Foundation
public import WalletAuth

extension Wallet {
    /// Who leads the person through the verification.
    public enum SCAAuthenticationMode: String, Sendable, Hashable {
        /// The partner does it all. Not used here.
        case outsourced = "OUTSOURCED"
        /// The server sends codes and compares values: the mode of every event here.
        case embedded = "EMBEDDED"
        /// The partner sends the codes. Not used here.
        case hybrid = "HYBRID"
    }

    /// An event that the person must verify first.
    public struct SCAAuthenticationEventResponse: Sendable, Hashable {
        /// The event.
        public let eventID: String
        /// The operation.
        public let walletOperationID: String
        /// Always `.embedded`.
        public let authenticationMode = SCAAuthenticationMode.embedded
        /// The ways to verify it.
        public let availableVerifications: [SCAAvailableVerification]
        /// When the event arrived, by this device's clock.
        public let creationTime: Date
        /// When the event ends at the latest, by this device's clock: after fifteen minutes, or ten for a sign-in.
        public var expirationTime: Date { creationTime + lifetime }
        let lifetime: TimeInterval
    }

    /// A challenge.
    public struct SCAAuthenticationEventChallengeEmbeddedHybridResponse: Sendable, Hashable {
        /// The event.
        public let eventID: String
        /// The operation.
        public let walletOperationID: String
        /// Always `.embedded`.
        public let authenticationMode = SCAAuthenticationMode.embedded
        /// The way that was challenged.
        public let verification: SCAAuthenticationEventAttemptVerification
        /// The masked address or number that the code went to; nil if nothing is sent.
        public let target: String?
        /// The page to open in an external user agent, for the channel `.redirect`.
        public let redirectURL: URL?
        /// Whether a code was sent. False if it came too soon after the last one, which is still valid. True for ways that
        /// send none.
        public let wasSent: Bool
        /// The seconds until the code can be sent again; nil if it cannot.
        public var resendAfter: TimeInterval? { wait.map { TimeInterval($0.components.seconds) } }
        let wait: Duration?
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

    /// The outcome of an answer.
    public struct SCAAuthenticationEventAttemptEmbeddedHybridResponse: Sendable, Hashable {
        /// The event.
        public let eventID: String
        /// The operation.
        public let walletOperationID: String
        /// Always `.embedded`.
        public let authenticationMode = SCAAuthenticationMode.embedded
        /// The way that was answered.
        public let verification: SCAAuthenticationEventAttemptVerification
        /// The status.
        public let status: SCAAuthenticationEventAttemptStatus
        /// The reason for the status.
        public let statusReason: SCAAuthenticationEventAttemptStatusReason
        /// How many wrong values end an event: five.
        public let allowableAttempts = SecondFactorEvents.allowableAttempts
        /// How many wrong values there were.
        public let currentAttempts: Int
        /// The ways that would complete the event, if another factor is needed.
        public let availableVerifications: [SCAAvailableVerification]
    }
}
