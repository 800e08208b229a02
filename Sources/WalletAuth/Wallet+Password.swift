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
        try await core.changePassword(current: current, new: new)
    }
}
