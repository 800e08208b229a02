/// Translates portable data definition into SQLite's.
///
/// `BYTEA` and `BIGINT` become `BLOB` and `INTEGER`. Tables become `STRICT`, so that a column has its declared type,
/// and `WITHOUT ROWID`: keys are ids and digests, and without a row id a table needs no second tree and no second
/// search, and keeps new, time-ordered sessions adjacent.
enum PortableDefinition {
    /// `sql` is one `CREATE`, `ALTER` or `DROP` statement.
    static func native(_ sql: String) -> String {
        var native = ""
        var word = ""
        var quoted = false
        func flush() {
            switch word {
            case "BYTEA": native += "BLOB"
            case "BIGINT": native += "INTEGER"
            default: native += word
            }
            word = ""
        }
        for character in sql {
            if !quoted, character.isLetter || character.isNumber || character == "_" {
                word.append(character)
                continue
            }
            flush()
            if character == "'" { quoted.toggle() }
            native.append(character)
        }
        flush()
        while let last = native.last, last.isWhitespace || last == ";" { native.removeLast() }
        let isTable = native.split(whereSeparator: \.isWhitespace).prefix(2).elementsEqual(["CREATE", "TABLE"])
        return isTable ? native + " STRICT, WITHOUT ROWID" : native
    }
}
