package import Core
package import Kernel
package import Store
package import WalletAuthWire

/// Every write that gives an account a confirmed e-mail address, except an import's, which sends no messages.
///
/// A mailbox that other accounts have confirmed as well learns of it in the same write: from then on only the user names sign in.
package struct ConfirmedEmail: Sendable {
    let auditLog: AuditLog

    package init(_ auditLog: AuditLog) { self.auditLog = auditLog }

    /// As `Accounts.create`.
    package func create(
        _ account: AccountRecord, named name: Username, digests: AccountDigests, now: Timestamp,
        on connection: any SQLConnection
    ) throws -> AccountCreation {
        let creation = try Accounts.create(
            account, named: name.rawValue, typed: name.typed, digests: digests, on: connection)
        if creation == .created { try tell(account, now: now, on: connection) }
        return creation
    }

    /// Records that the holder receives mail at the account's address.
    /// - Returns: whether the row still had that address, unverified.
    package func verify(_ account: AccountRecord, now: Timestamp, on connection: any SQLConnection) throws -> Bool {
        guard let email = account.email, try Accounts.verifyEmail(of: account.id, sealed: email, on: connection) else {
            return false
        }
        var confirmed = account
        confirmed.emailState = .verified
        try tell(confirmed, now: now, on: connection)
        return true
    }

    /// As `Accounts.setEmail`.
    /// - Parameters:
    ///   - old: the account that the change is based on; another address in the row refuses it.
    ///   - new: with the new address and its state.
    func set(
        from old: AccountRecord, to new: AccountRecord, digests: AccountDigests, now: Timestamp,
        on connection: any SQLConnection
    ) throws -> Bool {
        guard
            try Accounts.setEmail(
                of: old.id, from: old.email, to: new.email, state: new.emailState, digests: digests, on: connection)
        else { return false }
        try tell(new, now: now, on: connection)
        return true
    }

    private func tell(_ account: AccountRecord, now: Timestamp, on connection: any SQLConnection) throws {
        guard account.emailState == .verified, let email = AccountVault(auditLog.sealing).email(of: account) else {
            return
        }
        let own = try Accounts.names(of: account.id, on: connection)
        let names = try AccountDigests.namesSharingEmail(of: account.id, on: connection)
        guard names.contains(where: { !own.contains($0) }) else { return }
        let message = ContactMessage(.emailShared, over: .email)
        try auditLog.entry(message, account: account.id, email: email, now: now).write(on: connection)
    }
}
