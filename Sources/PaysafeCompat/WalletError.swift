public import Foundation
public import WalletAuth

/// The error of every call. `localizedDescription` is a text for the person, in the language of the device.
public enum WalletError: Error, Sendable, Hashable {
    /// ``Wallet/configure(_:)`` has not been called.
    case notConfigured
    /// The person's consent, or the second factor of a sign-in, is needed first: challenge one of the event's
    /// `availableVerifications`, submit the value, and repeat the call with the event's ids as `scaDetails`.
    case scaRequired(authenticationEvent: Wallet.SCAAuthenticationEventResponse, errorID: String?)
    /// The event has ended: too many wrong values, expired, cancelled or used. Repeat the call without `scaDetails`.
    case dataError
    /// The password or code was right, but the sign-in needs a step that the services on the app's own screens do not have, such
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

    /// What happened, in the terms of `WalletAuth`: `code` is a stable name such as `invalid_credentials`, `reason` a sentence for
    /// developers without secrets.
    public typealias Failure = WalletAuth.WalletError

    init(_ error: any Error) {
        switch error {
        case let error as WalletError: self = error
        case let error as Failure: self.init(error)
        case SecondFactorEvents.Interruption.required(let event):
            self = .scaRequired(
                authenticationEvent: .init(
                    eventID: event.details.eventID, walletOperationID: event.details.walletOperationID,
                    availableVerifications: event.availableVerifications, creationTime: event.beganAt, lifetime: 10 * 60
                ),
                errorID: nil)
        case SecondFactorEvents.Interruption.unfinished(let outcome):
            self = .signInPageRequired(
                Failure(
                    unfinished: outcome,
                    reason: "have the person sign in on the page of getAuthenticationDetails, which asks for this"))
        // Nothing else than `CancellationError` is left.
        default: self = .cancelled
        }
    }

    private init(_ failure: Failure) {
        self =
            switch failure.outcome {
            case _ where failure.code == .dataError: .dataError
            case .signedOut, .keyLost(recovery: .signInAgain): .notAuthenticated(failure)
            case .temporarilyUnavailable, .offline, .storeUnavailable: .unavailable(failure)
            case .cancelledByPerson: .cancelled
            case .refused, .stepUp, .keyLost: .refused(failure)
            case .misconfigured: .misconfigured(failure)
            }
    }
}

extension WalletError.Failure {
    /// The server's id of the call, for support.
    public var errorID: String? { traceID }

    /// The seconds to wait before trying again, if the server says so.
    public var retryAfter: TimeInterval? {
        guard case .temporarilyUnavailable(let wait?) = outcome else { return nil }
        return TimeInterval(wait.components.seconds)
    }
}

extension WalletError: LocalizedError, CustomStringConvertible {
    /// What happened, in the terms of `WalletAuth`; nil if there is nothing to say.
    private var underlying: Failure? {
        switch self {
        case .notConfigured:
            Failure(
                .notConfigured, .misconfigured, during: .configure,
                reason: "Wallet.instance.configure(_:) has not been called yet")
        case .scaRequired:
            Failure(
                "mfa_required", .refused, during: .perform, reachedServer: true,
                reason: "strong customer authentication is required: repeat the call with scaDetails after it")
        case .dataError:
            Failure(
                .dataError, .refused, during: .submitSCAAttempt, reachedServer: true,
                reason: "the event has ended: begin again without scaDetails")
        case .cancelled: nil
        case .signInPageRequired(let failure), .notAuthenticated(let failure), .unavailable(let failure),
            .refused(let failure), .misconfigured(let failure):
            failure
        }
    }

    /// The text for the person, in the language of the device; nil if there is nothing to say.
    public var errorDescription: String? { underlying?.errorDescription }

    /// One line for developers, without secrets.
    public var description: String { underlying?.description ?? "cancelled by the person" }
}
