import Store

/// A database whose first read returns late: something else happens before its result is looked at.
final class LateSnapshots: Database {
    private let database: any Database
    private let isFirst = LockedValue(true)
    let meanwhile = LockedValue<(@Sendable () async throws -> Void)?>(nil)

    init(_ database: any Database) { self.database = database }

    func read<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
        let value = try await database.read(body)
        let isFirst = isFirst.withLock { isFirst in
            defer { isFirst = false }
            return isFirst
        }
        if isFirst { try await meanwhile.withLock { $0 }?() }
        return value
    }

    func write<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
        try await database.write(body)
    }
}

/// A database with calls that wait: something happens before they run.
struct LateDatabase: Database {
    let database: any Database
    let meanwhile: @Sendable () async throws -> Void

    func read<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
        try await meanwhile()
        return try await database.read(body)
    }

    func write<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
        try await meanwhile()
        return try await database.write(body)
    }
}

/// A database with a standby that is missing: reads are answered, and writes wait until the test is over. A write that
/// begins finds another server.
final class HangingWrites: Database {
    private let database: any Database
    private let answering = LockedValue("old, port 5432")
    private let (ends, source) = AsyncStream.makeStream(of: Void.self)
    let writes = LockedValue(0)

    init(_ database: any Database) { self.database = database }

    func read<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
        let server = answering.withLock { $0 }
        return try await database.read { try body(NamedConnection($0, to: server)) }
    }

    func write<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
        answering.withLock { $0 = "new, port 5432" }
        writes.withLock { $0 += 1 }
        // Like libpq's write, it is not interrupted by a cancellation.
        await Task { [ends] in for await _ in ends { break } }.value
        throw StoreError(.unavailable, "the test is over")
    }

    func release() { source.finish() }
}

/// A connection of another engine, as if it led to a server.
private final class NamedConnection: SQLConnection {
    private let connection: any SQLConnection
    let serverName: String?

    init(_ connection: any SQLConnection, to server: String) {
        self.connection = connection
        serverName = server
    }

    func query(_ sql: String, _ arguments: [SQLValue]) throws -> [SQLRow] { try connection.query(sql, arguments) }

    func execute(_ sql: String, _ arguments: [SQLValue]) throws -> Int { try connection.execute(sql, arguments) }

    func define(_ sql: String) throws { try connection.define(sql) }
}
