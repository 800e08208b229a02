package import AuthCore

extension Sessions {
    /// The sessions of an account at a client that have to make room for the next one.
    package struct Surplus: Sendable, Hashable {
        /// Open ones, to be ended.
        package var open: [UniqueID]
        /// Ended ones that say nothing of their keys, to be forgotten.
        package var ended: [UniqueID]
        /// Revoked ones without which no key is trusted again, to be forgotten.
        package var revoked: [UniqueID]
    }

    /// Returns which sessions make room for one more: first those that would end first by themselves, and that is the one
    /// that was idle longest.
    ///
    /// Call it in a read, before the write that opens the session. A range of an index that a serializable write reads
    /// conflicts with each session that is opened at the same time. Sign-ins at the same moment may therefore exceed the limit
    /// for that moment; the next one ends what is too many.
    /// - Parameters:
    ///   - client: the client that the person signed in to.
    ///   - limit: the open sessions that are allowed, at least 1.
    ///   - kept: the ended ones that are kept, and as many of the revoked ones that may be forgotten.
    package static func surplus(
        of account: UniqueID, at client: String, limit: Int, keeping kept: Int, now: Timestamp,
        on connection: any SQLConnection
    ) throws -> Surplus {
        let most = Int64(max(1, limit))
        func ids(_ condition: String, _ values: [SQLValue]) throws -> [UniqueID] {
            try connection.query(
                """
                SELECT id FROM sessions WHERE account_id = $1 AND COALESCE(granted_to, client_id) = $2 AND \(condition)
                """, [.id(account), .text(client)] + values
            ).map { try $0.id("id") }
        }
        return Surplus(
            open: try ids(
                "revoked_at IS NULL AND expires_at > $3 ORDER BY expires_at DESC, id DESC LIMIT $4 OFFSET $5",
                [.time(now), .integer(surplusOfWrite), .integer(most - 1)]),
            ended: try ids(
                """
                revoked_reason IN (\(SessionEnd.list(SessionEnd.linkingKeys))) ORDER BY id DESC LIMIT $3 OFFSET $4
                """, [.integer(surplusOfWrite), .integer(Int64(kept))]),
            revoked: try connection.query(
                forgettable,
                [
                    .id(account), .text(client), .time(now - timeOfRequests), .integer(surplusOfWrite),
                    .integer(Int64(kept)),
                ]
            ).map { try $0.id("id") })
    }

    /// Revoked sessions of the account `$1` at the client `$2` that decide nothing about a key, newest first.
    ///
    /// A revoked session distrusts the earlier ones of its key, at any client (``knowing``, ``linking``). It is not needed if it had no
    /// key, if no session is left that would be trusted without it, or if a later revocation of the same key is kept as long. That one
    /// may be forgotten only for the same reasons, so the last of them stays while it is needed.
    private static let forgettable = """
        SELECT id FROM (
            SELECT id, dpop_jkt, COALESCE(granted_to, client_id) AS client, revoked_reason, revoked_at, created_at, expires_at,
                MAX(CASE WHEN revoked_at IS NULL OR created_at > revoked_at
                    OR revoked_reason IN (\(SessionEnd.list(SessionEnd.sparingKnownKeys))) THEN 1 ELSE 0 END)
                    OVER (PARTITION BY dpop_jkt) AS distrusts,
                MAX(CASE WHEN revoked_reason NOT IN (\(SessionEnd.list(SessionEnd.sparingKnownKeys))) THEN expires_at ELSE 0 END)
                    OVER (PARTITION BY dpop_jkt ORDER BY revoked_at DESC, id DESC
                        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS repeated_until
            FROM sessions WHERE account_id = $1) s
        WHERE client = $2 AND revoked_reason NOT IN (\(SessionEnd.list(SessionEnd.sparingKnownKeys)))
            AND revoked_at < $3 AND created_at < $3
            AND (dpop_jkt IS NULL OR distrusts = 0 OR repeated_until >= expires_at)
        ORDER BY id DESC LIMIT $4 OFFSET $5
        """

    /// Longer than a sign-in takes from its request to its write, and than the clocks of servers differ: no session is opened any more
    /// with a time before a revocation of that age.
    private static let timeOfRequests = Duration.minutes(5)

    /// The most that one sign-in makes room of, so that its write is short even if the limit was lowered.
    private static let surplusOfWrite: Int64 = 100

    /// Deletes the row of a session that ended. Its reason is final, so what ``surplus(of:at:limit:keeping:now:on:)`` read of it still
    /// holds.
    package static func forget(_ id: UniqueID, on connection: any SQLConnection) throws {
        try connection.execute(
            "DELETE FROM sessions WHERE id = $1 AND revoked_at IS NOT NULL", [.id(id)])
    }
}
