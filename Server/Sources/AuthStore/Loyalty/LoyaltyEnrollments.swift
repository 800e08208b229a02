package import AuthCore

/// Remembers enrollments whose answer may have been lost. It owns the `loyalty_enrollments` table.
package enum LoyaltyEnrollments {
    /// Stores the result of an authorization code, or the account that was created with it.
    /// - Parameters:
    ///   - sealed: the target Loyalty defines the content.
    ///   - digest: over client, integration and code: 32 bytes.
    ///   - account: `nil` while there is none.
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

    /// - Returns: `nil` if nothing is stored or it has expired.
    package static func find(
        _ digest: [UInt8], now: Timestamp, on connection: any SQLConnection
    ) throws -> [UInt8]? {
        try connection.row(
            "SELECT sealed FROM loyalty_enrollments WHERE digest = $1 AND expires_at > $2",
            [.blob(digest), .time(now)])?.blob(0)
    }
}
