package import Store
package import WalletAuthWire

/// Finds passkeys that no longer work because they belong to a former domain of the server.
package enum PasskeyProbe {
    /// The passkeys of one former domain.
    package struct Report: Sendable, Hashable, Codable {
        package var relyingParty: String
        /// The number of passkeys created for it.
        package var passkeys: Int64
        /// The number of accounts that have them.
        package var accounts: Int64
    }

    /// - Parameters:
    ///   - database: its schema must be current.
    ///   - issuer: the current issuer.
    /// - Throws: ``StoreError``.
    package static func reports(of database: any Database, under issuer: Issuer) async throws -> [Report] {
        let party = PasskeyRelyingParty(issuer: issuer)?.id
        return try await database.read { try Passkeys.sites(besides: party, on: $0) }.map {
            Report(relyingParty: $0.relyingParty, passkeys: $0.passkeys, accounts: $0.accounts)
        }
    }
}
