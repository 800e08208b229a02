import Core
import Store

/// A database whose age is watched by a ``MarkKeeper``, which hears of every write. Once it has found the database to be older,
/// nothing is read from it or written to it.
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
        try await database.read(admitted(body))
    }

    func write<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
        try await write(isolation: .serializable, body)
    }

    func write<T: Sendable>(
        isolation: WriteIsolation, _ body: @escaping @Sendable (any SQLConnection) throws -> T
    ) async throws -> T {
        let value = try await database.write(isolation: isolation, admitted(body))
        keeper.noteWrite()
        writes.withLock { $0 += 1 }
        return value
    }

    func probe<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
        let value = try await database.probe(admitted(body))
        keeper.noteWrite()
        writes.withLock { $0 += 1 }
        return value
    }

    /// Decided when the body runs: the call may wait before.
    private func admitted<T: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> T
    ) -> @Sendable (any SQLConnection) throws -> T {
        { [keeper] connection in
            try keeper.require()
            return try body(connection)
        }
    }
}
