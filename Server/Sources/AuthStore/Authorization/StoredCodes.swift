package import AuthCore

/// The contents of authorization codes that would be too long themselves. It owns the `stored_codes` table.
package enum StoredCodes {
    /// - Parameters:
    ///   - code: the code's own id, 16 to 32 bytes.
    ///   - sealed: the content, sealed by the caller; at most 64 KiB.
    package static func keep(
        _ code: [UInt8], sealed: [UInt8], until expiresAt: Timestamp, on connection: any SQLConnection
    ) throws {
        try connection.execute(
            "INSERT INTO stored_codes (id, sealed, expires_at) VALUES ($1, $2, $3)",
            [.blob(code), .blob(sealed), .time(expiresAt)])
    }

    /// The sealed content of a code that has not expired. ``RedeemedCodes`` ensures single use.
    package static func find(_ code: [UInt8], now: Timestamp, on connection: any SQLConnection) throws -> [UInt8]? {
        try connection.row(
            "SELECT sealed FROM stored_codes WHERE id = $1 AND expires_at > $2", [.blob(code), .time(now)])?.blob(0)
    }
}
