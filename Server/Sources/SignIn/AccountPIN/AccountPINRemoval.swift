package import Core
package import Kernel
package import Store
internal import WalletAuthWire

/// Removes the PIN along with the password under which it was set. A person who changes the password or recovers the account
/// may do so because of an attacker; a PIN that the attacker set must not let them in again.
package struct AccountPINRemoval: Sendable {
    private let account: UniqueID
    private let entry: AuditLog.Entry

    /// - Parameter origin: of the change; `nil` for an operator's.
    package init(of account: AccountRecord, in auditLog: AuditLog, origin: RequestOrigin?, now: Timestamp) throws {
        var details = JSONObject()
        details.set("reason", "password")
        self.account = account.id
        entry = try auditLog.entry(
            AccountPINEvent.removed, account: account.id, origin: origin, now: now, details: details,
            message: AccountPINMessage.removed,
            email: AccountVault(auditLog.sealing).email(of: account))
    }

    /// Removes a PIN, if there is one, in the write that changes the password, and notifies the holder.
    package func run(on connection: any SQLConnection) throws {
        guard try AccountPINs.remove(of: account, on: connection) else { return }
        try entry.write(on: connection)
    }
}
