/// One connection inside one transaction, as a body of ``Database/read(_:)`` or ``Database/write(_:)`` sees it.
///
/// The SQL text is the same on every engine: `$1`, `$2` … placeholders (each may appear several times and in any order),
/// `RETURNING`, `ON CONFLICT`, and the column types `BYTEA`, `BIGINT` and `TEXT`. Texts are literals of the program, never
/// put together from values. A connection is valid only while its body runs.
package protocol SQLConnection: AnyObject {
    /// Runs one statement and collects its rows.
    ///
    /// - Parameters:
    ///   - sql: one statement; kept prepared under this text.
    ///   - arguments: the value of `$1` first. Exactly as many as the statement names.
    /// - Returns: the rows, all of them: give the statement a `LIMIT` where many could match.
    /// - Throws: a ``StoreError``.
    func query(_ sql: String, _ arguments: [SQLValue]) throws -> [SQLRow]

    /// Runs one statement for its effect.
    ///
    /// - Parameters:
    ///   - sql: one statement; kept prepared under this text.
    ///   - arguments: the value of `$1` first. Exactly as many as the statement names.
    /// - Returns: the number of rows that the statement inserted, updated or deleted itself.
    /// - Throws: a ``StoreError``; code ``StoreError/Code-swift.struct/conflict`` where a unique key is taken.
    @discardableResult
    func execute(_ sql: String, _ arguments: [SQLValue]) throws -> Int

    /// Runs one statement of data definition, written with the portable column types, which the engine maps to its own.
    ///
    /// - Parameter sql: one `CREATE`, `ALTER` or `DROP` statement.
    /// - Throws: a ``StoreError``.
    func define(_ sql: String) throws
}

extension SQLConnection {
    /// The only row of a statement that yields at most one.
    ///
    /// - Parameters:
    ///   - sql: one statement.
    ///   - arguments: the value of `$1` first.
    /// - Returns: the row, or `nil` when there is none.
    /// - Throws: a ``StoreError``; code ``StoreError/Code-swift.struct/unexpectedRow`` when there is more than one.
    package func row(_ sql: String, _ arguments: [SQLValue]) throws -> SQLRow? {
        let rows = try query(sql, arguments)
        guard rows.count <= 1 else {
            throw StoreError(.unexpectedRow, "\(rows.count) rows where at most one was expected")
        }
        return rows.first
    }
}
