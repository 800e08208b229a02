package import Core
internal import Kernel
package import Store
package import WalletAuthWire

/// Removal of a passkey, by its holder or an operator. It is in one place so that nothing the passkey opened is left behind.
package struct PasskeyRemoval: Sendable {
    let clock: any Clock
    let party: PasskeyRelyingParty?

    package init(clock: any Clock, party: PasskeyRelyingParty?) {
        self.clock = clock
        self.party = party
    }

    /// Removes a passkey, voids sign-ins in progress and ends the sessions that passkeys opened: one of them may be a thief's.
    /// - Parameters:
    ///   - account: the account that it must belong to.
    ///   - spared: a session that continues; `nil` for none.
    ///   - now: when the request arrived.
    /// - Returns: whether the account had it.
    package func take(
        _ passkey: UniqueID, of account: UniqueID, sparing spared: UniqueID? = nil, now: Timestamp,
        on connection: any SQLConnection
    ) throws -> Bool {
        guard try Passkeys.remove(passkey, of: account, on: connection) else { return false }
        try Accounts.raiseSecurityVersionKeepingSessions(of: account, on: connection)
        try Sessions.endAll(
            of: account, openedBy: AuthenticationStrength.passkeyKey, because: .passkeyRemoved, sparing: spared,
            now: clock.writeTime(since: now), on: connection)
        return true
    }

    /// Whether the account can still be signed in to without this passkey.
    package func hasWayIn(
        _ account: UniqueID, without passkey: UniqueID, on connection: any SQLConnection
    ) throws -> Bool {
        if try Accounts.find(account, on: connection)?.password != nil { return true }
        if try FederatedIdentities.hasAnother(than: [], of: account, on: connection) { return true }
        return try Passkeys.list(of: account, on: connection)
            .contains { $0.id != passkey && $0.relyingParty == party?.id }
    }
}
