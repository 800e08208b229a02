import Store

/// The tables that sessions of this database were just seen to wait for. A call that needs one of them would only wait as well.
final class BlockedTables: Sendable {
    /// After that it has to be asked again.
    private static let validity = Duration.seconds(1)

    private struct Known {
        var names: Set<String> = []
        var until = ContinuousClock.now
    }

    private let known = LockedValue(Known())

    var isKnown: Bool { known.withLock { !$0.names.isEmpty && $0.until > .now } }

    /// Whether there were some, and may be none any more.
    var isOutdated: Bool { known.withLock { !$0.names.isEmpty && $0.until <= .now } }

    /// - Parameter names: none if no session waits.
    func note(_ names: Set<String>) {
        known.withLock { $0 = Known(names: names, until: .now + Self.validity) }
    }

    /// Whether a statement names one of them.
    func concern(_ sql: String) -> Bool {
        let names = known.withLock { $0.names }
        guard !names.isEmpty else { return false }
        let words = sql.split { !($0.isLetter || $0.isNumber || $0 == "_") }
        return words.contains { names.contains(String($0)) }
    }
}

extension ServerConnection {
    /// The tables of this database that a session waits for: for the table's own lock, or for a row's. Any role sees the locks of all.
    func waitedForTables(within limit: Duration) throws -> Set<String> {
        let found = try row(
            """
            SELECT COALESCE(string_agg(DISTINCT c.relname::text, ' '), '') AS tables
            FROM pg_catalog.pg_locks l JOIN pg_catalog.pg_class c ON c.oid = l.relation
                JOIN pg_catalog.pg_database d ON d.oid = l.database
            WHERE d.datname = current_database()
                AND (l.locktype = 'relation' AND NOT l.granted
                    OR l.locktype = 'tuple' AND l.pid IN (SELECT w.pid FROM pg_catalog.pg_locks w WHERE NOT w.granted))
            """, [], within: limit)
        return Set((try found?.text("tables") ?? "").split(separator: " ").map { String($0) })
    }
}
