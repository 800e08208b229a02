import AuthStore
import AuthStoreSQLite
import Synchronization

/// The real engine, and what a test has happen right before the next write: between what a flow read and what it writes.
final class TestDatabase: Database {
    let engine: SQLiteDatabase
    private let meanwhile = Mutex<(@Sendable () async throws -> Void)?>(nil)
    private let written = Mutex(0)

    /// How many writes there were.
    var writes: Int { written.withLock { $0 } }

    init(_ engine: SQLiteDatabase) { self.engine = engine }

    /// What happens before the next write begins; its own writes are none of these.
    func beforeNextWrite(_ body: @escaping @Sendable () async throws -> Void) {
        meanwhile.withLock { $0 = body }
    }

    func read<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
        try await engine.read(body)
    }

    func write<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
        let meanwhile = meanwhile.withLock { meanwhile in
            defer { meanwhile = nil }
            return meanwhile
        }
        try await meanwhile?()
        written.withLock { $0 += 1 }
        return try await engine.write(body)
    }
}
