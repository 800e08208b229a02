package import AuthCore

/// Whom Apple will know under another identifier once an app belongs to another team. It owns the `apple_transfers` table.
package enum AppleTransfers {
    /// What is known of a person whom a transfer takes along.
    package struct Record: Sendable, Hashable {
        /// The digest of the identifier that Apple made for the transfer: 32 bytes.
        package let transfer: [UInt8]
        /// The brand of the account.
        package let brandID: String
        /// The digest of the identity at the former team.
        package let digest: [UInt8]
        /// When the row is of no use any more.
        package let expiresAt: Timestamp

        /// Each parameter is the property of its name.
        package init(transfer: [UInt8], brandID: String, digest: [UInt8], expiresAt: Timestamp) {
            self.transfer = transfer
            self.brandID = brandID
            self.digest = digest
            self.expiresAt = expiresAt
        }
    }

    /// Expects a person; asked again, the row lasts longer.
    package static func expect(_ record: Record, on connection: any SQLConnection) throws {
        try connection.execute(
            """
            INSERT INTO apple_transfers (transfer, brand_id, digest, expires_at) VALUES ($1, $2, $3, $4)
            ON CONFLICT (transfer) DO UPDATE SET expires_at = excluded.expires_at
            """,
            [.blob(record.transfer), .text(record.brandID), .blob(record.digest), .time(record.expiresAt)])
    }

    /// The identity at the former team of a person who comes from the new one; one point read.
    package static func find(
        _ transfer: [UInt8], brand: String, on connection: any SQLConnection
    ) throws -> [UInt8]? {
        try connection.row(
            "SELECT digest FROM apple_transfers WHERE transfer = $1 AND brand_id = $2",
            [.blob(transfer), .text(brand)])?.blob("digest")
    }

    /// The identities of a provider that no transfer expects yet, in the order of their digests.
    package static func unexpected(
        provider: String, brand: String, after digest: [UInt8], limit: Int, on connection: any SQLConnection
    ) throws -> [FederatedIdentityRecord] {
        try FederatedIdentities.list(
            of: provider, brand: brand, after: digest, limit: limit,
            where: """
                NOT EXISTS (SELECT 1 FROM apple_transfers t
                    WHERE t.brand_id = federated_identities.brand_id AND t.digest = federated_identities.digest)
                """, on: connection)
    }
}
