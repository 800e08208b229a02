import Store

/// Translates portable data definition into PostgreSQL's.
///
/// `TEXT` becomes `TEXT COLLATE "C"`, because the other engine compares and sorts bytes. `BYTEA` and `BIGINT` are
/// PostgreSQL's own names.
///
/// Some tables keep space free on each page, so that a row that changes in place stays on its page and no index has to
/// be written (a heap-only update).
enum PortableDefinition {
    /// Tables whose rows change often, in columns without an index.
    private static let changing: Set<Substring> = ["sessions", "attempts", "device_tokens"]

    /// `sql` is one `CREATE`, `ALTER` or `DROP` statement.
    static func native(_ sql: String) -> String {
        let native = DefinitionWords.replaced(in: sql) { $0 == "TEXT" ? "TEXT COLLATE \"C\"" : $0 }
        let words = native.split(whereSeparator: \.isWhitespace).prefix(3)
        guard words.count == 3, words.prefix(2).elementsEqual(["CREATE", "TABLE"]), changing.contains(words[2]) else {
            return native
        }
        return native + " WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05)"
    }
}
