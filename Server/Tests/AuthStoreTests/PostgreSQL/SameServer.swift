import Foundation
import Store
import TestSupport
import Testing

@testable import StorePostgreSQL

/// The connections that serve calls are at the server of the group's session.
@Suite(.covers("all connections of a process go to one server")) struct SameServer {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private static let written = Set((0..<30).map { "\($0)" })

    /// - Returns: how each write ended.
    private func write(through member: Member) async throws -> Set<StoreError.Code?> {
        Set(try await concurrently(Self.written.count) { try await member.write("\($0)") })
    }

    /// Waits until every connection has been opened.
    private func connected(_ member: Member) async throws {
        try await eventually("all connections") { member.database.connectionMetrics?.connected == 2 }
    }

    @Test(
        """
        attack: the old primary runs again and is named first: no write and no read of the pool reaches it while the group \
        is on the new one
        """)
    func oldPrimaryFirst() async throws {
        let primaries = try await Primaries(for: scratch)
        try await primaries.old.stop()
        let member = try await Member(
            of: scratch, on: primaries.new,
            options: .patient(connections: 2), string: primaries.string)
        try await connected(member)
        try await primaries.old.startAgain()
        let refusal = await #expect(throws: StoreError.self) {
            _ = try await PostgreSQLDatabase.open(primaries.string, options: .patient(connections: 1))
        }
        #expect(refusal?.code == .otherPrimary)

        // For a while only the old primary lets the pool in.
        try await primaries.close(primaries.new)
        try await primaries.new.cutPools()
        async let codes = write(through: member)
        try await eventually("a connection to the old primary to be dropped") {
            let reason = member.database.connectionMetrics?.failure?.reason ?? ""
            return reason.contains("\(primaries.old.folder) is not the server that holds")
        }
        try await primaries.open(primaries.new)
        #expect(try await codes == [nil])
        let folders = try await concurrently(30) { _ in
            try await member.database.read {
                try $0.row("SELECT current_setting('unix_socket_directories') AS folder", [])?.text("folder")
            }
        }
        #expect(Set(folders) == [primaries.new.folder])
        #expect(try await primaries.names(on: primaries.old) == [])
        #expect(try await primaries.names(on: primaries.new) == Self.written)
        #expect(try await member.database.read { $0.serverName }?.hasPrefix(primaries.new.folder) == true)
        #expect(member.events.names.isEmpty)
        await member.close()
    }

    @Test("attack: the group moves to the new primary, and connections to the old one live on: none is used again")
    func groupMoves() async throws {
        let primaries = try await Primaries(for: scratch)
        try await primaries.close(primaries.new)
        let member = try await Member(of: scratch, on: primaries.old, string: primaries.string)
        try await connected(member)
        #expect(try await member.write("before") == nil)
        try await primaries.open(primaries.new)
        try await primaries.close(primaries.old)
        try await primaries.old.cutGroups()
        try await member.events.wait(for: "regained")
        let detail = member.events.detail(of: "regained") ?? ""
        #expect(detail.contains("; it is not known whether \(primaries.old.folder) accepts writes: "), "\(detail)")
        #expect(try await write(through: member) == [nil])
        try await primaries.open(primaries.old)
        #expect(try await primaries.names(on: primaries.old) == ["before"])
        #expect(try await primaries.names(on: primaries.new) == Self.written)
        await member.close()
    }

    @Test(
        """
        attack: while two hosts accept writes, no process opens the database or joins, and the refusal says which one to stop; \
        with the old primary gone, it does
        """)
    func twoPrimaries() async throws {
        let primaries = try await Primaries(for: scratch)
        let openings: [@Sendable () async throws -> PostgreSQLDatabase] = [
            { try await PostgreSQLDatabase.open(primaries.string) },
            { try await PostgreSQLDatabase.join(primaries.string, as: .member) { _ in } },
        ]
        for open in openings {
            let refusal = await #expect(throws: StoreError.self) { try await open() }
            #expect(refusal?.code == .otherPrimary)
            let (old, new) = (primaries.old.folder, primaries.new.folder)
            #expect(
                refusal?.reason
                    == "two servers accept writes, \(old) (timeline 1) and \(new) (timeline 2): \(new) was promoted later, "
                    + "so stop \(old)")
        }
        try await primaries.close(primaries.old)
        for open in openings {
            let database = try await open()
            await database.close()
        }
    }

    @Test("Two names of one server are not a second primary")
    func twoNames() async throws {
        let server = try await PostgreSQLServer.shared()
        let string = server.string(
            schema: PostgreSQLServer.schema(of: scratch), host: "\(server.folder),\(server.folder)/.")
        let member = try await Member(of: scratch, on: server, string: string)
        try await Schema.migrate(member.database, now: .start)
        #expect(try await member.write("name") == nil)
        await member.close()
    }

    @Test("What was read names the server that it was read from, even after a connection to another one was opened")
    func namedServer() async throws {
        let primaries = try await Primaries(for: scratch)
        let connecting = try Connecting(to: primaries.string, .patient(connections: 1))
        try await primaries.close(primaries.old)
        let first = try connecting.open()
        try await primaries.open(primaries.old)
        try await primaries.close(primaries.new)
        let later = try connecting.open()
        #expect(later.target.name.hasPrefix(primaries.old.folder))
        try await primaries.open(primaries.new)
        let engine = Engine(connecting)
        engine.start(with: first)
        let found = try await engine.run(.reading) { connection in
            _ = try DatabaseMarks.read(on: connection)
            return connection.serverName
        }
        #expect(found?.hasPrefix(primaries.new.folder) == true)
        let written = try await engine.run(.writing(.guardedStatement)) { connection in
            try Meta.set("name", to: "value", on: connection)
            return connection.serverName
        }
        #expect(written == found)
        #expect(try await primaries.names(on: primaries.new) == ["name"])
        engine.close()
        await engine.closed()
        withExtendedLifetime(later) {}
    }

    @Test("A connection that was opened before the group joined on another server is not used")
    func openedBefore() async throws {
        let primaries = try await Primaries(for: scratch)
        let connecting = try Connecting(to: primaries.string, .patient(connections: 1))
        let first = try connecting.open()
        try await primaries.close(primaries.old)
        let group = try GroupConnection(connecting, as: .member, examine: { _ in }, report: { _ in })
        let engine = Engine(connecting)
        engine.start(with: first)
        try await engine.run(.writing(.serializable)) { try Meta.set("name", to: "value", on: $0) }
        engine.close()
        await engine.closed()
        await group.close()
        try await primaries.open(primaries.old)
        #expect(try await primaries.names(on: primaries.old) == [])
        #expect(try await primaries.names(on: primaries.new) == ["name"])
    }

    @Test(
        """
        attack: the group moves to the new primary, and loses it before a connection to the old one gets a call: nothing is read \
        from the old one, and the read waits for the new one
        """, .threat("Restored databases"))
    func groupMovesAndIsLost() async throws {
        let primaries = try await Primaries(for: scratch)
        try await primaries.close(primaries.new)
        let connecting = try Connecting(to: primaries.string, .patient(connections: 1))
        let (first, other) = (try connecting.open(), try connecting.open())
        let former = try GroupSession(connecting, as: .member, name: "former", isAgain: false)
        connecting.presence.begin(former.presenceKey)
        let engine = Engine(connecting)
        engine.start(with: first)
        let folder: @Sendable (any SQLConnection) throws -> String? = {
            try $0.row("SELECT current_setting('unix_socket_directories') AS folder", [])?.text("folder")
        }
        #expect(try await engine.run(.reading, folder) == primaries.old.folder)

        try await primaries.open(primaries.new)
        let next = try GroupSession(connecting, as: .member, name: "next", isAgain: true)
        connecting.presence.begin(next.presenceKey)
        connecting.presence.end(because: StoreError(.unavailable, "it is away"))
        async let found = engine.run(.reading, folder)
        // As after a question whose answer came when the session had ended.
        #expect(try connecting.isAtGroupsServer(other))
        #expect(!connecting.presence.admits(other))
        connecting.presence.begin(next.presenceKey)
        #expect(try await found == primaries.new.folder)
        #expect(try !connecting.isAtGroupsServer(other))
        engine.close()
        await engine.closed()
        withExtendedLifetime((former, next)) {}
    }

    @Test("The group's session is ended and replaced: reads never fail, writes only meanwhile, at the same server")
    func sameServerAgain() async throws {
        let server = try await PostgreSQLServer.shared()
        let member = try await Member(of: scratch, on: server)
        try await Schema.migrate(member.database, now: .start)
        for round in 1...5 {
            async let codes = write(through: member)
            async let rows = concurrently(30) { _ in
                try await member.database.read { try $0.row("SELECT 1 AS one", [])?.integer("one") }
            }
            try await server.cutMembers(of: scratch)
            try await eventually("the session to be replaced") {
                member.events.names.filter { $0 == "regained" }.count == round
            }
            let others = try await codes.filter { $0 != nil && $0 != .unavailable }
            #expect(others.isEmpty, "round \(round)")
            #expect(try await Set(rows) == [1])
            #expect(try await write(through: member) == [nil])
        }
        try await connected(member)
        await member.close()
    }

    @Test(
        """
        attack: a call waits while the group's session is away, and the server that answers then lacks what was seen: nothing is read \
        from it or written to it, until another one has everything
        """, .threat("Restored databases"))
    func examinedFirst() async throws {
        let server = try await PostgreSQLServer.shared()
        let isOlder = LockedValue(false)
        let member = try await Member(
            of: scratch, on: server, options: .patient(connections: 2) { $0.waitingTime = .seconds(5) },
            examine: { connection in
                // As a mark is written for the other processes.
                try Meta.set("examined", to: "value", on: connection)
                if isOlder.withLock({ $0 }) { throw StoreError(.unavailable, "it is older") }
            })
        try await Schema.migrate(member.database, now: .start)
        try await connected(member)
        isOlder.withLock { $0 = true }
        try await server.cutMembers(of: scratch)
        try await member.events.wait(for: "lost")
        let read = await #expect(throws: StoreError.self) {
            try await member.database.read { try Meta.value("name", on: $0) }
        }
        #expect(read?.code == .unavailable)
        #expect(read?.reason.contains("it is older") == true, "\(read?.reason ?? "")")
        #expect(await member.refusedWrite().contains("it is older"))
        #expect(member.events.names == ["lost"])
        async let waiting = member.database.read { try Meta.value("examined", on: $0) }
        isOlder.withLock { $0 = false }
        #expect(try await waiting == "value")
        try await member.events.wait(for: "regained")
        #expect(member.events.names == ["lost", "regained"])
        #expect(try await member.write("name") == nil)
        await member.close()
    }

    @Test("The first connection is closed once its thread gives it up, and a later one before the engine is closed")
    func closedConnections() async throws {
        let server = try await PostgreSQLServer.shared()
        let connecting = try Connecting(to: server.string(), .patient(connections: 1))
        let engine = Engine(connecting)
        weak var first: ServerConnection?
        func isOpen() -> Bool { first != nil }
        func start() throws -> Int64 {
            let connection = try connecting.open()
            first = connection
            engine.start(with: connection)
            return connection.session.backend
        }
        let backend = try start()
        #expect(isOpen())
        try await server.run("SELECT pg_terminate_backend(\(backend), 300000)")
        #expect(try await engine.readOne() == 1)
        #expect(!isOpen())
        engine.close()
        await engine.closed()

        let other = Engine(connecting)
        func startOther() throws {
            let connection = try connecting.open()
            first = connection
            other.start(with: connection)
        }
        try startOther()
        #expect(try await other.readOne() == 1)
        other.close()
        await other.closed()
        #expect(!isOpen())
    }
}
