public import Foundation
public import WalletAuth

/// An error of the coordinator's calls: the number of the page's table, and the domain of the call.
///
/// Here it also has a text for the person (`message`), the SDK's own error, and the next state of a sign-in that can continue.
#if canImport(ObjectiveC)
    @objcMembers
#endif
public final class PDPaydiantError: NSError, @unchecked Sendable {
    /// A text for the person in their language; empty if they cancelled, since there is nothing to say.
    public let message: String
    /// A text for developers.
    public var reason: String { walletError.reason }
    /// The SDK's error, which says what the app should do.
    public let walletError: WalletError
    /// The state in which the sign-in waits (418, 508, 511 and others); nil if it cannot continue. The app continues with the value
    /// that the state carries.
    public let outcome: LoginOutcome?

    /// The code is the number of the page's table. Without one, it is 401 if no one is signed in, 500 for another answer of the server,
    /// and 0 if nothing answered.
    init(_ error: WalletError, domain: String, outcome: LoginOutcome? = nil) {
        let isSignedOut = if case .signedOut = error.outcome { true } else { false }
        message = UserErrorMessages.builtIn.text(for: error) ?? ""
        walletError = error
        self.outcome = outcome
        super.init(
            domain: domain, code: error.statusCode ?? (isSignedOut ? 401 : error.reachedServer ? 500 : 0),
            userInfo: [NSLocalizedDescriptionKey: message, "NSDebugDescription": error.description])
    }

    /// Errors are not archived: a sign-in that waits cannot be stored.
    public required init?(coder: NSCoder) { nil }

    /// The error of a sign-in that needs something other than what the page's delegate is asked for.
    convenience init(_ outcome: LoginOutcome, domain: String) {
        let error = WalletError(unfinished: outcome, reason: "the sign-in continues with the error's outcome")
        self.init(error, domain: domain, outcome: outcome)
    }
}
