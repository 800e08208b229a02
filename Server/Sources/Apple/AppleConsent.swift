internal import Core
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire

/// The effects that the end of a consent at Apple has on an account, in the write that records it.
///
/// The account always stays, and no message from Apple removes data from it.
struct AppleConsent: Sendable {
    let clock: any Clock
    let sealing: SealingKeys
    let auditLog: AuditLog
    let unlinking: IdentityUnlinking

    struct Identity: Sendable, Hashable {
        let brand: String
        let digest: [UInt8]
    }

    /// Ends the sessions that Apple opened, and suspends the link until the person signs in with Apple again.
    /// - Parameters:
    ///   - ended: when the consent ended; a later sign-in has renewed it.
    ///   - apps: the apps whose consent ended, if known. The tokens of others stay.
    ///   - sealed: the tokens that Apple called invalid, if it was asked.
    ///   - reason: how this server learned of it, for the audit log.
    func suspend(
        _ identity: Identity, ended: Timestamp, of apps: [String]? = nil, holding sealed: [UInt8]? = nil,
        reason: String, now: Timestamp, on connection: any SQLConnection
    ) throws {
        let others = try apps.flatMap { try tokens(of: identity, besides: $0, on: connection) }
        guard let link = try FederatedIdentities.find(identity.digest, brand: identity.brand, on: connection),
            try AppleGrants.suspend(
                identity.digest, brand: identity.brand, ended: ended, holding: sealed, keeping: others, on: connection)
        else { return }
        try end(link.accountID, because: .identitySuspended, now: now, on: connection)
        try auditLog.entry(
            AppleEvent.suspended, account: link.accountID,
            properties: ["provider": link.providerID, "reason": reason], now: now,
            message: IdentityMessage.suspended(service: AppleVendor.name)
        ).write(on: connection)
    }

    /// Removes the link to a deleted Apple account. Ends the sessions that Apple opened, unless the account has no other way to sign
    /// in: then they stay until they expire.
    /// - Parameter time: when the account was deleted.
    func remove(_ identity: Identity, at time: Timestamp, now: Timestamp, on connection: any SQLConnection) throws {
        guard let link = try FederatedIdentities.find(identity.digest, brand: identity.brand, on: connection) else {
            return
        }
        let grant = try AppleGrants.find(identity.digest, brand: identity.brand, on: connection)
        guard (grant?.verifiedAt ?? link.linkedAt) <= time,
            let wayIn = try unlinking.remove(link, now: now, on: connection)
        else { return }
        try AppleGrants.remove(identity.digest, brand: identity.brand, on: connection)
        switch wayIn {
        case .own: try end(link.accountID, because: .identityUnlinked, now: now, on: connection)
        case .mailbox, .operator:
            try Accounts.raiseSecurityVersionKeepingSessions(of: link.accountID, on: connection)
        }
        try auditLog.entry(
            IdentityEvent.unlinked, account: link.accountID,
            properties: ["provider": link.providerID, "reason": "notification", "way_in": wayIn.rawValue], now: now,
            message: IdentityMessage.removed(service: AppleVendor.name)
        ).write(on: connection)
    }

    /// Records whether mail reaches the person at the address from Apple.
    func mark(
        addressReachable isReachable: Bool, of identity: Identity, at time: Timestamp, now: Timestamp,
        on connection: any SQLConnection
    ) throws {
        guard let link = try FederatedIdentities.find(identity.digest, brand: identity.brand, on: connection),
            try AppleGrants.mark(
                addressReachable: isReachable, of: identity.digest, brand: identity.brand, at: time, on: connection)
        else { return }
        try auditLog.entry(
            isReachable ? AppleEvent.addressReachable : .addressUnreachable, account: link.accountID,
            properties: ["provider": link.providerID], now: now
        ).write(on: connection)
    }

    /// The sealed tokens of the person's other apps, each of which has to be revoked eventually; `nil` if there are none.
    private func tokens(
        of identity: Identity, besides apps: [String], on connection: any SQLConnection
    ) throws -> [UInt8]? {
        let vault = AppleGrantVault(sealing)
        guard let grant = try AppleGrants.find(identity.digest, brand: identity.brand, on: connection),
            let others = vault.open(grant)?.filter({ !apps.contains($0.clientID) }), !others.isEmpty
        else { return nil }
        return try vault.seal(others, of: identity.digest, brand: identity.brand)
    }

    /// Ends the sessions that a provider opened, and voids sign-ins in progress. Sessions do not record which provider it was.
    private func end(
        _ account: UniqueID, because why: SessionEnd, now: Timestamp, on connection: any SQLConnection
    ) throws {
        try Accounts.raiseSecurityVersionKeepingSessions(of: account, on: connection)
        try Sessions.endAll(
            of: account, openedBy: AuthenticationStrength.provider, because: why, now: clock.writeTime(since: now),
            on: connection)
    }
}
