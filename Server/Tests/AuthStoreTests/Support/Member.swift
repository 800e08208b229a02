import Foundation
import Store
import StorePostgreSQL
import TestSupport
import Testing

/// A process in the group of a database, as far as one test process can have several.
struct Member: Sendable {
    let database: PostgreSQLDatabase
    let group: any ProcessGroup
    let events: Events

    /// - Parameters:
    ///   - string: for another way to the server.
    ///   - examine: of a server that the group finds after a loss.
    init(
        of scratch: Scratch, on server: PostgreSQLServer, as membership: Membership = .member,
        options: PostgreSQLOptions = .patient(connections: 2), string: String? = nil,
        examine: @escaping @Sendable (any SQLConnection) throws -> Void = { _ in }
    ) async throws {
        await OpenDatabases.shared.acquire(scratch.folder)
        let schema = PostgreSQLServer.schema(of: scratch)
        try await server.run("CREATE SCHEMA IF NOT EXISTS \(schema)")
        let events = Events()
        database = try await PostgreSQLDatabase.join(
            string ?? server.string(schema: schema), options: options, as: membership, examine: examine
        ) { events.take($0) }
        group = try #require(database.group)
        self.events = events
    }

    func close() async { await database.close() }

    func write(_ name: String) async throws -> StoreError.Code? {
        do {
            try await database.write { try Meta.set(name, to: "value", on: $0) }
            return nil
        } catch let error as StoreError {
            return error.code
        }
    }

    /// - Returns: why a write is refused now.
    func refusedWrite() async -> String {
        let error = await #expect(throws: StoreError.self) {
            try await database.write { try Meta.set("never", to: "value", on: $0) }
        }
        #expect(error?.code == .unavailable)
        return error?.reason ?? ""
    }

    /// Collects what an engine reports.
    final class Events: Sendable {
        private struct Entry {
            let name: String
            let detail: String
        }

        private let all = LockedValue<[Entry]>([])

        var names: [String] { all.withLock { entries in entries.map { $0.name } } }

        /// What the last event with a name says.
        func detail(of name: String) -> String? {
            all.withLock { entries in entries.last { $0.name == name }?.detail }
        }

        func take(_ event: PostgreSQLEvent) {
            let entry =
                switch event {
                case .membershipLost(let error): Entry(name: "lost", detail: error.reason)
                case .membershipRegained(let server, let unasked):
                    Entry(name: "regained", detail: ([server] + unasked).joined(separator: "; "))
                case .otherPrimaries(let hosts, let server):
                    Entry(name: "others", detail: "\(server): \(hosts.joined(separator: ", "))")
                case .databaseTaken(let error): Entry(name: "taken", detail: error.reason)
                }
            all.withLock { $0.append(entry) }
        }

        func wait(for name: String) async throws {
            try await eventually("\(name)") { names.contains(name) }
        }
    }
}

/// Waits for a condition that something outside of this process brings about. Only a test that fails reaches the limit.
func eventually(_ what: String, _ condition: () async throws -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(300)
    while try await !condition() {
        try #require(ContinuousClock.now < end, "\(what)")
        try await Task.sleep(for: .milliseconds(20))
    }
}

extension PostgreSQLServer {
    /// The key of the lock on a scratch place's schema, as SQL.
    static func key(of scratch: Scratch) -> String {
        "hashtextextended('\(schema(of: scratch))', 8602275976068751733)"
    }

    /// The rows of a table or view, as another connection counts them.
    func count(_ rows: String) async throws -> Int {
        let database = try await PostgreSQLDatabase.open(string(), options: .patient(connections: 1))
        let count = try await database.read { try $0.row("SELECT COUNT(*) AS rows FROM \(rows)", [])?.integer("rows") }
        await database.close()
        return Int(count ?? 0)
    }

    /// Ends the connections that hold the lock.
    func cutMembers(of scratch: Scratch) async throws {
        try await run(
            """
            SELECT pg_terminate_backend(l.pid) FROM pg_locks l WHERE l.locktype = 'advisory' AND l.objsubid = 1
                AND ((l.classid::bigint << 32) | l.objid::bigint) = \(Self.key(of: scratch))
            """)
    }
}
