public import Foundation
public import WalletAuth
import WalletAuthWire

/// The error of all of the module's calls and flows.
///
/// ``code`` is a stable name for what happened, `localizedDescription` a sentence for the person, in their language, and
/// `description` one for developers.
public struct NextAuthError: Error, Hashable, Sendable {
    /// A stable name. Beyond the constants, it is the code of the wallet's error.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The stable text.
        public let rawValue: String
        /// Creates a code from its name.
        /// - Parameter rawValue: the text.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// ``NextAuth/configure(_:)`` was not called.
        public static let notConfigured = Code(rawValue: "not_configured")
        /// Neither a delegate nor an observer would receive the flow. Nothing was sent.
        public static let noObserver = Code(rawValue: "no_observer")
        /// The data is not a transaction's code. Nothing was sent.
        public static let invalidQRData = Code(rawValue: "invalid_qr_data")
        /// The code belongs to a server at which this app has no account. Nothing was sent.
        public static let noAccountsForServer = Code(rawValue: "no_account_for_server")
        /// Another flow is running.
        public static let flowActive = Code(rawValue: "flow_active")
        /// The person rejected the transaction, and the server knows.
        public static let rejected = Code(rawValue: "rejected")
        /// The person or the app cancelled the flow.
        public static let cancelled = Code(rawValue: "cancelled_by_person")
        /// This device is enrolled for no such account.
        public static let deviceNotEnrolled = Code(rawValue: "device_not_enrolled")
        /// This device has no second factor that the transaction allows.
        public static let secondFactorUnavailable = Code(rawValue: "second_factor_unavailable")
        /// The PIN is locked.
        public static let pinBlocked = Code(rawValue: "pin_locked")
        /// The transaction was signed, rejected or cancelled before, or has expired.
        public static let transactionOver = Code(rawValue: "transaction_over")
        /// No network.
        public static let offline = Code(rawValue: "offline")
    }

    /// The wallet's error, with what the app should do.
    public let cause: WalletError
    /// A stable name for what happened.
    public var code: Code { Code(rawValue: cause.code.rawValue) }

    init(_ cause: WalletError) { self.cause = cause }

    /// An error of the module's own.
    init(
        _ code: Code, _ outcome: WalletError.Outcome = .refused, during operation: WalletError.Operation,
        reachedServer: Bool = false, _ reason: String
    ) {
        cause = WalletError(
            WalletError.Code(rawValue: code.rawValue), code == .notConfigured ? .misconfigured : outcome,
            during: operation, reachedServer: reachedServer, reason: reason)
    }

    /// Runs `work`, and converts the wallet's error.
    static func converting<T>(_ work: () throws -> T) throws -> T {
        do { return try work() } catch let error as WalletError { throw NextAuthError(error) }
    }
}

extension NextAuthError: LocalizedError, CustomStringConvertible {
    /// The sentence for the person, in their language; nil if they rejected or cancelled, where there is nothing to say.
    public var errorDescription: String? { cause.errorDescription }

    /// One line for developers, without secrets.
    public var description: String { cause.description }
}
