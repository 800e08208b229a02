import AuthStore

/// A PostgreSQL database whose age is watched by a ``MarkKeeper``.
///
/// After the group's connection was lost, the server may be another one. Until the keeper has examined the database, each
/// transaction does so itself, on its own connection and snapshot.
final class MarkedDatabase: Database {
    private let database: any Database
    private let keeper: MarkKeeper

    init(_ database: any Database, keeper: MarkKeeper) {
        self.database = database
        self.keeper = keeper
    }

    var group: (any ProcessGroup)? { database.group }

    var connectionMetrics: ConnectionMetrics? { database.connectionMetrics }

    var server: String? { database.server }

    func read<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
        guard keeper.isSuspicious else { return try await database.read(body) }
        return try await database.read { [keeper] connection in
            try keeper.require(on: connection)
            return try body(connection)
        }
    }

    func write<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
        try await write(isolation: .serializable, body)
    }

    func write<T: Sendable>(
        isolation: WriteIsolation, _ body: @escaping @Sendable (any SQLConnection) throws -> T
    ) async throws -> T {
        guard keeper.isSuspicious else {
            let value = try await database.write(isolation: isolation, body)
            keeper.noteWrite()
            return value
        }
        let value = try await database.write(isolation: isolation) { [keeper] connection in
            try keeper.require(on: connection)
            return try body(connection)
        }
        keeper.noteWrite()
        return value
    }
}
