extension Wallet {
    /// Helps somebody who has forgotten the password, or whose wallet was closed by failures: a code is sent to the account's
    /// confirmed e-mail address, and with it the person goes on to a new password and is signed in.
    ///
    /// The answer is the same whether there is such an account or not, so say: "if we know this name, a code is on its way".
    /// An account that has an authenticator app, recovery codes or a telephone number is asked for one of these as well. Every
    /// session of the account ends with the new password. The new session is of one factor only; where nothing but the
    /// mailbox was shown, devices and factors cannot be changed for a day (`recovery_cooling`):
    /// ``Wallet/Factors/list()`` tells until when.
    /// - Parameter username: as the person typed it.
    /// - Returns: what to answer.
    /// - Throws: ``WalletError``: `temporarily_unavailable` after many requests from one network.
    public func recover(username: String) async throws -> RecoveryChallenge {
        try await core.recover(username: username)
    }
}
