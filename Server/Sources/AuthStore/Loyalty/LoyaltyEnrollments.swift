package import AuthCore

/// The memory of enrollments whose answer may have been lost. It owns the `loyalty_enrollments` table.
package enum LoyaltyEnrollments {
    /// Remembers what an authorization code gave, or which account was made by it.
    /// - Parameters:
    ///   - sealed: what is remembered; the use cases own it.
    ///   - digest: of client, integration and code: 32 bytes.
    ///   - account: the account that was made; `nil` while there is none.
    ///   - expiresAt: when it is forgotten.
    ///   - connection: the connection of a write.
    /// - Throws: ``StoreError``.
    package static func remember(
        _ sealed: [UInt8], under digest: [UInt8], account: UniqueID?, until expiresAt: Timestamp,
        on connection: any SQLConnection
    ) throws {
        try connection.execute(
            """
            INSERT INTO loyalty_enrollments (digest, account_id, sealed, expires_at) VALUES ($1, $2, $3, $4)
            ON CONFLICT (digest) DO UPDATE SET account_id = $2, sealed = $3, expires_at = $4
            """, [.blob(digest), account.map { .id($0) } ?? .null, .blob(sealed), .time(expiresAt)])
    }

    /// What is remembered; `nil` where nothing is, or no more.
    package static func find(
        _ digest: [UInt8], now: Timestamp, on connection: any SQLConnection
    ) throws -> [UInt8]? {
        try connection.row(
            "SELECT sealed FROM loyalty_enrollments WHERE digest = $1 AND expires_at > $2",
            [.blob(digest), .time(now)])?.blob(0)
    }
}
