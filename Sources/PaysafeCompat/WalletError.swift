public import Foundation
import WalletAuth

/// The error of every call. `localizedDescription` is a text for the person, in the language of the device.
public enum WalletError: Error, Sendable, Hashable {
    /// ``Wallet/configure(_:)`` has not been called.
    case notConfigured
    /// The person's consent, or the second factor of a sign-in, is needed first: challenge one of the event's
    /// `availableVerifications`, submit the value, and repeat the call with the event's ids as `scaDetails`.
    case scaRequired(authenticationEvent: Wallet.SCAAuthenticationEventResponse, errorID: String?)
    /// The event has ended: too many wrong values, expired, cancelled or used. Repeat the call without `scaDetails`.
    case dataError
    /// The password was right, but the sign-in needs a step that ``Wallet/StandaloneAuthenticationService`` does not have, such
    /// as a new password: have the person sign in on the page of ``Wallet/AuthenticationService``.
    case signInPageRequired(Failure)
    /// No one is signed in, or the session has ended: have the person sign in again.
    case notAuthenticated(Failure)
    /// No network, or the server or the device's store cannot answer now: try again.
    case unavailable(Failure)
    /// The person declined; there is nothing to show.
    case cancelled
    /// The server or the SDK refused, such as wrong credentials: ``Failure/code`` says why.
    case refused(Failure)
    /// The app, its registration or the server must be changed; ``Failure/reason`` says how.
    case misconfigured(Failure)

    /// What happened.
    public struct Failure: Sendable, Hashable {
        let error: WalletAuth.WalletError

        /// A stable name, such as `invalid_credentials`.
        public var code: String { error.code.rawValue }
        /// A sentence for developers, without secrets.
        public var reason: String { error.reason }
        /// The server's id of the call, for support.
        public var errorID: String? { error.traceID }
        /// The seconds to wait before trying again, if the server says so.
        public var retryAfter: TimeInterval? {
            guard case .temporarilyUnavailable(let wait?) = error.outcome else { return nil }
            return TimeInterval(wait.components.seconds)
        }
    }

    init(_ error: any Error) {
        switch error {
        case let error as WalletError: self = error
        case let error as WalletAuth.WalletError: self.init(error)
        case is CancellationError: self = .cancelled
        default:
            self = .unavailable(
                Failure(
                    error: WalletAuth.WalletError(
                        .temporarilyUnavailable, .temporarilyUnavailable(retryAfter: nil), during: .perform,
                        reason: "the call failed with an unexpected error")))
        }
    }

    private init(_ error: WalletAuth.WalletError) {
        let failure = Failure(error: error)
        guard error.code != .dataError else {
            self = .dataError
            return
        }
        self =
            switch error.outcome {
            case .signedOut, .keyLost(recovery: .signInAgain): .notAuthenticated(failure)
            case .temporarilyUnavailable, .offline, .storeUnavailable: .unavailable(failure)
            case .cancelledByPerson: .cancelled
            case .refused, .stepUp, .keyLost: .refused(failure)
            case .misconfigured: .misconfigured(failure)
            }
    }
}

extension WalletAuth.WalletError {
    /// An input of the app that cannot work. Nothing was sent.
    static func badRequest(_ reason: String, during operation: Operation) -> WalletAuth.WalletError {
        WalletAuth.WalletError(.badRequest, .refused, during: operation, reason: reason)
    }
}

extension WalletError: LocalizedError, CustomStringConvertible {
    /// What happened, in the terms of `WalletAuth`; nil if there is nothing to say.
    private var underlying: WalletAuth.WalletError? {
        switch self {
        case .notConfigured:
            WalletAuth.WalletError(
                .notConfigured, .misconfigured, during: .configure,
                reason: "Wallet.instance.configure(_:) has not been called yet")
        case .scaRequired:
            WalletAuth.WalletError(
                "mfa_required", .refused, during: .perform, reachedServer: true,
                reason: "strong customer authentication is required: repeat the call with scaDetails after it")
        case .dataError:
            WalletAuth.WalletError(
                .dataError, .refused, during: .submitSCAAttempt, reachedServer: true,
                reason: "the event has ended: begin again without scaDetails")
        case .cancelled: nil
        case .signInPageRequired(let failure), .notAuthenticated(let failure), .unavailable(let failure),
            .refused(let failure), .misconfigured(let failure):
            failure.error
        }
    }

    /// The text for the person, in the language of the device; nil if there is nothing to say.
    public var errorDescription: String? { underlying?.errorDescription }

    /// One line for developers, without secrets.
    public var description: String { underlying?.description ?? "cancelled by the person" }
}
