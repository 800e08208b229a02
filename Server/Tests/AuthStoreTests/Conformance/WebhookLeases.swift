import Core
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations

@Suite struct WebhookLeases {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private static let endpoint = Sample.id(7000)

    private func addEndpoint(_ id: UniqueID = endpoint, on connection: any SQLConnection) throws {
        let isAdded = try WebhookEndpoints.add(
            WebhookEndpoint(
                id: id, brandID: "default", url: "https://shop.example.com/", kinds: [.devices], secret: [1],
                createdAt: .start), on: connection)
        #expect(isAdded)
    }

    /// An event about a subject, and its receivers.
    @discardableResult
    private func tell(
        _ number: Int, about subject: UniqueID, _ kind: WebhookKind = .devices, on connection: any SQLConnection
    ) throws -> Int {
        try BackendEvent(
            id: Sample.id(number), kind: kind, type: "test", clientID: nil, brandID: "default", subject: subject,
            position: Int64(number), occurredAt: .start, data: JSONObject()
        ).write(sequence: 0, on: connection)
    }

    private func take(
        _ limit: Int = 32, of end: WebhookDeliveries.End = .oldest, at now: Timestamp = .start,
        in database: any Database
    ) async throws -> [WebhookDeliveryRecord] {
        try await database.write(isolation: .guardedStatement) {
            try WebhookDeliveries.take(
                end, of: Self.endpoint, now: now, until: now + .minutes(1), limit: limit, on: $0)
        }
    }

    @Test(
        "The newest events are taken as well, but of one subject none before its first", arguments: EngineUnderTest.all)
    func newest(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        try await database.write { connection in
            try addEndpoint(on: connection)
            for number in 0..<10 { try tell(number, about: Sample.id(number), on: connection) }
            try tell(10, about: Sample.id(9), on: connection)
        }
        let newest = try await take(3, of: .newest, in: database)
        #expect(Set(newest.map(\.eventID)) == Set((7...9).map { Sample.id($0) }))
        let rest = try await take(99, in: database)
        #expect(Set(rest.map(\.eventID)) == Set((0...6).map { Sample.id($0) }))
        #expect(try await take(99, of: .newest, in: database).isEmpty)
    }

    @Test(
        "An event is taken by one process at a time, and again when its lease has ended", arguments: EngineUnderTest.all
    )
    func leases(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        try await database.write { connection in
            try addEndpoint(on: connection)
            for number in 0..<40 { try tell(number, about: Sample.id(number), on: connection) }
        }
        let taken = Array(try await concurrently(5) { _ in try await take(9, in: database) }.joined())
        #expect(Set(taken.map(\.eventID)).count == taken.count)
        let rest = try await take(99, in: database)
        #expect(taken.count + rest.count == 40)
        #expect(try await take(99, in: database).isEmpty)
        try await database.write(isolation: .guardedStatement) {
            try WebhookDeliveries.delivered([taken[0].eventID], to: Self.endpoint, now: .start, on: $0)
        }
        try await database.write(isolation: .guardedStatement) {
            try WebhookDeliveries.giveBack(
                [taken[1].eventID], of: Self.endpoint, leasedUntil: .start + .minutes(1), now: .start, on: $0)
        }
        #expect(try await take(99, in: database).map(\.attempts) == [1])
        let again = try await take(99, at: .start + .minutes(1), in: database)
        #expect(again.count == 39)
        #expect(again.filter { $0.attempts == 2 }.count == 39)
    }

    @Test(
        "What one process delivers is not made due when the receiver recovers, and nothing of an ended lease changes a later one",
        arguments: EngineUnderTest.all)
    func leasesOfOthers(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        try await database.write { connection in
            try addEndpoint(on: connection)
            for number in 1...3 { try tell(number, about: Sample.id(number), on: connection) }
        }
        let first = try await take(2, in: database)
        let recovery = Timestamp.start + .seconds(30)
        let early = try await database.write(isolation: .guardedStatement) {
            try WebhookDeliveries.makeDue(of: Self.endpoint, now: recovery, limit: 9, on: $0)
        }
        #expect(early == 0)
        #expect(try await take(at: recovery, in: database).map(\.position) == [3])
        // The first process stops for a while, and another one takes over.
        let later = Timestamp.start + .minutes(2)
        let second = try await take(at: later, in: database)
        #expect(second.count == 3)
        let ended = try #require(first[0].leasedUntil)
        try await database.write(isolation: .guardedStatement) {
            try WebhookDeliveries.giveBack(
                [first[0].eventID], of: Self.endpoint, leasedUntil: ended, now: later, on: $0)
        }
        let isPostponed = try await database.write(isolation: .guardedStatement) {
            try WebhookDeliveries.postpone(first[1], until: later, because: "status 500", on: $0)
        }
        #expect(!isPostponed)
        #expect(try await take(at: later, in: database).isEmpty)
    }

