package import Core
internal import Kernel
package import Store
internal import WalletAuthWire

/// An app with access to an account, as shown to the holder.
package struct ClientAccess: Sendable, Hashable {
    package var client: String
    package var name: String
    package var scopes: [String]
    package var since: Timestamp
}

extension ClientAccess {
    /// The oldest first.
    package static func list(of account: UniqueID, on connection: any SQLConnection) throws -> [ClientAccess] {
        try ClientConsentRecords.list(of: account, on: connection).map { consent in
            ClientAccess(
                client: consent.clientID,
                name: try Clients.find(consent.clientID, on: connection)?.name ?? consent.clientID,
                scopes: try Scope(consent.scope).tokens, since: consent.grantedAt)
        }
    }
}
