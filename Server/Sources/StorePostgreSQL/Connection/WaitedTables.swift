import Store

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
