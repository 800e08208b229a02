/// A connection inside one transaction, for a body of ``Database/read(_:)`` or ``Database/write(_:)``.
///
/// SQL is the same on every engine: `$1`, `$2` … placeholders (repeatable, in any order), `RETURNING`, `ON CONFLICT`,
/// and the column types `BYTEA`, `BIGINT` and `TEXT`. Statements are literals of the program and never contain values.
/// A connection is valid only while its body runs. Every function that takes a connection may throw a ``StoreError``.
package protocol SQLConnection: AnyObject {
    /// Runs one statement and returns all of its rows: add a `LIMIT` if many could match.
    /// - Parameters:
    ///   - sql: one statement; it is kept prepared under this text.
    ///   - arguments: the value of `$1` first, and exactly as many as the statement names.
    func query(_ sql: String, _ arguments: [SQLValue]) throws -> [SQLRow]

    /// Runs one statement for its effect. The parameters are those of ``query(_:_:)``.
    /// - Returns: the number of rows that the statement itself inserted, updated or deleted.
    /// - Throws: a ``StoreError``, with code ``StoreError/Code-swift.struct/conflict`` if a unique key is taken.
    @discardableResult
    func execute(_ sql: String, _ arguments: [SQLValue]) throws -> Int

    /// Runs one `CREATE`, `ALTER` or `DROP` statement. The engine maps the portable column types to its own.
    func define(_ sql: String) throws
}

extension SQLConnection {
    /// Runs a statement that returns at most one row.
    /// - Throws: a ``StoreError``, with code ``StoreError/Code-swift.struct/unexpectedRow`` if there are more.
    package func row(_ sql: String, _ arguments: [SQLValue]) throws -> SQLRow? {
        let rows = try query(sql, arguments)
        guard rows.count <= 1 else {
            throw StoreError(.unexpectedRow, "\(rows.count) rows where at most one was expected")
        }
        return rows.first
    }
}
