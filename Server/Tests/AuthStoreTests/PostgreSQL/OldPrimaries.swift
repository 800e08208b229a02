import Foundation
import Store
import TestSupport
import Testing

@testable import StorePostgreSQL

/// Two servers of the connection string accept writes while processes run: which one they use.
@Suite struct OldPrimaries {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private static let written = Set((0..<10).map { "\($0)" })

    /// - Parameters:
    ///   - interval: the time between two looks at the other host. Without it there is none.
    ///   - waitingTime: after which calls that no server may serve are refused.
    private func member(
        of primaries: Primaries, on server: PostgreSQLServer, interval: Duration = .seconds(86_400),
        waitingTime: Duration = .seconds(600)
    ) async throws -> Member {
        try await Member(
            of: scratch, on: server,
            options: .patient(connections: 2) { options in
                options.takeoverInterval = interval
                options.waitingTime = waitingTime
            }, string: primaries.string)
    }

    private func expectWrites(
        through member: Member, on server: PostgreSQLServer, not other: PostgreSQLServer, _ primaries: Primaries,
        before: Set<String> = []
    ) async throws {
        let codes = try await concurrently(Self.written.count) { try await member.write("\($0)") }
        #expect(Set(codes) == [nil])
        #expect(try await primaries.names(on: server) == Self.written)
        #expect(try await primaries.names(on: other) == before)
    }

    @Test(
        """
        attack: the old primary runs again and is named first, and the group's session is cut: the group returns to the new \
        primary, and nothing is written to the old one
        """)
    func cutAtTheNew() async throws {
        let primaries = try await Primaries(for: scratch)
        try await primaries.close(primaries.old)
        // It also looks at the old primary all the time, which is no reason to leave the new one.
        let member = try await member(of: primaries, on: primaries.new, interval: .milliseconds(10))
        try await primaries.open(primaries.old)
        try await primaries.new.cutGroups()
        try await member.events.wait(for: "regained")
        try await expectWrites(through: member, on: primaries.new, not: primaries.old, primaries)
        // An operator hears of it once.
        try await member.events.wait(for: "others")
        #expect(member.events.names.filter { $0 != "others" } == ["lost", "regained"])
        #expect(member.events.names.filter { $0 == "others" }.count == 1)
        #expect(member.events.detail(of: "others") == "\(primaries.new.folder): \(primaries.old.folder)")
        await member.close()
    }

