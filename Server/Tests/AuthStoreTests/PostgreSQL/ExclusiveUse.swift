import AuthStore
import AuthStorePostgreSQL
import Foundation
import PostgreSQLServers
import Testing

@Suite struct ExclusiveUse {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Collects what an engine reports.
    private final class Events: Sendable {
        private let all = LockedValue<[String]>([])

        var names: [String] { all.withLock { $0 } }

        func take(_ event: PostgreSQLEvent) {
            let name =
                switch event {
                case .lockLost: "lost"
                case .lockRegained: "regained"
                case .lockTaken: "taken"
                }
            all.withLock { $0.append(name) }
        }

        func wait(for name: String) async throws {
            let end = ContinuousClock.now + .seconds(30)
            while !names.contains(name) {
                try #require(ContinuousClock.now < end, "\(name) of \(names)")
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    private func open(
        _ server: PostgreSQLServer, _ events: Events = Events()
    ) async throws -> PostgreSQLDatabase {
        let schema = PostgreSQLServer.schema(of: scratch)
        try await server.run("CREATE SCHEMA IF NOT EXISTS \(schema)")
        return try await PostgreSQLDatabase.openExclusively(
            server.string(schema: schema), options: PostgreSQLOptions(connections: 2)
        ) { events.take($0) }
    }

    /// Ends the connection with the lock.
    private func cut(_ server: PostgreSQLServer) async throws {
        try await server.run(
            """
            SELECT pg_terminate_backend(l.pid) FROM pg_locks l WHERE l.locktype = 'advisory' AND l.objsubid = 1
                AND ((l.classid::bigint << 32) | l.objid::bigint)
                    = hashtextextended('\(PostgreSQLServer.schema(of: scratch))', 8602275976068751733)
            """)
    }

    @Test("One process at a time: another is refused, and opens it once the first has closed")
    func second() async throws {
        let server = try await PostgreSQLServer.shared()
        let first = try await open(server)
        let error = await #expect(throws: StoreError.self) { _ = try await open(server) }
        #expect(error?.code == .owned)
        #expect(error?.reason.contains("/\(ProcessInfo.processInfo.processIdentifier) ") == true)
        await first.close()
        await (try await open(server)).close()
    }

    @Test("A lock whose connection ended is taken again, and writes go on")
    func regained() async throws {
        let server = try await PostgreSQLServer.shared()
        let events = Events()
        let database = try await open(server, events)
        try await Schema.migrate(database, now: .start)
        try await cut(server)
        try await events.wait(for: "regained")
        #expect(events.names == ["lost", "regained"])
        try await database.write { try Meta.set("name", to: "value", on: $0) }
        await database.close()
    }

    @Test("A lock that another process took meanwhile is reported, and writes are refused")
    func taken() async throws {
        let server = try await PostgreSQLServer.start()
        let events = Events()
        let database = try await open(server, events)
        try await Schema.migrate(database, now: .start)
        try await server.stop()
        try await events.wait(for: "lost")
        let error = await #expect(throws: StoreError.self) {
            try await database.write { try Meta.set("name", to: "value", on: $0) }
        }
        #expect(error?.code == .unavailable)
        // The two now race for the lock; whichever loses has no writes.
        try await server.startAgain()
        let other = try? await open(server)
        try await events.wait(for: other == nil ? "regained" : "taken")
        if let other {
            let refused = await #expect(throws: StoreError.self) {
                try await database.write { try Meta.set("name", to: "value", on: $0) }
            }
            #expect(refused?.code == .unavailable)
            await other.close()
        }
        await database.close()
    }

    @Test("The state of a server: its clock, a local connection and the schema")
    func state() async throws {
        let server = try await PostgreSQLServer.shared()
        let database = try await open(server)
        let empty = try await database.state()
        #expect(empty.schemaVersion == 0)
        #expect(empty.transport == .local)
        #expect(empty.clockDifference > .seconds(-1) && empty.clockDifference < .seconds(1))
        #expect(empty.version >= 140_000)
        try await Schema.migrate(database, now: .start)
        #expect(try await database.state().schemaVersion == Schema.newest)
        await database.close()
    }
}
