extension Wallet {
    /// The accounts that this device is enrolled for, the last one signed in first. They do not depend on who is signed
    /// in, and survive sign-outs.
    /// - Throws: ``WalletError`` `store_unavailable`.
    public var accounts: [EnrolledAccount] {
        get async throws {
            try await core.during(.listAccounts) { try await core.enroller.enrollments.accounts() }
        }
    }

    /// An account that this device is enrolled for.
    public typealias EnrolledAccount = WalletAuth.EnrolledAccount
}
