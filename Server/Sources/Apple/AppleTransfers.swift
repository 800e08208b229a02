package import Core
package import SignIn
package import Store

/// People whose identifier at Apple changes because an app moves to another team. It owns the `apple_transfers` table.
package enum AppleTransfers {
    /// A person whom a transfer takes along.
    package struct Record: Sendable, Hashable {
        /// The digest of the identifier that Apple made for the transfer: 32 bytes.
        package let transfer: [UInt8]
        package let brandID: String
        /// The digest of the identity at the former team.
        package let digest: [UInt8]
        /// The team that the app moves to.
        package let team: String
        package let expiresAt: Timestamp
    }

    /// Expects a person at a team. Expecting them again extends the row's life.
    package static func expect(_ record: Record, on connection: any SQLConnection) throws {
        try connection.execute(
            """
            INSERT INTO apple_transfers (transfer, brand_id, digest, team, expires_at) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (transfer) DO UPDATE SET team = excluded.team, expires_at = excluded.expires_at
            """,
            [
                .blob(record.transfer), .text(record.brandID), .blob(record.digest), .text(record.team),
                .time(record.expiresAt),
            ])
    }

    /// The identity at the former team of a person who comes from the new one; one point read.
    package static func find(
        _ transfer: [UInt8], brand: String, now: Timestamp, on connection: any SQLConnection
    ) throws -> [UInt8]? {
        try connection.row(
            "SELECT digest FROM apple_transfers WHERE transfer = $1 AND brand_id = $2 AND expires_at > $3",
            [.blob(transfer), .text(brand), .time(now)])?.blob("digest")
    }

    /// A provider's identities that no transfer to the team expects yet, in the order of their digests.
    package static func unexpected(
        at team: String, provider: String, brand: String, after digest: [UInt8], limit: Int, now: Timestamp,
        on connection: any SQLConnection
    ) throws -> [FederatedIdentityRecord] {
        try FederatedIdentities.list(
            of: provider, brand: brand, after: digest, limit: limit,
            where: """
                NOT EXISTS (SELECT 1 FROM apple_transfers t
                    WHERE t.brand_id = federated_identities.brand_id AND t.digest = federated_identities.digest
                    AND t.team = $5 AND t.expires_at > $6)
                """, binding: [.text(team), .time(now)], on: connection)
    }

    /// The number of a provider's identities that a transfer to the team expects, and of transfers to other teams.
    package static func count(
        at team: String, provider: String, brand: String, now: Timestamp, on connection: any SQLConnection
    ) throws -> (here: Int64, elsewhere: Int64) {
        let row = try connection.row(
            """
            SELECT COUNT(CASE WHEN t.team = $1 THEN 1 END) AS here,
                COUNT(CASE WHEN t.team <> $1 THEN 1 END) AS elsewhere
            FROM apple_transfers t JOIN federated_identities f ON f.brand_id = t.brand_id AND f.digest = t.digest
            WHERE f.brand_id = $2 AND f.provider_id = $3 AND t.expires_at > $4
            """, [.text(team), .text(brand), .text(provider), .time(now)])
        return (try row?.integer("here") ?? 0, try row?.integer("elsewhere") ?? 0)
    }
}