    @Test(
        """
        attack: the new primary is away for a moment while the old one runs again, and the group's session is cut: the group waits \
        for the new primary, and nothing is written to the old one or read from it
        """, .threat("Restored databases"))
    func newIsAway() async throws {
        let primaries = try await Primaries(for: scratch)
        try await primaries.close(primaries.old)
        let member = try await member(of: primaries, on: primaries.new, waitingTime: .seconds(10))
        try await primaries.open(primaries.old)
        try await primaries.close(primaries.new)
        try await primaries.new.cutGroups()
        try await member.events.wait(for: "lost")
        // Reads need new connections, and get none at the old primary.
        try await primaries.new.cutPools()
        let unread = await #expect(throws: StoreError.self) {
            try await member.database.read { try $0.query("SELECT name FROM meta", []) }
        }
        #expect(unread?.reason.contains("is an old primary") == true, "\(unread?.reason ?? "")")
        // Several attempts, which the times without the old primary tell apart.
        for _ in 0..<3 {
            try await eventually("the old primary to be passed over") {
                await member.refusedWrite().contains("\(primaries.old.folder) is an old primary")
            }
            try await primaries.close(primaries.old)
            try await eventually("the old primary to refuse connections") {
                await !member.refusedWrite().contains("is an old primary")
            }
            try await primaries.open(primaries.old)
        }
        #expect(member.events.names == ["lost"])
        try await primaries.open(primaries.new)
        try await member.events.wait(for: "regained")
        try await expectWrites(through: member, on: primaries.new, not: primaries.old, primaries)
        #expect(member.events.names == ["lost", "regained"])
        await member.close()
    }

    @Test(
        """
        attack: the only name leads to the old primary while the new one is away: the group waits until it leads to the new one again
        """, .threat("Restored databases"))
    func movedAddress() async throws {
        let primaries = try await Primaries(for: scratch)
        let address = scratch.path("address")
        func lead(to server: PostgreSQLServer) throws {
            try? FileManager.default.removeItem(atPath: address)
            try FileManager.default.createSymbolicLink(atPath: address, withDestinationPath: server.folder)
        }
        try lead(to: primaries.new)
        let member = try await Member(
            of: scratch, on: primaries.new,
            string: primaries.new.string(schema: PostgreSQLServer.schema(of: scratch), host: address))
        try lead(to: primaries.old)
        try await primaries.new.cutGroups()
        try await member.events.wait(for: "lost")
        try await eventually("the old primary to be passed over") {
            await member.refusedWrite().contains("an older copy has its name")
        }
        try lead(to: primaries.new)
        try await member.events.wait(for: "regained")
        try await expectWrites(through: member, on: primaries.new, not: primaries.old, primaries)
        await member.close()
    }

    @Test("A second primary is reported again if it was away as one in between, also while a third host is gone")
    func reportedAgain() async throws {
        let primaries = try await Primaries(for: scratch)
        let options = PostgreSQLOptions.patient(connections: 2) { $0.takeoverInterval = .milliseconds(10) }
        // Two writable hosts prevent the start.
        try await primaries.old.run(Self.readOnly(true), database: "template1")
        let member = try await Member(
            of: scratch, on: primaries.new, options: options,
            string: primaries.connectionString(of: "postgres", besides: "/nonexistent"))
        try await primaries.old.run(Self.readOnly(false), database: "template1")
        try await member.events.wait(for: "others")
        // Each time is longer than the watch takes.
        try await eventually("another report") {
            try await primaries.old.run(Self.readOnly(true), database: "template1")
            try await primaries.old.run(Self.readOnly(false), database: "template1")
            return member.events.names.count > 1
        }
        #expect(Set(member.events.names) == ["others"])
        await member.close()
    }

    /// As a standby is, without the time that building one takes.
    private static func readOnly(_ isOn: Bool) -> String {
        "ALTER DATABASE postgres SET default_transaction_read_only = \(isOn ? "on" : "off")"
    }

    @Test(
        """
        A host of another cluster accepts writes, and the group's session is cut: the group returns to its own cluster, and waits for \
        it while it is away
        """)
    func passedOverCluster() async throws {
        let primaries = try await Primaries(for: scratch)
        let stranger = try await PostgreSQLServer.start()
        let schema = PostgreSQLServer.schema(of: scratch)
        try await stranger.run("CREATE SCHEMA \(schema)")
        try await primaries.close(stranger)
        let member = try await Member(
            of: scratch, on: primaries.new,
            string: primaries.new.string(schema: schema, host: "\(stranger.folder),\(primaries.new.folder)"))
        try await primaries.open(stranger)
        try await primaries.new.cutGroups()
        try await member.events.wait(for: "regained")
        #expect(try await member.write("first") == nil)
        try await primaries.close(primaries.new)
        try await primaries.new.cutGroups()
        try await eventually("the session to be lost") { member.events.names == ["lost", "regained", "lost"] }
        try await eventually("the other cluster to be passed over") {
            await member.refusedWrite().contains("\(stranger.folder) belongs to a different cluster")
        }
        try await primaries.open(primaries.new)
        try await eventually("the session to be replaced") {
            member.events.names == ["lost", "regained", "lost", "regained"]
        }
        #expect(try await member.write("second") == nil)
        #expect(try await primaries.names(on: primaries.new) == ["first", "second"])
        await member.close()
    }

    @Test(
        """
        attack: the group is on the old primary after another host took over, and its session is cut: the group goes to that host
        """)
    func cutAtTheOld() async throws {
        let primaries = try await Primaries(for: scratch)
        try await primaries.close(primaries.new)
        let member = try await member(of: primaries, on: primaries.old)
        #expect(try await member.write("before") == nil)
        try await primaries.open(primaries.new)
        try await primaries.old.cutGroups()
        try await member.events.wait(for: "regained")
        try await expectWrites(
            through: member, on: primaries.new, not: primaries.old, primaries, before: ["before"])
        #expect(member.events.names == ["lost", "regained"])
        await member.close()
    }

    @Test("attack: another host takes over while the group's session at the old primary lives on: the group leaves it")
    func overtaken() async throws {
        let primaries = try await Primaries(for: scratch)
        try await primaries.close(primaries.new)
        let member = try await member(of: primaries, on: primaries.old, interval: .milliseconds(100))
        #expect(try await member.write("before") == nil)
        #expect(member.events.names.isEmpty)
        try await primaries.open(primaries.new)
        try await member.events.wait(for: "regained")
        #expect(
            member.events.detail(of: "lost")
                == "\(primaries.old.folder) is an old primary: \(primaries.new.folder) took over from it")
        #expect(member.events.detail(of: "regained")?.hasPrefix(primaries.new.folder) == true)
        // Its locks would keep others from leading there, and from being alone.
        try await eventually("the session at the old primary to end") {
            try await primaries.old.values("SELECT COUNT(*) FROM pg_locks WHERE locktype = 'advisory'") == ["0"]
        }
        try await expectWrites(
            through: member, on: primaries.new, not: primaries.old, primaries, before: ["before"])
        await member.close()
    }

    @Test(
        """
        attack: two promoted standbys have the same timeline: no process starts, and one whose session is cut writes nothing \
        until one of them is stopped
        """, .threat("Restored databases"))
    func equalTimelines() async throws {
        let primaries = try await Primaries(for: scratch, areEqual: true)
        try await primaries.close(primaries.old)
        let member = try await member(of: primaries, on: primaries.new)
        try await primaries.open(primaries.old)
        let refusal = await #expect(throws: StoreError.self) { try await PostgreSQLDatabase.open(primaries.string) }
        #expect(refusal?.code == .otherPrimary)
        #expect(refusal?.reason.contains("either may be the wrong one") == true, "\(refusal?.reason ?? "")")

        try await primaries.new.cutGroups()
        try await member.events.wait(for: "lost")
        try await eventually("an attempt to connect again") {
            let error = await #expect(throws: StoreError.self) {
                try await member.database.write { try Meta.set("never", to: "value", on: $0) }
            }
            #expect(error?.code == .unavailable)
            return error?.reason.contains("two servers accept writes") == true
        }
        #expect(member.events.names == ["lost"])
        try await primaries.old.stop()
        try await member.events.wait(for: "regained")
        #expect(try await member.write("name") == nil)
        #expect(try await primaries.names(on: primaries.new) == ["name"])
        try await primaries.old.startAgain()
        #expect(try await primaries.names(on: primaries.old) == [])
        await member.close()
    }

    @Test(
        """
        The timelines of two clusters are not compared: a start says that the connection string names one of them by mistake
        """)
    func otherCluster() async throws {
        let primaries = try await Primaries(for: scratch)
        let stranger = try await PostgreSQLServer.shared()
        let schema = PostgreSQLServer.schema(of: scratch)
        try await stranger.run("CREATE SCHEMA \(schema)")
        let string = stranger.string(schema: schema, host: "\(stranger.folder),\(primaries.new.folder)")
        let refusal = await #expect(throws: StoreError.self) { try await PostgreSQLDatabase.open(string) }
        #expect(refusal?.code == .otherPrimary)
        #expect(refusal?.reason.contains("different clusters") == true, "\(refusal?.reason ?? "")")
    }

    @Test(
        """
        A process that went on with an old primary is not the one to stop: an operation that wants the database alone is refused \
        because of the two primaries
        """)
    func aloneAtTheOld() async throws {
        let primaries = try await Primaries(for: scratch)
        try await primaries.close(primaries.new)
        let member = try await member(of: primaries, on: primaries.old)
        try await primaries.open(primaries.new)
        let refusal = await #expect(throws: StoreError.self) {
            try await PostgreSQLDatabase.join(primaries.string, as: .alone) { _ in }
        }
        #expect(refusal?.code == .otherPrimary)
        await member.close()
    }

    @Test(
        """
        An old primary that was set up again and is empty is reported as a second primary, and not as a lack of rights
        """)
    func emptyOldPrimary() async throws {
        let primaries = try await Primaries(for: scratch)
        let schema = PostgreSQLServer.schema(of: scratch)
        for server in [primaries.old, primaries.new] {
            try await server.run("CREATE ROLE \(schema) LOGIN")
            if server === primaries.old {
                try await server.run("DROP SCHEMA \(schema) CASCADE", "CREATE SCHEMA \(schema)")
            }
            try await server.run(
                "GRANT USAGE ON SCHEMA \(schema) TO \(schema)",
                "GRANT ALL ON ALL TABLES IN SCHEMA \(schema) TO \(schema)")
        }
        let string = primaries.connectionString(of: schema)
        let refusal = await #expect(throws: StoreError.self) { try await PostgreSQLDatabase.open(string) }
        #expect(refusal?.code == .otherPrimary)
        // The role cannot use the old primary, and may ask it for its timeline.
        #expect(refusal?.reason.contains("so stop \(primaries.old.folder)") == true, "\(refusal?.reason ?? "")")
    }

    @Test("A session that ends while the other name of its server is asked has no second primary")
    func endedSession() async throws {
        let server = try await PostgreSQLServer.shared()
        let connecting = try Connecting(
            to: server.string(host: "\(server.folder),\(server.folder)/."), .patient(connections: 1))
        let connection = try connecting.open()
        try await server.run("SELECT pg_terminate_backend(\(connection.session.backend), 300000)")
        // No session holds the lock any more.
        let failure = #expect(throws: ServerFailure.self) {
            try connecting.requireNoOtherPrimary(besides: connection, key: Int64.random(in: .min ... .max))
        }
        #expect(failure?.error.code == .unavailable)
    }

    @Test("A host that could not be asked is named with the reason, and does not prevent the opening")
    func unasked() async throws {
        let server = try await PostgreSQLServer.shared()
        _ = try await server.open(scratch)
        let string = server.string(
            schema: PostgreSQLServer.schema(of: scratch), host: "\(server.folder),\(scratch.folder)")
        let database = try await PostgreSQLDatabase.open(string, options: .patient(connections: 1))
        #expect(database.unaskedHosts.map(\.name) == [scratch.folder])
        #expect(
            database.unaskedHosts.first?.words.hasPrefix("it is not known whether \(scratch.folder) accepts writes: ")
                == true,
            "\(database.unaskedHosts)")
        await database.close()
    }
}
