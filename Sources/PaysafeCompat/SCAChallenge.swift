public import Foundation
import WalletAuth

extension Wallet {
    /// Where a hosted page returns to, for the channel `.redirect`.
    public struct SCAAuthenticationEventChallengeAction: Sendable, Hashable {
        /// One of the return URLs that are registered for the client.
        public var returnURL: String

        /// Creates an action.
        /// - Parameter returnURL: one of the return URLs that are registered for the client.
        public init(returnURL: String) { self.returnURL = returnURL }
    }

    /// A request for a challenge, or for its code again.
    public struct SCAAuthenticationEventChallengeEmbeddedHybridRequest: Sendable, Hashable {
        /// The operation; must be the event's.
        public var walletOperationID: String
        /// One of the event's `availableVerifications`.
        public var verification: SCAAuthenticationEventAttemptVerification
        /// Required by the channel `.redirect`, and only by it.
        public var action: SCAAuthenticationEventChallengeAction?

        /// Creates a request. Each parameter sets the property of the same name.
        public init(
            walletOperationID: String, verification: SCAAuthenticationEventAttemptVerification,
            action: SCAAuthenticationEventChallengeAction? = nil
        ) {
            self.walletOperationID = walletOperationID
            self.verification = verification
            self.action = action
        }
    }

    /// A challenge.
    public struct SCAAuthenticationEventChallengeEmbeddedHybridResponse: Sendable, Hashable {
        /// The event.
        public let eventID: String
        /// The operation.
        public let walletOperationID: String
        /// Always `.embedded`.
        public let authenticationMode: SCAAuthenticationMode
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
        public let resendAfter: TimeInterval?
    }
}

extension Wallet.SCAAuthenticationEventChallengeEmbeddedHybridRequest {
    /// The request in the terms of `WalletAuth`.
    /// - Throws: `WalletAuth.WalletError` for a return URL that is none, or that is missing.
    func counterpart() throws -> SCA.ChallengeRequest {
        guard action != nil || verification.channel != .redirect else {
            throw WalletAuth.WalletError.badRequest(
                "the channel .redirect needs an action with the returnURL", during: .sendSCAChallenge)
        }
        let action = try action.map { action in
            guard let url = URL(string: action.returnURL) else {
                throw WalletAuth.WalletError.badRequest("the returnURL is not a URL", during: .sendSCAChallenge)
            }
            return SCA.Action(returnURL: url)
        }
        return SCA.ChallengeRequest(
            walletOperationID: walletOperationID, verification: try verification.counterpart(during: .sendSCAChallenge),
            action: action)
    }
}

extension Wallet.SCAAuthenticationEventChallengeEmbeddedHybridResponse {
    /// The challenge of an operation.
    init(_ challenge: SCA.Challenge, by way: Wallet.SCAAuthenticationEventAttemptVerification) {
        self.init(
            eventID: challenge.eventID, walletOperationID: challenge.walletOperationID, authenticationMode: .embedded,
            verification: way, target: challenge.destination, redirectURL: challenge.redirectURL,
            wasSent: challenge.wasSent,
            resendAfter: challenge.resendAfter.map { TimeInterval($0.components.seconds) })
    }

    /// The challenge of a sign-in.
    init(
        _ factor: MFAChallenge, _ way: Wallet.SCAAuthenticationEventAttemptVerification,
        of event: Wallet.SCAAuthenticationEventResponse
    ) {
        self.init(
            eventID: event.eventID, walletOperationID: event.walletOperationID,
            authenticationMode: event.authenticationMode, verification: way, target: factor.destination,
            redirectURL: nil, wasSent: factor.wasSent,
            resendAfter: factor.resendAfter.map { TimeInterval($0.components.seconds) })
    }
}
