internal import AuthCore
internal import AuthStore
internal import WalletAuthWire

extension ClientDirectory {
    /// Of what the end of a session says something that its client brought about, by a code or a token that came twice.
    ///
    /// An app that is not the operator's own ends its sessions so whenever it wants: it must not make strangers of the browsers and
    /// keys by which people use the one that is.
    /// - Parameters:
    ///   - client: the client that the session is of.
    ///   - app: the one that the person signed in to, where that is another.
    ///   - now: when.
    /// - Throws: infrastructure trouble.
    func bearing(
        ofSessionWith client: RegisteredClient, grantedTo app: ClientID?, now: Timestamp
    ) async throws -> SessionEnd.Bearing {
        if client.isFirstParty { return .onAccount }
        guard let app, app != client.id else { return .onSession }
        // One that is gone may have been the operator's own.
        guard let signedInTo = try await find(app, now: now) else { return .onAccount }
        return signedInTo.isFirstParty ? .onAccount : .onSession
    }
}
