package import AuthCore
package import AuthStore

/// What becomes of an account when a provider says that the person's account there is gone.
///
/// The link goes. The account has to stay within its holder's reach, whatever the provider says.
package struct IdentityUnlinking: Sendable {
    let context: ServerContext

    /// - Parameter context: what the flows share.
    package init(context: ServerContext) { self.context = context }

    /// What is left to sign in by.
    package enum SignInOption: String, Sendable {
        /// A password, or another identity.
        case own
        /// The account's own address: a recovery sets a password.
        case mailbox
        /// An operator, who sets a password.
        case `operator`
    }

    /// Removes a link, and an address of the provider's relay with it: no mail arrives there any more, so it must count neither
    /// as a second factor nor as a way to recover.
    /// - Parameters:
    ///   - link: the link.
    ///   - now: the present.
    ///   - connection: the connection of a write.
    /// - Returns: what is left to sign in by; `nil` where the link was gone already.
    package func remove(
        _ link: FederatedIdentityRecord, now: Timestamp, on connection: any SQLConnection
    ) throws -> SignInOption? {
        guard let account = try Accounts.find(link.accountID, on: connection),
            try FederatedIdentities.unlink(link.digest, of: account.id, on: connection)
        else { return nil }
        let others = try FederatedIdentities.list(of: account.id, on: connection)
        var hasMailbox = account.isRecoverable
        // This server cannot know which of two accounts at one provider a relay's address belongs to.
        if let sealed = account.email, !others.contains(where: { $0.providerID == link.providerID }),
            let email = AccountVault(context: context).open(sealed, .email, of: account.id),
            ContactDetails.isRelay(email)
        {
            try Accounts.removeEmail(of: account.id, sealed: sealed, on: connection)
            hasMailbox = false
        }
        let hasOther = try FederatedIdentities.hasAnother(than: link.digest, of: account.id, on: connection)
        guard account.password == nil, !hasOther else { return .own }
        try UnreachableAccounts.record(account.id, at: now, on: connection)
        return hasMailbox ? .mailbox : .operator
    }
}
