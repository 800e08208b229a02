package import AuthStore
package import WalletAuthWire

/// Looks for passkeys that open nothing any more, since the server was another domain's when they were made.
package enum PasskeyProbe {
    /// What was found of one former domain.
    package struct Report: Sendable, Hashable, Codable {
        /// The domain.
        package var relyingParty: String
        /// How many passkeys were made for it.
        package var passkeys: Int64
        /// How many accounts have them.
        package var accounts: Int64
    }

    /// Examines a database.
    /// - Parameters:
    ///   - database: its schema has to be up to date.
    ///   - issuer: the present issuer.
    /// - Throws: ``StoreError``.
    package static func reports(of database: any Database, under issuer: Issuer) async throws -> [Report] {
        let party = PasskeyRelyingParty(issuer: issuer)?.id
        return try await database.read { try Passkeys.sites(besides: party, on: $0) }.map {
            Report(relyingParty: $0.relyingParty, passkeys: $0.passkeys, accounts: $0.accounts)
        }
    }
}
