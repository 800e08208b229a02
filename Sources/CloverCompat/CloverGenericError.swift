public import Foundation
public import WalletAuth

/// The error of all calls.
public struct CloverGenericError: Error, Sendable, CustomStringConvertible {
    /// What happened, for developers. It contains no secret.
    public let message: String
    /// The wallet's error, whose outcome says what to do; nil if the call did not get as far.
    public let walletError: WalletAuth.WalletError?

    init(_ message: String) {
        self.message = message
        walletError = nil
    }

    private init(_ error: WalletAuth.WalletError) {
        message = error.description
        walletError = error
    }

    /// The message.
    public var description: String { message }
}

extension CloverGenericError: LocalizedError {
    /// A text for the person, if the wallet's error has one; otherwise the message.
    public var errorDescription: String? { walletError?.errorDescription ?? message }
}

extension CloverGenericError {
    static let notSetUp = CloverGenericError("CloverPaymentSDK is not set up: call setup(configuration:) first.")
    static let urlIsKept = CloverGenericError(
        "CloverPaymentSDK is not set up. The URL is kept for the next setup(configuration:).")
    static let notNoOAuth = CloverGenericError(
        "updateToken(_:) is for the NoOAuth flow. In the other two, the token is renewed without the app.")
    static let tokenIsOver = CloverGenericError(
        "This token has expired or was signed out: pass another one in NoOAuth(token:).")

    /// Runs a call, and converts its errors.
    static func during<Value>(_ call: () async throws -> Value) async throws -> Value {
        do { return try await call() } catch let error as WalletAuth.WalletError { throw CloverGenericError(error) }
    }
}
