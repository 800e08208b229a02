import AuthCore
import AuthStore
import Testing

@Suite struct AttemptReservations {
    let scratch: Scratch
    let slow = AttemptPolicy(
        free: 5, afterwards: .delay(first: .seconds(1), longest: .seconds(60)), forgottenAfter: .hours(24))
    let lock = AttemptPolicy(free: 5, afterwards: .locked, forgottenAfter: .hours(1))

    init() throws { scratch = try Scratch() }

    @Test("Of a thousand parallel guesses five are compared and a thousand counted", arguments: EngineUnderTest.all)
    func parallelGuesses(engine: EngineUnderTest) async throws {
        let database = try await engine.migrated(scratch)
        for (subject, policy) in [(Sample.digest(1), slow), (Sample.digest(2), lock)] {
            let answers = try await concurrently(1000) { _ in
                try await database.write { try Attempts.reserve(subject, under: policy, now: .start, on: $0) }
            }
            let failures = answers.compactMap { if case .compare(let failures) = $0 { failures } else { nil } }
            #expect(failures.sorted() == [1, 2, 3, 4, 5])
            let tries = try await database.read {
                try $0.row("SELECT tries FROM attempts WHERE subject = $1", [.blob(subject)])?.integer(0)
            }
            #expect(tries == 1000)
        }
    }

    @Test(
        "After the free guesses each further one waits twice as long, up to the longest delay",
        arguments: EngineUnderTest.all)
    func doublingDelays(engine: EngineUnderTest) async throws {
        let database = try await engine.migrated(scratch)
        var now = Timestamp.start
        var delays: [Int64] = []
        for guess in 1...16 {
            let moment = now
            let (answer, held) = try await database.write { connection in
                (
                    try Attempts.reserve(Sample.digest(1), under: slow, now: moment, on: connection),
                    try Attempts.held(Sample.digest(1), now: moment, on: connection)
                )
            }
            #expect(answer == .compare(failures: Int64(guess)))
            delays.append(((held ?? moment) - moment).wholeSeconds)
            now = held ?? now
        }
        #expect(delays == [0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 60, 60, 60, 60, 60, 60])
    }

    @Test(
        "Guesses made while refused prolong nothing (a stranger cannot hold the holder out)",
        arguments: EngineUnderTest.all)
    func refusedGuessesProlongNothing(engine: EngineUnderTest) async throws {
        let database = try await engine.migrated(scratch)
        let until = Timestamp.start + .seconds(1)
        let refusals = try await database.write { connection in
            for _ in 1...5 { _ = try Attempts.reserve(Sample.digest(1), under: slow, now: .start, on: connection) }
            return try (0..<100).map {
                try Attempts.reserve(
                    Sample.digest(1), under: slow, now: .start + .milliseconds($0), on: connection)
            }
        }
        #expect(refusals.allSatisfy { $0 == .refuse(until: until) })
        let afterwards = try await database.write {
            try Attempts.reserve(Sample.digest(1), under: slow, now: until, on: $0)
        }
        #expect(afterwards == .compare(failures: 6))
    }

    @Test("A locked subject is not forgotten, and opens when it is cleared", arguments: EngineUnderTest.all)
    func locked(engine: EngineUnderTest) async throws {
        let database = try await engine.migrated(scratch)
        let later = Timestamp.start + .days(3650)
        let answers = try await database.write { connection in
            for _ in 1...5 { _ = try Attempts.reserve(Sample.digest(1), under: lock, now: .start, on: connection) }
            let refused = try Attempts.reserve(Sample.digest(1), under: lock, now: later, on: connection)
            try Attempts.clear(Sample.digest(1), on: connection)
            return [refused, try Attempts.reserve(Sample.digest(1), under: lock, now: later, on: connection)]
        }
        #expect(answers == [.refuse(until: nil), .compare(failures: 1)])
    }

    @Test("A count starts anew when its last guess lies long enough ago", arguments: EngineUnderTest.all)
    func forgotten(engine: EngineUnderTest) async throws {
        let database = try await engine.migrated(scratch)
        let answers = try await database.write { connection in
            for _ in 1...4 { _ = try Attempts.reserve(Sample.digest(1), under: slow, now: .start, on: connection) }
            return try [Duration.hours(24) - .milliseconds(1), .hours(72)].map {
                try Attempts.reserve(Sample.digest(1), under: slow, now: .start + $0, on: connection)
            }
        }
        #expect(answers == [.compare(failures: 5), .compare(failures: 1)])
    }

    @Test(
        "attack: waiting out a delay that is longer than the memory does not wash the count away",
        arguments: EngineUnderTest.all)
    func countOutlivesDelay(engine: EngineUnderTest) async throws {
        let database = try await engine.migrated(scratch)
        let policy = AttemptPolicy(
            free: 2, afterwards: .delay(first: .seconds(60), longest: .seconds(60)), forgottenAfter: .seconds(1))
        let answers = try await database.write { connection in
            for _ in 1...2 { _ = try Attempts.reserve(Sample.digest(1), under: policy, now: .start, on: connection) }
            return try [Duration.seconds(60), .seconds(61)].map {
                try Attempts.reserve(Sample.digest(1), under: policy, now: .start + $0, on: connection)
            }
        }
        #expect(answers == [.compare(failures: 3), .refuse(until: .start + .seconds(120))])
    }

    @Test("A right secret at a shared subject takes back its own charge alone", arguments: EngineUnderTest.all)
    func refund(engine: EngineUnderTest) async throws {
        let database = try await engine.migrated(scratch)
        let answers = try await database.write { connection in
            for _ in 1...5 { _ = try Attempts.reserve(Sample.digest(1), under: slow, now: .start, on: connection) }
            try Attempts.refund(Sample.digest(1), on: connection)
            return try (1...2).map { _ in
                try Attempts.reserve(Sample.digest(1), under: slow, now: .start, on: connection)
            }
        }
        #expect(answers == [.compare(failures: 5), .refuse(until: .start + .seconds(1))])
    }
}
