package import Kernel
package import Store

/// Decides whether a code by e-mail is a second factor after a provider sign-in.
///
/// An account at a provider and the mailbox are usually one: the provider hosts the mailbox, the same sign-in opens it, or a
/// reset at the provider uses it. So e-mail counts only if the operator permits it for every provider linked to the account, and
/// never if a provider reported this very mailbox.
package struct EmailAfterProvider: Sendable {
    let sealing: SealingKeys
    let vendors: ProviderVendors

    package init(sealing: SealingKeys, vendors: ProviderVendors) {
        self.sealing = sealing
        self.vendors = vendors
    }

    package func counts(for account: AccountRecord, on connection: any SQLConnection) throws -> Bool {
        let identities = try FederatedIdentities.list(of: account.id, on: connection)
        // The session's identity may have been unlinked since, so its provider is unknown.
        guard !identities.isEmpty else { return false }
        return try identities.allSatisfy { try !$0.assertsAddress && isPermitted($0, on: connection) }
    }

    /// Whether the operator permits it for an identity's provider. The provider must still be the one that was linked; another may
    /// have taken its name.
    private func isPermitted(_ identity: FederatedIdentityRecord, on connection: any SQLConnection) throws -> Bool {
        let record = try IdentityProviders.find(identity.providerID, brand: identity.brandID, on: connection)
        guard let provider = try record.map({ try IdentityProvider($0, secret: nil, vendors: vendors) }),
            provider.emailIsSecondFactor,
            let subject = IdentityVault(sealing).open(identity.subject, .subject, of: identity.digest)
        else { return false }
        return provider.digest(of: subject) == identity.digest
    }
}
