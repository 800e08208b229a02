extension Wallet {
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
        try await core.recover(username: username)
    }
}
