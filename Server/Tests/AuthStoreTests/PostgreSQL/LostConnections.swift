import Foundation
import Store
import TestSupport
import Testing

@testable import StorePostgreSQL

@Suite struct LostConnections {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Gives a silent server up. What is answered has to be answered sooner, also on a busy machine.
    private static let impatient = PostgreSQLOptions.patient(connections: 1) { $0.statementTimeout = .seconds(3) }

    /// A migrated database: behind a proxy, and without it.
    private struct Proxied {
        let database: PostgreSQLDatabase
        let direct: PostgreSQLDatabase
        let proxy: CuttingProxy

        init(_ scratch: Scratch, _ options: PostgreSQLOptions = .tests) async throws {
            let server = try await PostgreSQLServer.shared()
            direct = try await server.open(scratch)
            try await Schema.migrate(direct, now: .start)
            proxy = try CuttingProxy(server.folder + "/.s.PGSQL.5432")
            let string = server.string(
                schema: PostgreSQLServer.schema(of: scratch), host: "127.0.0.1", "port=\(proxy.port) sslmode=disable")
            database = try await PostgreSQLDatabase.open(string, options: options)
        }

        func kept(_ name: String) async throws -> Bool {
            try await direct.read { try Meta.value(name, on: $0) } != nil
        }
    }

    private func write(_ name: String, to database: PostgreSQLDatabase) async throws -> StoreError.Code? {
        do {
            try await database.write { try Meta.set(name, to: "value", on: $0) }
            return nil
        } catch let error as StoreError {
            return error.code
        }
    }

    @Test(
        "A connection lost before the commit: the body runs again on another and is committed once",
        arguments: [CuttingProxy.Fault.cutBefore, .cutAfter])
    func beforeCommit(fault: CuttingProxy.Fault) async throws {
        let proxied = try await Proxied(scratch)
        let runs = LockedValue(0)
        proxied.proxy.bring(fault, at: "INSERT INTO meta")
        try await proxied.database.write { connection in
            runs.withLock { $0 += 1 }
            try connection.execute("INSERT INTO meta (name, value) VALUES ('name', 'value')", [])
        }
        #expect(runs.withLock { $0 } == 2)
        #expect(try await proxied.kept("name"))
    }

    @Test("A commit that did not reach the server is unknown, and a repetition writes it")
    func lostCommit() async throws {
        let proxied = try await Proxied(scratch)
        proxied.proxy.bring(.cutBefore, at: "COMMIT")
        #expect(try await write("name", to: proxied.database) == .outcomeUnknown)
        #expect(try await !proxied.kept("name"))
        #expect(try await write("name", to: proxied.database) == nil)
        #expect(try await proxied.kept("name"))
        let metrics = proxied.database.connectionMetrics
        #expect(metrics?.unknownOutcomes == 1 && metrics?.lostConnections == 1 && metrics?.repeatedWrites == 0)
    }

    @Test("A commit whose response is lost has an unknown outcome, and is there")
    func lostAnswer() async throws {
        let proxied = try await Proxied(scratch)
        proxied.proxy.bring(.cutAfter, at: "COMMIT")
        #expect(try await write("name", to: proxied.database) == .outcomeUnknown)
        #expect(try await proxied.kept("name"))
    }

    @Test("A server that falls silent is given up after the time limit, in a commit as unknown")
    func silence() async throws {
        let proxied = try await Proxied(
            scratch, Self.impatient)
        proxied.proxy.bring(.stall, at: "INSERT INTO meta")
        #expect(try await write("first", to: proxied.database) == nil)
        proxied.proxy.bring(.stall, at: "COMMIT")
        #expect(try await write("second", to: proxied.database) == .outcomeUnknown)
        #expect(try await write("third", to: proxied.database) == nil)
        #expect(try await proxied.kept("first"))
        #expect(try await !proxied.kept("second"))
        #expect(try await proxied.kept("third"))
    }

    @Test("attack: a server that sends without end and answers nothing is given up soon after the time limit")
    func flood() async throws {
        let proxied = try await Proxied(
            scratch, Self.impatient)
        proxied.proxy.bring(.flood, at: "INSERT INTO meta")
        #expect(try await write("first", to: proxied.database) == nil)
        proxied.proxy.bring(.flood, at: "COMMIT")
        #expect(try await write("second", to: proxied.database) == .outcomeUnknown)
        #expect(try await proxied.kept("first"))
        #expect(try await !proxied.kept("second"))
    }

