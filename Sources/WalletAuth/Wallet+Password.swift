import WalletAuthWire

extension Wallet {
    /// Changes the password. All other sessions of the account end, on this device and on others; this one continues.
    /// - Parameters:
    ///   - current: the current password; may be nil within minutes of a sign-in.
    ///   - new: the new password as typed.
    /// - Throws: ``WalletError``: `invalid_credentials` if the current one is wrong, `password_too_short`,
    ///   `password_too_common`, `password_breached` for a known stolen one, `password_unchanged`,
    ///   `insufficient_user_authentication` if a stronger or more recent sign-in is needed, `recovery_cooling` for a day
    ///   after a recovery by mailbox, or by mailbox and SMS …
    public func changePassword(current: String?, new: String) async throws {
        try await core.call(
            .changePassword, .put, Endpoints.accountPassword.path,
            try WalletError.argument(.changePassword) {
                PasswordChangeRequest(
                    currentPassword: try current.map { try Password($0) }, newPassword: try Password(new)
                ).json
            })
    }

    /// Starts the recovery of a forgotten password, or of a wallet locked by failed attempts. The server sends a code
    /// to the account's confirmed e-mail address; with it, the person chooses a new password and is signed in.
    ///
    /// The answer is the same whether the account exists or not, so say: "If we know this name, a code is on its way."
    /// An account with an authenticator app, recovery codes or a phone number requires one of these too. The new
    /// password ends all of the account's sessions. The new session has only one factor; if the person proved only
    /// access to the mailbox, or to the mailbox and a phone number, devices, factors and the password cannot be changed for
    /// a day (`recovery_cooling`). ``Wallet/Factors/list()`` says until when.
    /// - Parameter username: the user name as typed.
    /// - Returns: the challenge for the code.
    /// - Throws: ``WalletError``: `temporarily_unavailable` after many requests from one network.
    public func recover(username: String) async throws -> RecoveryChallenge {
        try await core.during(.recover) { try await core.nativeLogin.recover(username: username) }
    }
}
