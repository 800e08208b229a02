import Core
import Kernel
import Store
import Testing

@Suite struct SessionLimits {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private static func session(_ number: Int, expiresIn days: Int64) -> NewSession {
        var session = Sample.newSession(Sample.id(number))
        session.expiresAt = .start + .days(days)
        return session
    }

    @Test(
        "The sessions that would end first make room for the next; expired ones and those of other clients do not count",
        arguments: EngineUnderTest.all)
    func surplus(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        // The furnished session ends after 30 days, one is over already, and one belongs to another client.
        let (none, one, all, other) = try await database.write { connection in
            _ = try Clients.create(Sample.newClient("other"), on: connection)
            for (number, days) in [(1, 20), (2, 10), (3, 40)] as [(Int, Int64)] {
                _ = try Sessions.open(Self.session(number, expiresIn: days), on: connection)
            }
            _ = try Sessions.open(Self.session(4, expiresIn: 0), on: connection)
            var foreign = Self.session(5, expiresIn: 1)
            foreign.grantedTo = "other"
            _ = try Sessions.open(foreign, on: connection)
            func surplus(_ limit: Int, at client: String = Sample.client) throws -> [UniqueID] {
                try Sessions.surplus(
                    of: Sample.account, at: client, limit: limit, keeping: 0, inStepsOf: 1, now: .start,
                    on: connection
                ).open
            }
            return (try surplus(5), try surplus(4), try surplus(1), try surplus(1, at: "other"))
        }
        #expect(none.isEmpty)
        #expect(one == [Sample.id(2)])
        #expect(all == [Sample.id(3), Sample.session, Sample.id(1), Sample.id(2)])
        #expect(other == [Sample.id(5)])
    }

    @Test(
        "Ended sessions beyond those that are kept are forgotten, oldest first, and none that was revoked",
        arguments: EngineUnderTest.all)
    func forgotten(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        let (surplus, kept) = try await database.write { connection in
            for number in 1...4 {
                _ = try Sessions.open(Self.session(number, expiresIn: 30), on: connection)
                let why: SessionEnd = number == 1 ? .refreshReuse : .signedOut
                _ = try Sessions.end(Sample.id(number), because: why, now: .start, on: connection)
            }
            let surplus = try Sessions.surplus(
                of: Sample.account, at: Sample.client, limit: 9, keeping: 2, inStepsOf: 1, now: .start, on: connection
            ).ended
            for session in surplus + [Sample.session] { try Sessions.forget(session, on: connection) }
            #expect(try Sessions.find(Sample.session, on: connection) != nil, "it is open")
            return (surplus, try (1...4).map { try Sessions.find(Sample.id($0), on: connection) != nil })
        }
        #expect(surplus == [Sample.id(2)])
        #expect(kept == [true, false, true, true])
    }

    /// Passes queries on, and keeps them.
    private final class Recording: SQLConnection {
        let base: any SQLConnection
        var queries: [String] = []

        init(_ base: any SQLConnection) { self.base = base }

        func query(_ sql: String, _ arguments: [SQLValue]) throws -> [SQLRow] {
            queries.append(sql)
            return try base.query(sql, arguments)
        }

        func execute(_ sql: String, _ arguments: [SQLValue]) throws -> Int { try base.execute(sql, arguments) }

        func define(_ sql: String) throws { try base.define(sql) }
    }

    @Test(
        "A sign-in below the limit counts in the index and reads no session; one at the limit reads the open ones",
        arguments: EngineUnderTest.all)
    func queries(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        let (below, at) = try await database.write { connection in
            // More than the limit, but ended.
            for number in 1...9 {
                _ = try Sessions.open(Self.session(number, expiresIn: 30), on: connection)
                let why: SessionEnd = number < 5 ? .refreshReuse : .signedOut
                _ = try Sessions.end(Sample.id(number), because: why, now: .start, on: connection)
            }
            func queries(_ limit: Int) throws -> [String] {
                let recording = Recording(connection)
                _ = try Sessions.surplus(
                    of: Sample.account, at: Sample.client, limit: limit, keeping: 5, inStepsOf: 2, now: .start,
                    on: recording)
                return recording.queries
            }
            return (try queries(2), try queries(1))
        }
        #expect(below == [Sessions.counting])
        #expect(at.count == 2)
        #expect(at.first == Sessions.counting)
    }

