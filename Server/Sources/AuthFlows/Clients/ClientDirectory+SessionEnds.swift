internal import AuthCore
internal import AuthStore
internal import WalletAuthWire

extension ClientDirectory {
    /// What a replayed code implies about the account.
    ///
    /// An app that is not the operator's own ends its sessions so whenever it wants: it must not distrust the browsers and
    /// keys by which people use the one that is. It has code and verifier, whoever redeems them.
    /// - Parameters:
    ///   - app: the client that the person signed in to.
    ///   - now: when.
    /// - Throws: infrastructure errors.
    func revocationScope(ofCodeFor app: ClientID, now: Timestamp) async throws -> SessionEnd.RevocationScope {
        // One that is gone may have been the operator's own.
        guard let signedInTo = try await find(app, now: now) else { return .account }
        return signedInTo.isFirstParty ? .account : .session
    }

    /// What a replayed refresh token implies about the account: only the session's client has that token.
    /// - Parameters:
    ///   - client: the client that the session is of.
    ///   - app: the one that the person signed in to, where that is another.
    ///   - now: when.
    /// - Throws: infrastructure errors.
    func revocationScope(
        ofSessionWith client: RegisteredClient, grantedTo app: ClientID?, now: Timestamp
    ) async throws -> SessionEnd.RevocationScope {
        if client.isFirstParty { return .account }
        guard let app else { return .session }
        return try await revocationScope(ofCodeFor: app, now: now)
    }
}
