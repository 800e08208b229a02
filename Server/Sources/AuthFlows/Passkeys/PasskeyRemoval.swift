internal import AuthCore
internal import AuthStore
internal import WalletAuthWire

/// Removing a passkey, by its holder or by an operator: one place, so that nothing it opened is ever left behind.
struct PasskeyRemoval: Sendable {
    let context: ServerContext

    /// Takes one away. What was begun is void, and the sessions that passkeys opened end: one of them may be whoever the passkey
    /// was taken from.
    /// - Parameters:
    ///   - passkey: which.
    ///   - account: whose it has to be.
    ///   - now: the present moment.
    ///   - connection: the connection of a write.
    /// - Returns: whether the account had it.
    func take(
        _ passkey: UniqueID, of account: UniqueID, now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        guard try Passkeys.remove(passkey, of: account, on: connection) else { return false }
        try Accounts.raiseSecurityVersionKeepingSessions(of: account, on: connection)
        try Sessions.endAll(
            of: account, openedBy: AuthenticationStrength.passkeyKey, because: .passkeyRemoved, now: now,
            on: connection)
        return true
    }

    /// Whether somebody gets into an account without a passkey that it has.
    func hasWayIn(
        _ account: UniqueID, without passkey: UniqueID, on connection: any SQLConnection
    ) throws -> Bool {
        if try Accounts.find(account, on: connection)?.password != nil { return true }
        if try !FederatedIdentities.list(of: account, on: connection).isEmpty { return true }
        let party = context.passkeyParty?.id
        return try Passkeys.list(of: account, on: connection)
            .contains { $0.id != passkey && $0.relyingParty == party }
    }
}
