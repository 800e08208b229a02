package import Core
package import Store

extension Sessions {
    /// Ends sessions, and has their clients hear of it. Every early end goes through here, but that of all sessions of a restored copy.
    /// - Parameters:
    ///   - condition: SQL about `sessions`, whose placeholders begin at `$3`.
    ///   - time: SQL for the time of the end, with `$1` for `now`.
    /// - Returns: the account of each session that this ended.
    package static func end(
        where condition: String, _ values: [SQLValue], at time: String = "$1", because why: SessionEnd, now: Timestamp,
        on connection: any SQLConnection
    ) throws -> [UniqueID] {
        try connection.query(
            """
            UPDATE sessions SET revoked_at = \(time), revoked_reason = $2 WHERE revoked_at IS NULL AND \(condition)
            RETURNING id, account_id, client_id
            """, [.time(now), .name(why)] + values
        ).map { row in
            let account = try row.id("account_id")
            try LogoutNotice.write(
                endOf: row.id("id"), of: account, at: row.text("client_id"), now: now, on: connection)
            return account
        }
    }
}
