import WalletAuthWire

/// A code was sent to the account's e-mail address, if the account exists and can be reached. The server never says
/// whether.
///
/// ``answer(_:)`` submits the code. The server may then ask for a second factor, and always asks for a new password.
public struct RecoveryChallenge: Sendable {
    /// The number of digits of the code.
    public var digits: Int { Int(clamping: prompt.digits) }
    /// When the code can be sent again; nil if it no longer can.
    public var resendAfter: Duration? { prompt.resendAfter.map { .seconds($0) } }
    /// Whether this step sent a code, if there is a recipient. False if it came too soon after the last code, which is
    /// still valid.
    public var wasSent: Bool { prompt.sent ?? true }
    /// How long a code is valid.
    public var expiresIn: Duration { .seconds(prompt.expiresIn) }

    let prompt: RecoveryPrompt
    let continuation: LoginContinuation

    /// Submits the code and continues: to ``LoginOutcome/mfaRequired(_:)`` if the account is protected by more than its
    /// e-mail address, and to ``LoginOutcome/passwordChangeRequired(_:)``.
    /// - Parameter code: the code as typed.
    /// - Returns: the next state of the sign-in.
    /// - Throws: ``WalletError``: `invalid_credentials` for a wrong code, after which the challenge stays usable as
    ///   long as the server allows; `wallet_deactivated`, `device_deactivated` or `device_suspended` if an operator
    ///   closed the wallet or this device; `recovery_unavailable` if only an enrolled device or the operator can help.
    public func answer(_ code: String) async throws -> LoginOutcome {
        try await continuation.resume(.recoveryAnswer(try OneTimeCode(digits: code)))
    }

    /// Sends a new code and invalidates the last one. If called too soon, it sends nothing and says when to try again.
    /// - Returns: the challenge to continue with.
    /// - Throws: ``WalletError``.
    public func resend() async throws -> RecoveryChallenge {
        try await continuation.recovery(.resendRecovery)
    }
}

/// Self-service recovery: of a forgotten password, or of a wallet locked by failed attempts.
extension NativeLogin {
    func recover(username: String) async throws -> RecoveryChallenge {
        let operation = WalletError.Operation.recover
        let name = try WalletError.argument(operation, reason: { _ in "no account can have this name" }) {
            try Username(username)
        }
        let attempt = try await attempt(operation, username: username)
        let enrollment = try await enroller.enrollments.find(name)
        return try await sendForCode(attempt) { nonce in
            var login = RecoveryLogin(username: name)
            (login.deviceID, login.deviceProof) = try await proof(by: enrollment, nonce: nonce, of: attempt)
            return .begin(.recovery(login))
        }
    }
}
