internal import AuthCore
internal import AuthStore
internal import WalletAuthWire

extension ClientDirectory {
    /// Of what the end of a session says something whose code came twice.
    ///
    /// An app that is not the operator's own ends its sessions so whenever it wants: it must not distrust the browsers and
    /// keys by which people use the one that is. It has code and verifier, whoever redeems them.
    /// - Parameters:
    ///   - app: the client that the person signed in to.
    ///   - now: when.
    /// - Throws: infrastructure trouble.
    func bearing(ofCodeFor app: ClientID, now: Timestamp) async throws -> SessionEnd.Bearing {
        // One that is gone may have been the operator's own.
        guard let signedInTo = try await find(app, now: now) else { return .onAccount }
        return signedInTo.isFirstParty ? .onAccount : .onSession
    }

    /// Of what the end of a session says something whose refresh token came twice: only the client that the session is of has that.
    /// - Parameters:
    ///   - client: the client that the session is of.
    ///   - app: the one that the person signed in to, where that is another.
    ///   - now: when.
    /// - Throws: infrastructure trouble.
    func bearing(
        ofSessionWith client: RegisteredClient, grantedTo app: ClientID?, now: Timestamp
    ) async throws -> SessionEnd.Bearing {
        if client.isFirstParty { return .onAccount }
        guard let app else { return .onSession }
        return try await bearing(ofCodeFor: app, now: now)
    }
}
