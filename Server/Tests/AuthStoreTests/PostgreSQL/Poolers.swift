import Foundation
import Store
import StorePostgreSQL
import TestSupport
import Testing

@Suite(.enabled(if: Pooler.isInstalled, "takes PgBouncer"))
struct Poolers {
    /// PgBouncer refuses a search path at the start of a connection, so each test has a database of its own.
    private func database(on server: PostgreSQLServer) async throws -> String {
        let name = "d" + UUID().uuidString.suffix(12).lowercased()
        try await server.run("CREATE DATABASE \(name)")
        return name
    }

    private func string(_ pooler: Pooler, _ database: String) -> String {
        "host=\(pooler.folder) user=postgres dbname=\(database)"
    }

    @Test("A pooler is refused in one line, unless the operator says that it pools sessions")
    func refused() async throws {
        let server = try await PostgreSQLServer.shared()
        let pooler = try await Pooler(server, mode: "session")
        let string = string(pooler, try await database(on: server))
        let error = await #expect(throws: StoreError.self) { _ = try await PostgreSQLDatabase.open(string) }
        #expect(error?.code == .unsuitable)
        #expect(error?.reason.contains("connect directly, or set postgresql.pooler to session") == true)
        #expect(error?.reason.contains(where: \.isNewline) == false)
    }

    @Test("A pooler that shares sessions is refused although the operator says that it does not")
    func transactions() async throws {
        let server = try await PostgreSQLServer.shared()
        let pooler = try await Pooler(server, mode: "transaction")
        let string = string(pooler, try await database(on: server))
        let error = await #expect(throws: StoreError.self) {
            _ = try await PostgreSQLDatabase.join(
                string, options: PostgreSQLOptions(connections: 1, allowsSessionPooler: true), as: .member
            ) { _ in }
        }
        #expect(error?.code == .unsuitable)
        #expect(error?.reason.contains("pool_mode") == true)
    }

    @Test(
        "A pooler that shares sessions is recognized by every opening, also where others have left statements",
        arguments: ["transaction", "statement"])
    func sharing(mode: String) async throws {
        let server = try await PostgreSQLServer.shared()
        let pooler = try await Pooler(server, mode: mode)
        let string = string(pooler, try await database(on: server))
        let options = PostgreSQLOptions(connections: 1, allowsSessionPooler: true)
        for _ in 0..<2 {
            let opened = await #expect(throws: StoreError.self) {
                _ = try await PostgreSQLDatabase.open(string, options: options)
            }
            let joined = await #expect(throws: StoreError.self) {
                _ = try await PostgreSQLDatabase.join(string, options: options, as: .member) { _ in }
            }
            for error in [opened, joined] {
                #expect(error?.code == .unsuitable)
                #expect(error?.reason.contains("set its pool_mode to session") == true, "\(error?.reason ?? "")")
            }
        }
    }

    @Test("A pooler without a free connection is named as the reason")
    func exhausted() async throws {
        let server = try await PostgreSQLServer.shared()
        let pooler = try await Pooler(server, mode: "session", size: 2)
        let string = string(pooler, try await database(on: server))
        let options = PostgreSQLOptions(
            connections: 1, statementTimeout: .milliseconds(500), allowsSessionPooler: true)
        let patient = PostgreSQLOptions.patient(connections: 1) { $0.allowsSessionPooler = true }
        let first = try await PostgreSQLDatabase.join(string, options: patient, as: .member) { _ in }
        let error = await #expect(throws: StoreError.self) {
            _ = try await PostgreSQLDatabase.open(string, options: options)
        }
        #expect(error?.code == .noConnections)
        #expect(error?.reason.contains("pooler may have no free connection") == true, "\(error?.reason ?? "")")
        await first.close()
    }

    @Test("Behind a pooler of sessions: memberships, notices, leadership, writes at once, and a lost connection")
    func sessions() async throws {
        let server = try await PostgreSQLServer.shared()
        let pooler = try await Pooler(server, mode: "session")
        let name = try await database(on: server)
        let options = PostgreSQLOptions.patient(connections: 3) { $0.allowsSessionPooler = true }
        let events = Member.Events()
        let first = try await PostgreSQLDatabase.join(string(pooler, name), options: options, as: .member) {
            events.take($0)
        }
        let second = try await PostgreSQLDatabase.join(string(pooler, name), options: options, as: .member) { _ in }
        let groups = (try #require(first.group), try #require(second.group))
        var notices = groups.1.notices().makeAsyncIterator()
        groups.0.announce(.keys)
        #expect(await notices.next() == .keys)
        #expect(await groups.0.leads())
        #expect(await !groups.1.leads())
        #expect(try await !groups.0.isAlone())
        try await Schema.migrate(first, now: .start)
        _ = try await concurrently(60) { index in
            try await (index.isMultiple(of: 2) ? first : second).write { connection in
                let number = try Meta.value("number", on: connection).flatMap { Int($0) } ?? 0
                try Meta.set("number", to: "\(number + 1)", on: connection)
            }
        }
        #expect(try await second.read { try Meta.value("number", on: $0) } == "60")
        let alone = await #expect(throws: StoreError.self) {
            _ = try await PostgreSQLDatabase.join(string(pooler, name), options: options, as: .alone) { _ in }
        }
        #expect(alone?.code == .owned)
        // The leader's backend ends.
        try await server.run(
            """
            SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1
                AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                AND ((classid::bigint << 32) | objid::bigint) = hashtextextended('public', 8602275976068754533)
            """, database: name)
        try await events.wait(for: "regained")
        try await eventually("one to lead") { await groups.1.leads() }
        // Its connections are proved to be at the same server, through the pooler.
        _ = try await concurrently(12) { index in
            try await first.write { try Meta.set("after \(index)", to: "value", on: $0) }
        }
        await first.close()
        try await eventually("the second to be alone") { try await groups.1.isAlone() }
        await second.close()
    }
}
