package import AuthCore

/// Ending everything at once, a bounded batch in each write: after a restore, when rows that had ended live again.
extension Sessions {
    /// Ends up to a number of living sessions, whosever they are.
    ///
    /// - Returns: how many were ended; zero when none is left.
    /// - Throws: ``StoreError``.
    package static func endBatch(
        _ limit: Int, because why: SessionEnd, now: Timestamp, on connection: any SQLConnection
    ) throws -> Int {
        try connection.execute(
            """
            UPDATE sessions SET revoked_at = $2, revoked_reason = $3
            WHERE id IN (SELECT s.id FROM sessions s WHERE s.revoked_at IS NULL LIMIT $1)
            """, [.integer(Int64(limit)), .time(now), .name(why)])
    }
}

extension DeviceTokens {
    /// Ends up to a number of long-lived sessions, whosever they are.
    ///
    /// - Returns: how many were ended; zero when none is left.
    /// - Throws: ``StoreError``.
    package static func endBatch(_ limit: Int, on connection: any SQLConnection) throws -> Int {
        try connection.execute(
            """
            UPDATE device_tokens SET state = 'expired', digest = NULL
            WHERE device_id IN (SELECT t.device_id FROM device_tokens t WHERE t.state = 'active' LIMIT $1)
            """, [.integer(Int64(limit))])
    }
}

extension BrowserSessions {
    /// Ends up to a number of browser sessions, whosever they are.
    ///
    /// - Returns: how many were ended; zero when none is left.
    /// - Throws: ``StoreError``.
    package static func endBatch(_ limit: Int, on connection: any SQLConnection) throws -> Int {
        try connection.execute(
            "DELETE FROM browser_sessions WHERE id_hash IN (SELECT b.id_hash FROM browser_sessions b LIMIT $1)",
            [.integer(Int64(limit))])
    }
}
