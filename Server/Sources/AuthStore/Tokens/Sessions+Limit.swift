package import AuthCore

extension Sessions {
    /// The sessions of an account at a client that have to make room for the next one.
    package struct Surplus: Sendable, Hashable {
        /// Open ones, to be ended.
        package var open: [UniqueID]
        /// Ended ones that say nothing of their keys, to be forgotten.
        package var ended: [UniqueID]

        package var isEmpty: Bool { open.isEmpty && ended.isEmpty }
    }

    /// Returns which sessions make room for one more: first those that would end first by themselves, and that is the one
    /// that was idle longest.
    ///
    /// Call it in a read, before the write that opens the session. A range of an index that a serializable write reads
    /// conflicts with each session that is opened beside it. Sign-ins at the same moment may therefore exceed the limit
    /// for that moment; the next one ends what is too many.
    /// - Parameters:
    ///   - client: the client that the person signed in to.
    ///   - limit: the open sessions that are allowed, at least 1.
    ///   - kept: the ended ones that are kept.
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
                """, [.integer(surplusOfWrite), .integer(Int64(kept))]))
    }

    /// The most that one sign-in makes room of, so that its write is short even if the limit was lowered.
    private static let surplusOfWrite: Int64 = 100

    /// Deletes the row of a session that ended without a revocation.
    package static func forget(_ id: UniqueID, on connection: any SQLConnection) throws {
        try connection.execute(
            "DELETE FROM sessions WHERE id = $1 AND revoked_reason IN (\(SessionEnd.list(SessionEnd.linkingKeys)))",
            [.id(id)])
    }
}
