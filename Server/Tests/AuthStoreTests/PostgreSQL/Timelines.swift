import Foundation
import Store
import TestSupport
import Testing

@testable import StorePostgreSQL

/// The timeline of a server, which says which of two was promoted later.
@Suite struct Timelines {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test(
        """
        A timeline that the role may not read, or that the server does not report, is unknown; one that does not \
        arrive in time is requested again
        """)
    func unreadTimeline() async throws {
        let server = try await PostgreSQLServer.start()
        try await server.run(
            "CREATE ROLE limited LOGIN", "REVOKE EXECUTE ON FUNCTION pg_catalog.pg_control_system() FROM PUBLIC")
        let limited = try makeConnection(server.string(user: "limited"))
        let unknown = try Timeline(of: limited, within: .seconds(300))
        #expect(unknown.map { $0.number } == nil)
        try await server.run("GRANT CREATE ON SCHEMA public TO limited")
        for (user, isKnown) in [("limited", false), ("postgres", true)] {
            let member = try await Member(
                of: scratch, on: server,
                string: server.string(user: user, host: "\(server.folder),\(scratch.folder)"))
            #expect(member.database.knowsTimeline == isKnown)
            await member.close()
        }
        let proxy = try CuttingProxy(server.folder + "/.s.PGSQL.5432")
        let stalled = try makeConnection(server.string(host: "127.0.0.1", "port=\(proxy.port) sslmode=disable"))
        proxy.bring(.stall, at: "pg_walfile_name")
        let failure = #expect(throws: ServerFailure.self) { _ = try Timeline(of: stalled, within: .seconds(1)) }
        #expect(failure?.error.code == .unavailable)
        // As a service may answer that keeps its control file to itself.
        try await server.run(
            "ALTER FUNCTION pg_catalog.pg_control_system() RENAME TO pg_control_system_before",
            """
            CREATE FUNCTION pg_catalog.pg_control_system(OUT pg_control_version int, OUT system_identifier bigint)
                LANGUAGE plpgsql AS $$ BEGIN RAISE 'not here' USING ERRCODE = '55000'; END $$
            """)
        let untold = try Timeline(of: makeConnection(server.string()), within: .seconds(300))
        #expect(untold.map { $0.number } == nil)
    }

    @Test("A timeline that the server cannot read while it writes its control file is requested until it can")
    func tornControlFile() async throws {
        let server = try await PostgreSQLServer.start()
        let schema = PostgreSQLServer.schema(of: scratch)
        let member = try await Member(
            of: scratch, on: server,
            string: server.string(schema: schema, host: "\(server.folder),\(scratch.folder)"))
        let connection = try makeConnection(server.string())
        let control = try FileHandle(forUpdating: URL(fileURLWithPath: server.data + "/global/pg_control"))
        try control.seek(toOffset: 100)
        let sound = try #require(try control.read(upToCount: 1))
        func write(_ byte: Data) throws {
            try control.seek(toOffset: 100)
            try control.write(contentsOf: byte)
        }
        try write(Data(sound.map { ~$0 }))
        let failure = #expect(throws: ServerFailure.self) { _ = try Timeline(of: connection, within: .seconds(300)) }
        #expect(failure?.state == "XX000")
        try await server.cutGroups()
        try await member.events.wait(for: "lost")
        try await eventually("an attempt to connect again") {
            await member.refusedWrite().contains("(PostgreSQL XX000)")
        }
        try write(sound)
        try await member.events.wait(for: "regained")
        let number = try Timeline(of: connection, within: .seconds(300))?.number
        #expect(number == 1)
        await member.close()
    }

    @Test("A group that joins again asks its server for the timeline once")
    func askedOnce() async throws {
        let server = try await PostgreSQLServer.start()
        let schema = PostgreSQLServer.schema(of: scratch)
        let member = try await Member(
            of: scratch, on: server,
            string: server.string(schema: schema, host: "\(server.folder),\(scratch.folder)"))
        // A connection that opens while the group has no session asks as well.
        try await eventually("all connections") { member.database.connectionMetrics?.connected == 2 }
        try await server.run("ALTER SYSTEM SET log_statement = 'all'", "SELECT pg_reload_conf()")
        try await server.cutGroups()
        try await member.events.wait(for: "regained")
        let log = try String(contentsOfFile: server.folder + "/log", encoding: .utf8)
        let questions = log.split(separator: "\n").filter { $0.contains("execute") && $0.contains("pg_walfile_name") }
        #expect(questions.count == 1, "\(questions)")
        await member.close()
    }

    private func makeConnection(_ string: String) throws -> ServerConnection {
        try Connecting(to: string, .patient(connections: 1)).open()
    }
}
