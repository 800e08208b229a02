package import Core
package import Store

extension Accounts {
    /// Records a revocation. From then on a device is untrusted unless it has a session at this moment or the present
    /// password was entered on it.
    ///
    /// This is a fact of the account, not of the sessions that end, because an attacker who had signed out has no
    /// session to end.
    /// - Parameters:
    ///   - why: why sessions end. Nothing is written if that revokes nothing.
    ///   - now: the time of the write. A device that signed in and out while the write waited is to be untrusted as well.
    package static func distrustDevices(
        of id: UniqueID, because why: SessionEnd, now: Timestamp, on connection: any SQLConnection
    ) throws {
        guard why.takesAway else { return }
        // An earlier request may be written after a later one, and a server whose clock is ahead may have opened a session.
        try connection.execute(
            """
            UPDATE accounts SET devices_distrusted_at = (SELECT CASE
                WHEN devices_distrusted_at > $2 AND devices_distrusted_at > COALESCE(MAX(s.created_at), 0)
                    THEN devices_distrusted_at
                WHEN MAX(s.created_at) > $2 THEN MAX(s.created_at)
                ELSE $2 END
                FROM sessions s WHERE s.account_id = $1)
            WHERE id = $1
            """, [.id(id), .time(now)])
    }
}
