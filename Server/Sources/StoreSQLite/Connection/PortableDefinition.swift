import Store

/// Translates portable data definition into SQLite's.
///
/// `BYTEA` and `BIGINT` become `BLOB` and `INTEGER`. Tables become `STRICT`, so that a column has its declared type,
/// and `WITHOUT ROWID`: keys are ids and digests, and without a row id a table needs no second tree and no second
/// search, and keeps new, time-ordered sessions adjacent.
enum PortableDefinition {
    /// `sql` is one `CREATE`, `ALTER` or `DROP` statement.
    static func native(_ sql: String) -> String {
        let native = DefinitionWords.replaced(in: sql) { word in
            switch word {
            case "BYTEA": "BLOB"
            case "BIGINT": "INTEGER"
            default: word
            }
        }
        let isTable = native.split(whereSeparator: \.isWhitespace).prefix(2).elementsEqual(["CREATE", "TABLE"])
        return isTable ? native + " STRICT, WITHOUT ROWID" : native
    }
}
