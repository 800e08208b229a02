import Core
import Store

/// A PostgreSQL database whose age is watched by a ``MarkKeeper``.
///
/// After the group's connection was lost, the server may be another one. Until the keeper has examined the database, each
/// body does so itself, on its own connection. A guarded body's statements have snapshots of their own, later than that of the
/// examination, which is enough: a connection stays with its server, and what a server has committed does not go away while it
/// runs.
final class MarkedDatabase: Database {
    private let database: any Database
    private let keeper: MarkKeeper
    private let writes = LockedValue(0)

    init(_ database: any Database, keeper: MarkKeeper) {
        self.database = database
        self.keeper = keeper
    }

    /// How many writes were acknowledged.
    var acknowledgedWrites: Int { writes.withLock { $0 } }

    var group: (any ProcessGroup)? { database.group }

    var connectionMetrics: ConnectionMetrics? { database.connectionMetrics }

    func clockDifference(from clock: any Clock) async throws -> Duration? {
        try await database.clockDifference(from: clock)
    }

    func read<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
        try await database.read(examining(body))
    }

    func write<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
        try await write(isolation: .serializable, body)
    }

    func write<T: Sendable>(
        isolation: WriteIsolation, _ body: @escaping @Sendable (any SQLConnection) throws -> T
    ) async throws -> T {
        let value = try await database.write(isolation: isolation, examining(body))
        keeper.noteWrite()
        writes.withLock { $0 += 1 }
        return value
    }

    func probe<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
        let value = try await database.probe(examining(body))
        keeper.noteWrite()
        writes.withLock { $0 += 1 }
        return value
    }

    /// Decided when the body runs: the connection may be lost while the call waits, or before it runs again.
    private func examining<T: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> T
    ) -> @Sendable (any SQLConnection) throws -> T {
        { [keeper] connection in
            if keeper.isSuspicious { try keeper.require(on: connection) }
            return try body(connection)
        }
    }
}