    @Test(
        "Ended sessions are forgotten a step at a time, down to those that are kept", arguments: EngineUnderTest.all)
    func steps(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        let forgotten = try await database.write { connection in
            try (1...7).map { (number: Int) -> Int in
                _ = try Sessions.open(Self.session(number, expiresIn: 30), on: connection)
                _ = try Sessions.end(Sample.id(number), because: .limitReached, now: .start, on: connection)
                let surplus = try Sessions.surplus(
                    of: Sample.account, at: Sample.client, limit: 9, keeping: 2, inStepsOf: 3, now: .start,
                    on: connection
                ).ended
                for session in surplus { try Sessions.forget(session, on: connection) }
                return surplus.count
            }
        }
        #expect(forgotten == [0, 0, 0, 0, 3, 0, 0])
    }

    /// Opens a session of a key and revokes it a minute later. Times are minutes.
    private static func revoke(
        _ number: Int, key: [UInt8]?, at minute: Int64, expiresIn days: Int64 = 10, on connection: any SQLConnection
    ) throws {
        var opened = Self.session(number, expiresIn: days)
        opened.dpopThumbprint = key
        opened.createdAt = .start + .minutes(minute)
        _ = try Sessions.open(opened, on: connection)
        _ = try Sessions.end(
            opened.id, because: .codeReuse, distrusting: .session, now: .start + .minutes(minute + 1), on: connection)
    }

    private static func forgettable(
        keeping kept: Int = 0, after minutes: Int64 = 60, on connection: any SQLConnection
    ) throws -> [UniqueID] {
        try Sessions.surplus(
            of: Sample.account, at: Sample.client, limit: 9, keeping: kept, inStepsOf: 1,
            now: .start + .minutes(minutes), on: connection
        ).revoked
    }

    @Test(
        "Revoked sessions of keys that have no other session are forgotten after five minutes, except the newest",
        arguments: EngineUnderTest.all)
    func revoked(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        let (early, late) = try await database.write { connection in
            for number in 1...4 {
                try Self.revoke(number, key: number == 2 ? nil : Sample.digest(number), at: 0, on: connection)
            }
            return (
                try Self.forgettable(after: 6, on: connection),
                try Self.forgettable(keeping: 1, after: 7, on: connection)
            )
        }
        #expect(early.isEmpty)
        #expect(late == [Sample.id(3), Sample.id(2), Sample.id(1)])
    }

    private static func isKnown(_ key: [UInt8], on connection: any SQLConnection) throws -> Bool {
        try Sessions.knows(key, by: Sample.client, of: Sample.account, on: connection)
    }

    @Test(
        "attack: what is forgotten of revoked sessions makes no key trusted again", .threat("A flood of sessions"),
        arguments: EngineUnderTest.all)
    func distrusted(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        let key = Sample.digest(7)
        try await database.write { connection in
            #expect(try Self.isKnown(key, on: connection), "by the furnished session")
            try Self.revoke(1, key: key, at: 0, on: connection)
            #expect(try !Self.isKnown(key, on: connection))
            #expect(try Self.forgettable(on: connection).isEmpty)
            // A later revocation says the same for as long; one that expires sooner does not.
            try Self.revoke(2, key: key, at: 2, on: connection)
            try Self.revoke(3, key: key, at: 4, expiresIn: 5, on: connection)
            let surplus = try Self.forgettable(on: connection)
            #expect(surplus == [Sample.id(1)])
            for session in surplus { try Sessions.forget(session, on: connection) }
            #expect(try !Self.isKnown(key, on: connection))
            // After a sign-out, the key would still be known without them.
            _ = try Sessions.end(Sample.session, because: .signedOut, now: .start + .minutes(6), on: connection)
            #expect(try Self.forgettable(on: connection).isEmpty)
            #expect(try !Self.isKnown(key, on: connection))
        }
    }

    @Test(
        "A session of a deleted client is not living, is not renewed, and none is opened",
        arguments: EngineUnderTest.all)
    func deletedClient(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        let (living, rotated, opened, left) = try await database.write { connection in
            _ = try Clients.delete(Sample.client, now: .start, on: connection)
            return (
                try Sessions.living(Sample.session, now: .start, on: connection) != nil,
                try Sessions.rotate(
                    Sample.session, from: 0, attemptHash: nil, now: .start, expiresAt: .start + .days(30),
                    countingUntil: .start, on: connection),
                try Sessions.open(Self.session(1, expiresIn: 30), on: connection),
                try Sessions.page(ofClient: Sample.client, after: nil, limit: 9, on: connection)
            )
        }
        #expect(!living)
        #expect(!rotated)
        #expect(!opened)
        #expect(left == [Sample.session])
    }
}