    @Test("Of one subject, only the first event that was not delivered is taken", arguments: EngineUnderTest.all)
    func order(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        try await database.write { connection in
            try addEndpoint(on: connection)
            for number in [3, 1, 2] { try tell(number, about: Sample.account, on: connection) }
        }
        let first = try await take(in: database)
        #expect(first.map(\.position) == [1])
        #expect(try await take(in: database).isEmpty)
        try await database.write {
            #expect(
                try WebhookDeliveries.postpone(first[0], until: .start + .hours(1), because: "status 500", on: $0))
            try WebhookDeliveries.postponeFollowers(of: first[0], until: .start + .hours(1), on: $0)
            try tell(4, about: Sample.account, on: $0)
            try tell(5, about: Sample.session, on: $0)
        }
        #expect(try await take(in: database).map(\.position) == [5])
        #expect(try await take(at: .start + .minutes(50), in: database).map(\.position) == [5])
        let moved = try await database.write(isolation: .guardedStatement) {
            try WebhookDeliveries.postponeBlocked(
                of: Self.endpoint, now: .start + .minutes(50), othersUntil: nil, on: $0)
        }
        #expect(moved == 1)
        let due = try await database.read { try WebhookEndpoints.due(now: .start + .minutes(50), limit: 9, on: $0) }
        #expect(due.isEmpty)
        let again = try await take(at: .start + .hours(1), in: database)
        #expect(Set(again.map(\.position)) == [1, 5])
    }

    @Test(
        "What follows an event in delivery can be postponed, and the next one is due once that is delivered",
        arguments: EngineUnderTest.all)
    func followers(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        try await database.write { connection in
            try addEndpoint(on: connection)
            for number in 1...3 { try tell(number, about: Sample.account, on: connection) }
        }
        let first = try await take(in: database)
        var moved: [Int] = []
        for pause in [nil, .start + .seconds(30)] as [Timestamp?] {
            moved.append(
                try await database.write(isolation: .guardedStatement) {
                    try WebhookDeliveries.postponeBlocked(
                        of: Self.endpoint, now: .start, othersUntil: pause, on: $0)
                })
        }
        #expect(moved == [0, 2])
        try await database.write(isolation: .guardedStatement) {
            try WebhookDeliveries.delivered(first.map(\.eventID), to: Self.endpoint, now: .start, on: $0)
        }
        #expect(try await take(in: database).isEmpty)
        try await database.write(isolation: .guardedStatement) {
            try WebhookDeliveries.makeNextDue(after: first.map(\.eventID), of: Self.endpoint, now: .start, on: $0)
        }
        #expect(try await take(in: database).map(\.position) == [2])
        #expect(try await take(at: .start + .seconds(30), in: database).isEmpty)
    }

    @Test("An event has a row for each receiver of its kind, and none without one", arguments: EngineUnderTest.all)
    func receivers(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        let written = try await database.write { connection in
            var written = [try tell(1, about: Sample.account, on: connection)]
            try addEndpoint(on: connection)
            try addEndpoint(Sample.id(7001), on: connection)
            written.append(try tell(2, about: Sample.account, on: connection))
            written.append(try tell(3, about: Sample.account, .sessions, on: connection))
            let ofAccount = BackendEvent(
                id: Sample.id(4), kind: .devices, type: "test", clientID: "unknown", accountID: Sample.account,
                subject: Sample.account, occurredAt: .start, data: JSONObject())
            written.append(try ofAccount.write(sequence: 9, on: connection))
            return written
        }
        #expect(written == [0, 2, 0, 2])
    }

    @Test("What was delivered can be replayed for a day, and then it is swept", arguments: EngineUnderTest.all)
    func replay(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        try await database.write { connection in
            try addEndpoint(on: connection)
            for number in 0..<3 { try tell(number, about: Sample.id(number), on: connection) }
        }
        let taken = try await take(in: database)
        try await database.write(isolation: .guardedStatement) {
            try WebhookDeliveries.delivered(taken.map(\.eventID), to: Self.endpoint, now: .start, on: $0)
        }
        let replayed = try await database.write(isolation: .guardedStatement) {
            try WebhookDeliveries.replay(Self.endpoint, since: .start - .days(9000), now: .start, limit: 2, on: $0)
        }
        #expect(replayed == 2)
        #expect(try await take(in: database).count == 2)
        _ = try await Sweep.run(database, now: .start + .days(1), batch: 7)
        let kept = try await database.read {
            try $0.row("SELECT COUNT(*) AS number FROM webhook_deliveries", [])?.integer("number")
        }
        #expect(kept == 2)
    }

    @Test(
        "What waits is counted for each receiver up to a limit, without what was delivered or has expired",
        arguments: EngineUnderTest.all)
    func backlog(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        try await database.write { connection in
            try addEndpoint(on: connection)
            for number in 0..<5 { try tell(number, about: Sample.id(number), on: connection) }
            try addEndpoint(Sample.id(7001), on: connection)
            try tell(5, about: Sample.id(5), on: connection)
        }
        let taken = try await take(1, in: database)
        try await database.write(isolation: .guardedStatement) {
            try WebhookDeliveries.delivered(taken.map(\.eventID), to: Self.endpoint, now: .start, on: $0)
        }
        let counts = try await database.read { connection in
            try [(Timestamp.start, 2), (.start, 9), (.start + .days(7), 9)].map {
                try WebhookEndpoints.backlog(now: $0.0, countingTo: $0.1, on: connection).waiting
            }
        }
        #expect(counts == [3, 6, 0])
    }

    @Test("Ten receivers of one brand are the most", arguments: EngineUnderTest.all)
    func limit(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        let added = try await database.write { connection in
            try (0..<11).map { number in
                try WebhookEndpoints.add(
                    WebhookEndpoint(
                        id: Sample.id(number), brandID: "default", url: "https://shop.example.com/", kinds: [],
                        secret: [1], createdAt: .start), on: connection)
            }
        }
        #expect(added == Array(repeating: true, count: 10) + [false])
    }
}
