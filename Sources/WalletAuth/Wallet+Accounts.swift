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

    /// Registers an observer of ``accounts``, for the module whose vendor reads them without `await`.
    ///
    /// It receives them after each enrollment, removal and sign-in of this wallet, in order, and before that call
    /// returns. Other processes' changes are not observed.
    /// - Parameter observer: must not block. It stays as long as the wallet.
    package func observeAccounts(_ observer: @escaping @Sendable ([EnrolledAccount]) -> Void) {
        core.enroller.enrollments.observers.add(observer)
    }
}
