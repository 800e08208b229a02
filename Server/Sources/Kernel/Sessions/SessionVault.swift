package import Core
package import Store

/// The network from which a session was last used, sealed in its row.
package enum SessionField: String, SealedField {
    case app = "sessions|network"
    case browser = "browser_sessions|network"

    package var purpose: KeyPurpose { .personal }
}

package typealias SessionVault = Vault<SessionField>

extension SessionVault {
    /// Seals the part of an address that tells a person their home from another country, and no more.
    /// - Returns: `nil` if the address is not known.
    package func seal(networkOf origin: RequestOrigin, _ field: SessionField, of session: UniqueID) throws -> [UInt8]? {
        try NetworkAddress(origin.address).map { try seal($0.region, field, of: session) }
    }

    /// The network of an app's session.
    /// - Parameter networks: as ``Sessions/networks(of:on:)`` returns them.
    package func network(of session: UniqueID, in networks: [UniqueID: [UInt8]]) -> String? {
        open(networks[session], .app, of: session)
    }
}
