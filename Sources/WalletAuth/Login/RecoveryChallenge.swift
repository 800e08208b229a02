import WalletAuthWire

/// A code was sent to the account's e-mail address, if there is such an account and it can be reached. Nobody is told whether.
///
/// ``answer(_:)`` gives the code; a second factor may be asked for then, and a new password is.
public struct RecoveryChallenge: Sendable {
    /// How many digits the code has.
    public let digits: Int
    /// When the code can be sent again; nil where it cannot be any more.
    public let resendAfter: Duration?
    /// Whether this very step had a code sent, if there is somebody to send it to: false where it came too soon after the last
    /// one, whose code still counts.
    public let wasSent: Bool
    /// How long a code is good.
    public let expiresIn: Duration

    let continuation: LoginContinuation

    init(prompt: RecoveryPrompt, continuation: LoginContinuation) {
        digits = Int(clamping: prompt.digits)
        resendAfter = prompt.resendAfter.map { .seconds($0) }
        wasSent = prompt.sent ?? true
        expiresIn = .seconds(prompt.expiresIn)
        self.continuation = continuation
    }

    /// Gives the code and goes on: to ``LoginOutcome/mfaRequired(_:)`` where the account has more than its mailbox, and to
    /// ``LoginOutcome/passwordChangeRequired(_:)``.
    /// - Parameter code: as the person typed it.
    /// - Returns: how the sign-in went on.
    /// - Throws: ``WalletError``: `invalid_credentials` for a wrong code, which leaves this usable as long as the server lets it;
    ///   `wallet_deactivated`, `device_deactivated` or `device_suspended` where an operator closed the wallet or this device;
    ///   `recovery_unavailable` where only an enrolled device or the operator can help.
    public func answer(_ code: String) async throws -> LoginOutcome {
        try await continuation.resume(.recoveryAnswer(try OneTimeCode(digits: code)))
    }

    /// Has the code sent again; the one before is void then. A request that comes too soon sends nothing, and says when.
    /// - Returns: the challenge to go on with.
    /// - Throws: ``WalletError``.
    public func resend() async throws -> RecoveryChallenge {
        try await continuation.recovery(.resendRecovery)
    }
}
