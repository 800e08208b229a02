internal import AuthCore
internal import AuthStore
internal import WalletAuthWire

/// Whether a code by e-mail is a second factor after a provider's word.
///
/// The account at a provider and the mailbox are most often one: the provider runs the mailbox, the same sign-in reads it, or
/// a reset at the provider goes through it. So e-mail counts only where the operator says so of every provider that the
/// account can be signed in by, and even then not where a provider told this very mailbox.
struct EmailAfterProvider: Sendable {
    let context: ServerContext

    /// - Parameters:
    ///   - account: whose e-mail it is.
    ///   - connection: the connection of a read or a write.
    func counts(for account: AccountRecord, on connection: any SQLConnection) throws -> Bool {
        let identities = try FederatedIdentities.list(of: account.id, on: connection)
        // A session may have come by an identity that was taken away since: nothing is known of its provider.
        guard !identities.isEmpty else { return false }
        return try identities.allSatisfy { try !$0.tellsAddress && isPermitted($0, on: connection) }
    }

    /// Whether the operator says so of an identity's provider, which has to be the one that it was: its name may be another's.
    private func isPermitted(_ identity: FederatedIdentityRecord, on connection: any SQLConnection) throws -> Bool {
        let record = try IdentityProviders.find(identity.providerID, brand: identity.brandID, on: connection)
        guard let provider = try record.map({ try IdentityProvider($0, secret: nil, vendors: context.vendors) }),
            provider.countsEmail,
            let subject = FederatedSubject.open(identity, in: context)
        else { return false }
        return provider.digest(of: subject) == identity.digest
    }
}
