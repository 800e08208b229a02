package import Core
package import Kernel
package import Store
package import WalletAuthWire

/// Handles a provider's notice that a person's account there is gone.
///
/// The link is removed, but the account must stay reachable for its holder.
package struct IdentityUnlinking: Sendable {
    private let sealing: SealingKeys
    private let party: PasskeyRelyingParty?

    package init(sealing: SealingKeys, party: PasskeyRelyingParty?) {
        self.sealing = sealing
        self.party = party
    }

    /// The remaining way to sign in.
    package enum SignInOption: String, Sendable {
        /// A password, another identity or a passkey.
        case own
        /// The account's own address: recovery sets a password.
        case mailbox
        /// An operator, who sets a password.
        case `operator`
    }

    /// Removes a link, and with it an address at the provider's relay. Mail to such an address no longer arrives, so it must not
    /// serve as a second factor or for recovery.
    /// - Returns: the remaining way to sign in; `nil` if the link was already removed.
    package func remove(
        _ link: FederatedIdentityRecord, now: Timestamp, on connection: any SQLConnection
    ) throws -> SignInOption? {
        guard let account = try Accounts.find(link.accountID, on: connection),
            try FederatedIdentities.unlink(link.digest, of: account.id, on: connection)
        else { return nil }
        let others = try FederatedIdentities.list(of: account.id, on: connection)
        var hasMailbox = account.isRecoverable
        // If the account has two identities at one provider, the server cannot know to which one a relay address belongs.
        if let sealed = account.email, !others.contains(where: { $0.providerID == link.providerID }),
            let email = AccountVault(sealing).open(sealed, .email, of: account.id),
            ContactDetails.isRelay(email)
        {
            try Accounts.removeEmail(of: account.id, sealed: sealed, on: connection)
            hasMailbox = false
        }
        let hasOther = try FederatedIdentities.hasAnother(than: link.digest, of: account.id, on: connection)
        let hasPasskey = try Passkeys.list(of: account.id, on: connection).contains { $0.relyingParty == party?.id }
        guard account.password == nil, !hasOther, !hasPasskey else { return .own }
        try UnreachableAccounts.record(account.id, at: now, on: connection)
        return hasMailbox ? .mailbox : .operator
    }
}
