package import Core
package import Store

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
    /// It counts the account's rows in an index, and reads only the kinds of which there are too many: for most people none.
    ///
    /// Call it in a read, before the write that opens the session. A range of an index that a serializable write reads
    /// conflicts with each session that is opened at the same time. Sign-ins at the same moment may therefore exceed the limit
    /// for that moment; the next one ends what is too many.
    /// - Parameters:
    ///   - client: the client that the person signed in to.
    ///   - limit: the open sessions that are allowed, at least 1.
    ///   - kept: the ended ones that are kept, and as many of the revoked ones that may be forgotten.
    ///   - step: how many more there have to be before any are forgotten, at least 1. Finding them reads all rows of the
    ///     account, so many sign-ins share one search.
    package static func surplus(
        of account: UniqueID, at client: String, limit: Int, keeping kept: Int, inStepsOf step: Int, now: Timestamp,
        on connection: any SQLConnection
    ) throws -> Surplus {
        let most = Int64(max(1, limit))
        let tolerated = Int64(kept) + Int64(max(1, step))
        var (open, ended, revoked): (Int64, Int64, Int64) = (0, 0, 0)
        for row in try connection.query(counting, [.id(account), .text(client)]) {
            let count = try row.integer("sessions")
            // A reason that only a newer program knows is one of those that the query finds.
            switch try row.optionalText("revoked_reason").map(SessionEnd.init(rawValue:)) {
            case .none: open += count
            case .some(let why?) where SessionEnd.linkingKeys.contains(why): ended += count
            case .some(let why): if why?.takesAway ?? true { revoked += count }
            }
        }
        return Surplus(
            open: open < most
                ? []
                : try ids(
                    """
                    SELECT id \(ofClient) AND revoked_reason IS NULL AND expires_at > $3
                    ORDER BY expires_at DESC, id DESC LIMIT $4 OFFSET $5
                    """, [.id(account), .text(client), .time(now), .integer(surplusOfWrite), .integer(most - 1)],
                    on: connection),
            ended: ended < tolerated
                ? []
                : try ids(
                    """
                    SELECT id \(ofClient) AND revoked_reason IN (\(SessionEnd.list(SessionEnd.linkingKeys)))
                    ORDER BY id DESC LIMIT $3 OFFSET $4
                    """, [.id(account), .text(client), .integer(surplusOfWrite), .integer(Int64(kept))],
                    on: connection),
            revoked: revoked < tolerated
                ? []
                : try ids(
                    forgettable,
                    [
                        .id(account), .text(client), .time(now - timeOfRequests), .integer(surplusOfWrite),
                        .integer(Int64(kept)),
                    ], on: connection))
    }

    private static func ids(
        _ statement: String, _ values: [SQLValue], on connection: any SQLConnection
    ) throws -> [UniqueID] {
        try connection.query(statement, values).map { try $0.id("id") }
    }

    /// The sessions of the account `$1` that were opened by a sign-in to the client `$2`.
    private static let ofClient = "FROM sessions WHERE account_id = $1 AND COALESCE(granted_to, client_id) = $2"

    /// How many there are of each end; of a null one, those that are open or expired. The index has all of its columns, so no row
    /// is read.
    package static let counting = "SELECT revoked_reason, count(*) AS sessions \(ofClient) GROUP BY revoked_reason"

    /// Revoked sessions of the account `$1` at the client `$2` that decide nothing about a key, newest first.
    ///
    /// A revoked session distrusts the earlier ones of its key, at any client (``knowing``, ``linking``). It is not needed if it had no
    /// key, if no session is left that would be trusted without it, or if a later revocation of the same key is kept as long. That one
    /// may be forgotten only for the same reasons, so the last of them stays while it is needed. Those of an account that has more that
    /// are needed than are tolerated are searched at each sign-in; each was a revocation that the person was told of.
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

    /// Deletes the row of a session that ended. Its reason is final, so what ``surplus(of:at:limit:keeping:inStepsOf:now:on:)`` read
    /// of it still holds.
    package static func forget(_ id: UniqueID, on connection: any SQLConnection) throws {
        try connection.execute(
            "DELETE FROM sessions WHERE id = $1 AND revoked_at IS NOT NULL", [.id(id)])
    }
}
