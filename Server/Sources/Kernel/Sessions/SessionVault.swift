package import Core
package import Store
package import WalletAuthWire

/// What is sealed in a session's row: the network from which it was last used, and what the person granted besides scopes.
package enum SessionField: String, SealedField {
    case app = "sessions|network"
    case browser = "browser_sessions|network"
    case authorizationDetails = "sessions|authorization_details"

    package var purpose: KeyPurpose { .personal }
}

package typealias SessionVault = Vault<SessionField>

extension SessionVault {
    /// Seals the part of an address that tells a person their home from another country, and no more.
    /// - Returns: `nil` if the address is not known.
    package func seal(networkOf origin: RequestOrigin, _ field: SessionField, of session: UniqueID) throws -> [UInt8]? {
        try NetworkAddress(origin.address).map { try seal($0.region, field, of: session) }
    }

    package func seal(_ details: AuthorizationDetails?, of session: UniqueID) throws -> [UInt8]? {
        try details.map { try seal($0.rawValue, .authorizationDetails, of: session) }
    }

    /// - Throws: ``DamagedRow`` for details that do not open: without them, the session's tokens would have no limits.
    package func authorizationDetails(of session: NewSession) throws -> AuthorizationDetails? {
        guard let sealed = session.authorizationDetails else { return nil }
        let text = String(decoding: try bytes(sealed, .authorizationDetails, of: session.id), as: UTF8.self)
        return try AuthorizationDetails(recorded: text)
    }

    /// The network of an app's session.
    /// - Parameter networks: as ``Sessions/networks(of:on:)`` returns them.
    package func network(of session: UniqueID, in networks: [UniqueID: [UInt8]]) -> String? {
        open(networks[session], .app, of: session)
    }
}
