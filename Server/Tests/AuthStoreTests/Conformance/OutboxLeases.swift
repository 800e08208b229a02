import Core
import Store
import Testing

@testable import Kernel

@Suite struct OutboxLeases {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// One message that waits, taken once.
    private func taken(_ channel: OutboxChannel = .email, on connection: any SQLConnection) throws -> OutboxRecord? {
        try Outbox.post(
            OutboxRecord(
                id: Sample.id(0), accountID: nil, kind: "mail", channel: channel, sealed: [1], createdAt: .start,
                dueAt: .start, expiresAt: .start + .minutes(5)), on: connection)
        return try Outbox.take(channel, now: .start, until: .start + .minutes(1), limit: 1, on: connection).first
    }

    @Test("A message is taken by one sender at a time, and again when its sender died", arguments: EngineUnderTest.all)
    func outbox(engine: EngineUnderTest) async throws {
        let database = try await engine.migrated(scratch)
        try await database.write { connection in
            for number in 0..<10 {
                try Outbox.post(
                    OutboxRecord(
                        id: Sample.id(number), accountID: nil, kind: "mail", sealed: [1], createdAt: .start,
                        dueAt: .start, expiresAt: .start + .days(1)), on: connection)
            }
        }
        let taken = try await concurrently(5) { _ in
            try await database.write {
                try Outbox.take(.email, now: .start, until: .start + .minutes(1), limit: 3, on: $0)
            }
        }
        let first = Array(taken.joined())
        #expect(Set(first.map(\.id)).count == 10)
        #expect(first.count == 10)
        let again = try await database.write { connection in
            try Outbox.delivered(first[0], now: .start, on: connection)
            return try Outbox.take(
                .email, now: .start + .minutes(1), until: .start + .minutes(2), limit: 99, on: connection)
        }
        #expect(again.count == 9)
        #expect(again.allSatisfy { $0.attempts == 2 })
    }

    @Test("Chosen messages are taken once", arguments: EngineUnderTest.all)
    func chosen(engine: EngineUnderTest) async throws {
        let database = try await engine.migrated(scratch)
        try await database.write { connection in
            for number in 0..<4 {
                try Outbox.post(
                    OutboxRecord(
                        id: Sample.id(number), accountID: nil, kind: "mail", channel: number == 3 ? .sms : .email,
                        sealed: [1], createdAt: .start, dueAt: .start, expiresAt: .start + .days(1)), on: connection)
            }
            func due(after id: UniqueID?, at time: Timestamp = .start) throws -> [UniqueID] {
                try Outbox.due(.email, after: id, now: time, limit: 9, on: connection).map(\.id)
            }
            func take(_ ids: [UniqueID], at time: Timestamp = .start) throws -> [UniqueID] {
                try Outbox.take(ids, now: time, until: time + .minutes(1), on: connection).map(\.id)
            }
            let ids = [Sample.id(0), Sample.id(1), Sample.id(2)].sorted()
            #expect(try due(after: nil) == ids)
            #expect(try due(after: ids[0]) == [ids[1], ids[2]])
            #expect(try take([ids[2], ids[1]]) == [ids[2], ids[1]])
            #expect(try take([ids[2]]).isEmpty)
            #expect(try due(after: nil) == [ids[0]])
            #expect(try take([ids[0]], at: .start + .days(1)).isEmpty)
        }
    }

    @Test("What was never tried comes first, and of what failed no more than asked for", arguments: EngineUnderTest.all)
    func untriedFirst(engine: EngineUnderTest) async throws {
        let database = try await engine.migrated(scratch)
        try await database.write { connection in
            func post(_ number: Int, dueAt time: Timestamp) throws {
                try Outbox.post(
                    OutboxRecord(
                        id: Sample.id(number), accountID: nil, kind: "mail", sealed: [1], createdAt: time, dueAt: time,
                        expiresAt: time + .days(1)), on: connection)
            }
            for number in 0..<3 {
                try post(number, dueAt: .start)
            }
            for record in try Outbox.take(.email, now: .start, until: .start + .minutes(1), limit: 3, on: connection) {
                try Outbox.postpone(record, until: .start + .seconds(5), because: "451", on: connection)
            }
            let now = Timestamp.start + .seconds(30)
            #expect(try !Outbox.isDue(.email, untried: true, now: now, on: connection))
            try post(3, dueAt: now)
            #expect(try Outbox.isDue(.email, untried: true, now: now, on: connection))
            func take(_ limit: Int, retried: Int = .max) throws -> [OutboxRecord] {
                try Outbox.take(
                    .email, now: now, until: now + .minutes(1), limit: limit, retried: retried, on: connection)
            }
            #expect(try take(1).map(\.id) == [Sample.id(3)])
            #expect(try take(8, retried: 0).isEmpty)
            #expect(try take(8, retried: 2).map(\.attempts) == [2, 2])
            #expect(try take(8).count == 1)
        }
    }

    @Test("Without the lease, a message can be neither postponed nor given up", arguments: EngineUnderTest.all)
    func lostLease(engine: EngineUnderTest) async throws {
        let database = try await engine.migrated(scratch)
        let found = try await database.write { connection -> OutboxRecord? in
            guard let late = try taken(on: connection) else { return nil }
            let later = Timestamp.start + .minutes(1)
            _ = try Outbox.take(.email, now: later, until: later + .minutes(1), limit: 1, on: connection)
            try Outbox.postpone(late, until: .start, because: "late", on: connection)
            try Outbox.fail(late, because: "late", now: later, on: connection)
            return try Outbox.recent(limit: 1, on: connection).first
        }
        let record = try #require(found)
        #expect(record.dueAt == .start + .minutes(2))
        #expect(record.failure == nil)
        #expect(record.failedAt == nil)
    }

    @Test(
        "A message is taken by its channel alone, never after its end, and not once it was given up, until it is requested",
        arguments: EngineUnderTest.all)
    func givenUp(engine: EngineUnderTest) async throws {
        let database = try await engine.migrated(scratch)
        try await database.write { connection in
            let record = try #require(try taken(.sms, on: connection))
            func isDue(_ channel: OutboxChannel, at time: Timestamp) throws -> Bool {
                try Outbox.isDue(channel, now: time, on: connection)
            }
            #expect(try !isDue(.sms, at: .start))
            #expect(try isDue(.sms, at: .start + .minutes(1)))
            #expect(try !isDue(.email, at: .start + .minutes(1)))
            #expect(try !isDue(.sms, at: .start + .minutes(5)))
            let tooLate = try Outbox.take(
                .sms, now: .start + .minutes(5), until: .start + .minutes(6), limit: 1, on: connection)
            #expect(tooLate.isEmpty)
            try Outbox.fail(record, because: "no such number", now: .start, on: connection)
            #expect(try !isDue(.sms, at: .start + .minutes(1)))
            #expect(try Outbox.recent(limit: 1, on: connection).first?.failure == "no such number")
            #expect(try Outbox.waiting(in: .sms, now: .start, on: connection).count == 0)
            #expect(try Outbox.retry(record.id, now: .start, on: connection))
            #expect(try isDue(.sms, at: .start))
            #expect(try Outbox.waiting(in: .sms, now: .start, on: connection).since == .start)
            try Outbox.delivered(record, now: .start, on: connection)
            #expect(try Outbox.recent(limit: 1, on: connection).first?.sealed == [])
            #expect(try !Outbox.retry(record.id, now: .start, on: connection))
        }
    }
}
