internal import AuthCore
internal import AuthStore
internal import WalletAuthWire

/// A PIN goes with the password under which it was set: whoever chooses another password, or recovers the account, may do so
/// because others got in, and what those had set must not let them in again.
struct AccountPINRemoval: Sendable {
    private let account: UniqueID
    private let entry: AuditLog.Entry

    /// - Parameters:
    ///   - account: whose password is about to change.
    ///   - context: the server's.
    ///   - origin: where the change comes from; `nil` for an operator's.
    ///   - now: the present moment.
    init(of account: AccountRecord, in context: ServerContext, origin: RequestOrigin?, now: Timestamp) throws {
        var details = JSONObject()
        details.set("reason", "password")
        self.account = account.id
        entry = try AuditLog(context: context).entry(
            .accountPINRemoved, account: account.id, origin: origin, now: now, details: details,
            message: .accountPINRemoved,
            email: AccountVault(context: context).open(account.email, .email, of: account.id))
    }

    /// Takes the PIN away where there is one, in the write that changes the password, and has its holder told.
    func run(on connection: any SQLConnection) throws {
        guard try AccountPINs.remove(of: account, on: connection) else { return }
        try entry.write(on: connection)
    }
}