    @Test(
        "A server that answers nothing in time counts as silent, also if it sends something else without end",
        arguments: [CuttingProxy.Fault.stall, .flood])
    func countsAsSilent(fault: CuttingProxy.Fault) async throws {
        let server = try await PostgreSQLServer.shared()
        let proxy = try CuttingProxy(server.folder + "/.s.PGSQL.5432")
        let options = PostgreSQLOptions.patient(connections: 1)
        let string = try ConnectionString(
            server.string(host: "127.0.0.1", "port=\(proxy.port) sslmode=disable"),
            connectTimeout: options.connectTimeout)
        let connection = try Connecting(string: string, options: options).open()
        proxy.bring(fault, at: "SELECT 1")
        let failure = #expect(throws: ServerFailure.self) {
            _ = try connection.exchange([.run("SELECT 1")], within: .milliseconds(400))
        }
        #expect(failure?.error.reason == ServerConnection.silence)
        #expect(connection.isSilent)
    }

    @Test(
        "If the response to a guarded statement does not arrive, the outcome is unknown, and the body does not run again",
        arguments: [CuttingProxy.Fault.cutBefore, .cutAfter, .stall])
    func guardedStatement(fault: CuttingProxy.Fault) async throws {
        let proxied = try await Proxied(
            scratch, Self.impatient)
        let runs = LockedValue(0)
        proxied.proxy.bring(fault, at: "INSERT INTO meta")
        let error = await #expect(throws: StoreError.self) {
            try await proxied.database.write(isolation: .guardedStatement) { connection in
                runs.withLock { $0 += 1 }
                if try Meta.value("name", on: connection) == nil { try Meta.set("name", to: "value", on: connection) }
            }
        }
        #expect(error?.code == .outcomeUnknown)
        #expect(runs.withLock { $0 } == 1)
        // What reached the server is there.
        #expect(try await proxied.kept("name") == (fault == .cutAfter))
        let metrics = proxied.database.connectionMetrics
        #expect(metrics?.unknownOutcomes == 1 && metrics?.repeatedWrites == 0)
    }

    @Test("A guarded body whose connection is lost at a read, before its change, runs again on another")
    func guardedRead() async throws {
        let proxied = try await Proxied(scratch)
        for fault in [CuttingProxy.Fault.cutBefore, .cutAfter] {
            let (name, runs) = ("\(fault)", LockedValue(0))
            // Each connection prepares this statement once.
            let reading = "SELECT value FROM meta WHERE name = $1 AND '\(name)' <> ''"
            proxied.proxy.bring(fault, at: reading)
            try await proxied.database.write(isolation: .guardedStatement) { connection in
                runs.withLock { $0 += 1 }
                guard try connection.row(reading, [.text(name)]) == nil else { return }
                try Meta.set(name, to: "value", on: connection)
            }
            #expect(runs.withLock { $0 } == 2)
            #expect(try await proxied.kept(name))
        }
        #expect(proxied.database.connectionMetrics?.unknownOutcomes == 0)
    }

    @Test("A read whose connection is lost runs again on another")
    func reading() async throws {
        let proxied = try await Proxied(scratch)
        #expect(try await write("name", to: proxied.database) == nil)
        for fault in [CuttingProxy.Fault.cutBefore, .cutAfter] {
            proxied.proxy.bring(fault, at: "SELECT value")
            let text = "SELECT value FROM meta WHERE name = 'name' AND '\(fault)' <> ''"
            #expect(try await proxied.database.read { try $0.row(text, [])?.text("value") } == "value")
        }
    }

    @Test("A backend that is ended between two statements: the body runs again elsewhere")
    func endedBackend() async throws {
        let database = try await PostgreSQLServer.shared().open(scratch)
        try await Schema.migrate(database, now: .start)
        let runs = LockedValue(0)
        try await database.write { connection in
            let run = runs.withLock { runs -> Int in
                runs += 1
                return runs
            }
            try Meta.set("name", to: "run \(run)", on: connection)
            if run == 1 { _ = try connection.query("SELECT pg_terminate_backend(pg_backend_pid())", []) }
        }
        #expect(runs.withLock { $0 } == 2)
        #expect(try await database.read { try Meta.value("name", on: $0) } == "run 2")
    }

    @Test("A body that ends every backend it gets is given up")
    func hopeless() async throws {
        let database = try await PostgreSQLServer.shared().open(scratch)
        let runs = LockedValue(0)
        let error = await #expect(throws: StoreError.self) {
            try await database.write { connection -> Void in
                runs.withLock { $0 += 1 }
                _ = try? connection.query("SELECT pg_terminate_backend(pg_backend_pid())", [])
            }
        }
        #expect(error?.code == .unavailable)
        #expect(runs.withLock { $0 } == 3)
    }

    @Test("Backends ended at random lose nothing acknowledged, and nothing is written twice")
    func endedAtRandom() async throws {
        let server = try await PostgreSQLServer.shared()
        let direct = try await server.open(scratch)
        try await Schema.migrate(direct, now: .start)
        try await direct.write { connection in
            try connection.define("CREATE TABLE counts (id BIGINT NOT NULL PRIMARY KEY, number BIGINT NOT NULL)")
        }
        let name = PostgreSQLServer.schema(of: scratch)
        let database = try await PostgreSQLDatabase.open(
            server.string(schema: name, "application_name=\(name)"), options: .tests)
        let outcomes = try await withThrowingTaskGroup(of: (Int64, StoreError.Code?).self) { group in
            for number in Int64(0)..<400 {
                group.addTask {
                    do {
                        _ = try await database.write { connection in
                            try connection.execute(
                                """
                                INSERT INTO counts (id, number) VALUES ($1, 1)
                                ON CONFLICT (id) DO UPDATE SET number = counts.number + 1
                                """, [.integer(number)])
                        }
                        return (number, nil)
                    } catch let error as StoreError {
                        return (number, error.code)
                    }
                }
            }
            for _ in 0..<20 {
                _ = try await direct.read {
                    try $0.query(
                        """
                        SELECT pg_terminate_backend(pid) FROM pg_catalog.pg_stat_activity
                        WHERE application_name = $1 ORDER BY random() LIMIT 2
                        """, [.text(name)]
                    ).count
                }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        let rows = try await direct.read {
            try $0.query("SELECT id, number FROM counts", []).map { (try $0.integer("id"), try $0.integer("number")) }
        }
        #expect(rows.allSatisfy { $0.1 == 1 })
        let written = Set(rows.map(\.0))
        for number in Int64(0)..<400 {
            switch outcomes[number] ?? nil {
            case nil: #expect(written.contains(number))
            case .outcomeUnknown: break
            default: #expect(!written.contains(number))
            }
        }
    }
}
