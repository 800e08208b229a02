internal import AuthCore

extension Accounts {
    /// Remembers that something was taken away from an account: a device that has no session at this moment, and on which
    /// the present password was not typed, is untrusted from then on.
    ///
    /// A fact of the account and not of the sessions that end: whoever signed out before has none that could end.
    /// - Parameters:
    ///   - id: whose.
    ///   - why: why its sessions end; nothing is written where that takes nothing from anybody.
    ///   - now: when.
    ///   - connection: the connection of a write.
    /// - Throws: ``StoreError``.
    static func distrustDevices(
        of id: UniqueID, because why: SessionEnd, now: Timestamp, on connection: any SQLConnection
    ) throws {
        guard why.takesAway else { return }
        // A request that came before another may be written after it.
        try connection.execute(
            """
            UPDATE accounts SET strangers_since = CASE WHEN strangers_since > $2 THEN strangers_since ELSE $2 END
            WHERE id = $1
            """, [.id(id), .time(now)])
    }
}
