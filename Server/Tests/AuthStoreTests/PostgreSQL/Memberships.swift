import Foundation
import Store
import StorePostgreSQL
import TestSupport
import Testing

@Suite struct Memberships {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Opens a database that is refused.
    private func refusal(on server: PostgreSQLServer, as membership: Membership) async throws -> StoreError? {
        let error = await #expect(throws: StoreError.self) {
            _ = try await Member(of: scratch, on: server, as: membership)
        }
        #expect(error?.reason.contains("/\(ProcessInfo.processInfo.processIdentifier) ") == true)
        return error
    }

    @Test("Two processes are members at once and both write; each knows whether it is alone")
    func members() async throws {
        let server = try await PostgreSQLServer.shared()
        let first = try await Member(of: scratch, on: server)
        try await Schema.migrate(first.database, now: .start)
        #expect(try await first.group.isAlone())
        let second = try await Member(of: scratch, on: server)
        #expect(try await first.write("first") == nil)
        #expect(try await second.write("second") == nil)
        #expect(try await !first.group.isAlone())
        #expect(try await !second.group.isAlone())
        await second.close()
        try await eventually("the first to be alone") { try await first.group.isAlone() }
        #expect(await !second.group.leads())
        await #expect(throws: StoreError.self) { try await second.group.isAlone() }
        await first.close()
    }

    @Test(
        "A process that wants the database alone is refused while there are members, and members are refused while there is one"
    )
    func alone() async throws {
        let server = try await PostgreSQLServer.shared()
        let members = [try await Member(of: scratch, on: server), try await Member(of: scratch, on: server)]
        let refused = try await refusal(on: server, as: .alone)
        #expect(refused?.code == .owned)
        #expect(refused?.reason.split(separator: ",").count == 2)
        for member in members { await member.close() }
        let alone = try await Member(of: scratch, on: server, as: .alone)
        #expect(try await alone.group.isAlone())
        #expect(await alone.group.leads())
        #expect(try await refusal(on: server, as: .member)?.code == .owned)
        #expect(try await refusal(on: server, as: .alone)?.code == .owned)
        await alone.close()
        await (try await Member(of: scratch, on: server)).close()
    }

    @Test("Schemas of one database have groups of their own")
    func schemas() async throws {
        let server = try await PostgreSQLServer.shared()
        let alone = try await Member(of: scratch, on: server, as: .alone)
        let other = try await Member(of: try Scratch(), on: server, as: .alone)
        await alone.close()
        await other.close()
    }

    @Test("A membership whose connection ended is regained, and writes go on", arguments: [Membership.member, .alone])
    func regained(membership: Membership) async throws {
        let server = try await PostgreSQLServer.shared()
        let member = try await Member(of: scratch, on: server, as: membership)
        try await Schema.migrate(member.database, now: .start)
        try await server.cutMembers(of: scratch)
        try await member.events.wait(for: "regained")
        #expect(member.events.names == ["lost", "regained"])
        #expect(try await member.write("name") == nil)
        #expect(member.database.connectionMetrics?.lostConnections == 1)
        await member.close()
    }

    @Test(
        "A former connection whose end the server has not noticed is ended, and does not count as another member",
        arguments: [false, true])
    func former(actsAsAnother: Bool) async throws {
        let server = try await PostgreSQLServer.shared()
        let proxy = try CuttingProxy(server.folder + "/.s.PGSQL.5432")
        let schema = PostgreSQLServer.schema(of: scratch)
        if actsAsAnother {
            try await server.run("CREATE SCHEMA \(schema)")
            try await server.createActingRole(schema, in: schema)
        }
        // The time for an attempt to connect says nothing of how soon a silent server is given up.
        let string = server.string(
            schema: schema, user: actsAsAnother ? schema : "postgres", host: "127.0.0.1",
            "port=\(proxy.port) sslmode=disable connect_timeout=300")
        let options = PostgreSQLOptions.patient(connections: 1) { $0.askLimit = .seconds(3) }
        let alone = try await Member(of: scratch, on: server, as: .alone, options: options, string: string)
        #expect(await alone.group.leads())
        // The server waits for the next request, and the client for the answer to this one.
        proxy.bring(.stall, at: "SELECT 1")
        try await alone.events.wait(for: "regained")
        #expect(try await alone.group.isAlone())
        #expect(await alone.group.leads())
        await alone.close()
    }

    @Test("A database that another process took for itself in the meantime is reported, and writes are refused")
    func taken() async throws {
        let server = try await PostgreSQLServer.start()
        let member = try await Member(of: scratch, on: server)
        try await Schema.migrate(member.database, now: .start)
        try await server.stop()
        try await member.events.wait(for: "lost")
        #expect(try await member.write("name") == .unavailable)
        #expect(await !member.group.leads())
        await #expect(throws: StoreError.self) { try await member.group.isAlone() }
        // The two now race for the lock; whichever loses has no writes.
        try await server.startAgain()
        let alone = try? await Member(of: scratch, on: server, as: .alone)
        try await member.events.wait(for: alone == nil ? "regained" : "taken")
        if let alone {
            #expect(try await member.write("name") == .unavailable)
            await alone.close()
        }
        await member.close()
    }

    @Test("One leads; when it leaves, and when its connection ends, another does")
    func leader() async throws {
        let server = try await PostgreSQLServer.shared()
        let first = try await Member(of: scratch, on: server)
        let second = try await Member(of: scratch, on: server)
        #expect(await first.group.leads())
        #expect(await first.group.leads())
        #expect(await !second.group.leads())
        await first.close()
        #expect(await !first.group.leads())
        try await eventually("the second to lead") { await second.group.leads() }
        // Its connection ends. The third asks first.
        let third = try await Member(of: scratch, on: server)
        #expect(await !third.group.leads())
        try await server.run(
            """
            SELECT pg_terminate_backend(l.pid) FROM pg_locks l WHERE l.locktype = 'advisory' AND l.objsubid = 1
                AND ((l.classid::bigint << 32) | l.objid::bigint)
                    = hashtextextended('\(PostgreSQLServer.schema(of: scratch))', 8602275976068754533)
            """)
        try await eventually("the third to lead") { await third.group.leads() }
        try await second.events.wait(for: "regained")
        #expect(await !second.group.leads())
        #expect(third.events.names.isEmpty)
        await second.close()
        await third.close()
    }

    @Test("The state of a server: its clock, a local connection and the schema")
    func state() async throws {
        let server = try await PostgreSQLServer.shared()
        let member = try await Member(of: scratch, on: server)
        let began = ContinuousClock.now
        let empty = try await member.database.state()
        // The difference is known to within the time that the answer took.
        let accuracy = Duration.seconds(1) + (ContinuousClock.now - began)
        #expect(empty.schemaVersion == 0)
        #expect(empty.transport == .local)
        #expect(empty.clockDifference > Duration.zero - accuracy && empty.clockDifference < accuracy)
        #expect(empty.version >= 140_000)
        try await Schema.migrate(member.database, now: .start)
        #expect(try await member.database.state().schemaVersion == Schema.newest)
        await member.close()
    }
}
