extension Database {
    /// For an engine with one writer.
    package func write<T: Sendable>(
        isolation: WriteIsolation, _ body: @escaping @Sendable (any SQLConnection) throws -> T
    ) async throws -> T {
        guard isolation == .guardedStatement else { return try await write(body) }
        return try await write { try body(GuardedConnection($0)) }
    }
}

/// Holds a body of ``WriteIsolation/guardedStatement`` to one statement that changes rows, on an engine whose own
/// transaction would allow more. A body that breaks the rule then fails on every engine.
final class GuardedConnection: SQLConnection {
    private let connection: any SQLConnection
    private var hasChanged = false

    init(_ connection: any SQLConnection) {
        self.connection = connection
    }

    func query(_ sql: String, _ arguments: [SQLValue]) throws -> [SQLRow] {
        guard !StatementKind.reads(sql) else { return try connection.query(sql, arguments) }
        if hasChanged { throw StoreError.secondChange(sql) }
        let rows = try connection.query(sql, arguments)
        // Of `RETURNING`.
        hasChanged = !rows.isEmpty
        return rows
    }

    func execute(_ sql: String, _ arguments: [SQLValue]) throws -> Int {
        guard !StatementKind.reads(sql) else { return try connection.execute(sql, arguments) }
        if hasChanged { throw StoreError.secondChange(sql) }
        let changes = try connection.execute(sql, arguments)
        hasChanged = changes > 0
        return changes
    }

    var serverName: String? { connection.serverName }

    func define(_ sql: String) throws {
        throw StoreError(.statement, "a guarded body defines nothing: \(sql.prefix(40))")
    }
}

extension StoreError {
    /// The error of a body of ``WriteIsolation/guardedStatement`` that would change rows twice.
    package static func secondChange(_ sql: String) -> StoreError {
        StoreError(.statement, "a guarded body changes rows with one statement at most: \(sql.prefix(40))")
    }
}
