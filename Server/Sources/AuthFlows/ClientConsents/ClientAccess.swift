package import AuthCore
internal import AuthStore
internal import WalletAuthWire

/// An app that an account lets in, as its holder is shown it.
package struct ClientAccess: Sendable, Hashable {
    /// The client.
    package var client: String
    /// What people call it.
    package var name: String
    /// What it may do.
    package var scopes: [String]
    /// Since when.
    package var since: Timestamp
}

extension ClientAccess {
    /// The apps of an account, the oldest first.
    static func list(of account: UniqueID, on connection: any SQLConnection) throws -> [ClientAccess] {
        try ClientConsentRecords.list(of: account, on: connection).map { consent in
            ClientAccess(
                client: consent.clientID,
                name: try Clients.find(consent.clientID, on: connection)?.name ?? consent.clientID,
                scopes: try Scope(consent.scope).tokens, since: consent.grantedAt)
        }
    }
}
