public import Foundation
public import WalletAuth

/// An error of the coordinator's calls: the number of the page's table, and the domain of the call.
///
/// Here it also has a text for the person (`message`), the SDK's own error, and the next state of a sign-in that can continue.
#if canImport(ObjectiveC)
    @objc(PDPaydiantError) @objcMembers
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

    /// The table's number. Without one, 401 if no one is signed in, 500 for another answer of the server, and 0 if nothing answered.
    init(_ error: WalletError, domain: String, outcome: LoginOutcome? = nil) {
        let number: Int =
            switch (error.statusCode, error.outcome) {
            case (let number?, _): number
            case (nil, .signedOut): 401
            case (nil, _): error.reachedServer ? 500 : 0
            }
        message = UserErrorMessages.builtIn.text(for: error) ?? ""
        walletError = error
        self.outcome = outcome
        super.init(
            domain: domain, code: number,
            userInfo: [NSLocalizedDescriptionKey: message, "NSDebugDescription": error.description])
    }

    /// Errors are not archived: a sign-in that waits cannot be stored.
    public required init?(coder: NSCoder) { nil }

    /// Whether the delegate hears of it as a failed attempt, and not as a call that did not reach the service.
    var isOfAttempt: Bool { walletError.reachedServer || code != 0 }
}

extension PDPaydiantError {
    convenience init(thrown error: any Error, domain: String) {
        let walletError =
            error as? WalletError
            ?? WalletError(
                .temporarilyUnavailable, .temporarilyUnavailable(retryAfter: nil), during: .signIn,
                reason: "the call was interrupted")
        self.init(walletError, domain: domain, outcome: nil)
    }

    /// The error of a sign-in that needs something other than what the page's delegate is asked for.
    convenience init(_ outcome: LoginOutcome, domain: String) {
        self.init(
            WalletError(unfinished: outcome, reason: "the sign-in continues with the error's outcome"),
            domain: domain, outcome: outcome)
    }

    /// The error of a request that lacks something, which was not sent.
    convenience init(incomplete reason: String, domain: String) {
        self.init(
            WalletError(.badRequest, .refused, during: .signIn, statusCode: 400, reason: reason), domain: domain)
    }

    /// The error of every call before ``PDAthenticationCoordinator/configure(_:)-(_)``.
    convenience init(notConfiguredFor domain: String) {
        self.init(
            WalletError(
                .notConfigured, .misconfigured, during: .configure,
                reason: """
                    PDAthenticationCoordinator.configure(_:) has not been called yet: it takes the address of your server and the \
                    app's client id
                    """),
            domain: domain)
    }
}
