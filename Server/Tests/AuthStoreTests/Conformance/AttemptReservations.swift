import Core
import Kernel
import Store
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
            let spent = answers.compactMap { if case .compare(let spent) = $0 { spent } else { nil } }
            #expect(spent.sorted() == [1, 2, 3, 4, 5])
            let tries = try await database.read {
                try $0.row("SELECT tries FROM attempts WHERE subject = $1", [.blob(subject)])?.integer("tries")
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
                    try Attempts.state(Sample.digest(1), now: moment, on: connection)?.heldUntil
                )
            }
            #expect(answer == .compare(spent: Int64(guess)))
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
        #expect(afterwards == .compare(spent: 6))
    }

    @Test("A locked subject is not forgotten, and opens when it is cleared", arguments: EngineUnderTest.all)
    func locked(engine: EngineUnderTest) async throws {
        let database = try await engine.migrated(scratch)
        let later = Timestamp.start + .days(3650)
        let answers = try await database.write { connection in
            for _ in 1...5 { try wrong(Sample.digest(1), under: lock, now: .start, on: connection) }
            let refused = try Attempts.reserve(Sample.digest(1), under: lock, now: later, on: connection)
            try Attempts.clear(Sample.digest(1), on: connection)
            return [refused, try Attempts.reserve(Sample.digest(1), under: lock, now: later, on: connection)]
        }
        #expect(answers == [.refuse(until: nil), .compare(spent: 1)])
    }

    @Test("A count restarts once its last guess is long enough ago", arguments: EngineUnderTest.all)
    func forgotten(engine: EngineUnderTest) async throws {
        let database = try await engine.migrated(scratch)
        let answers = try await database.write { connection in
            for _ in 1...4 { _ = try Attempts.reserve(Sample.digest(1), under: slow, now: .start, on: connection) }
            return try [Duration.hours(24) - .milliseconds(1), .hours(72)].map {
                try Attempts.reserve(Sample.digest(1), under: slow, now: .start + $0, on: connection)
            }
        }
        #expect(answers == [.compare(spent: 5), .compare(spent: 1)])
    }

    @Test(
        "A count with a fixed end restarts there, however busy the subject is, and its delay ends with it",
        arguments: EngineUnderTest.all)
    func window(engine: EngineUnderTest) async throws {
        let database = try await engine.migrated(scratch)
        let policy = AttemptPolicy(
            free: 2, afterwards: .delay(first: .seconds(30), longest: .seconds(300)), forgottenAfter: .seconds(100),
            since: .firstGuess)
        let moments = [Duration.zero, .seconds(60), .seconds(89), .seconds(90), .seconds(99), .seconds(100)]
        let answers = try await database.write { connection in
            try moments.map {
                try Attempts.reserve(Sample.digest(1), under: policy, now: .start + $0, on: connection)
            }
        }
        let end = Timestamp.start + .seconds(100)
        #expect(
            answers == [
                .compare(spent: 1), .compare(spent: 2), .refuse(until: .start + .seconds(90)), .compare(spent: 3),
                .refuse(until: end), .compare(spent: 1),
            ])
    }

    @Test(
        "attack: waiting out a delay that is longer than the memory does not reset the count",
        .threat("Password guessing"),
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
        #expect(answers == [.compare(spent: 3), .refuse(until: .start + .seconds(120))])
    }

    @Test(
        "An action under several limits counts under all of them, or, if one refuses it, under none",
        arguments: EngineUnderTest.all)
    func severalLimits(engine: EngineUnderTest) async throws {
        let database = try await engine.migrated(scratch)
        let (narrow, wide) = (Sample.digest(1), Sample.digest(2))
        let limits = [AttemptLimit(narrow, under: slow), AttemptLimit(wide, under: slow)]
        let (counted, refused, failures) = try await database.write { connection in
            let counted = try Attempts.count(limits, now: .start, on: connection)
            for _ in 2...5 { _ = try Attempts.count(wide, under: slow, now: .start, on: connection) }
            let refused = try Attempts.count(limits, now: .start, on: connection)
            let failures = try [narrow, wide].map {
                try Attempts.state($0, now: .start, on: connection)?.failures
            }
            return (counted, refused, failures)
        }
        #expect(counted == .compare(spent: 1))
        #expect(refused == .refuse(until: .start + .seconds(1)))
        #expect(failures == [1, 5])
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
        #expect(answers == [.compare(spent: 5), .refuse(until: .start + .seconds(1))])
    }

    /// A guess that is compared and wrong.
    private func wrong(
        _ subject: [UInt8], under policy: AttemptPolicy, now: Timestamp, on connection: any SQLConnection
    ) throws {
        #expect(try Attempts.reserve(subject, under: policy, now: now, on: connection).isComparing)
        try Attempts.fail(subject, on: connection)
    }

    @Test(
        "Five reservations whose process ended lock nothing: after the start the secret is compared",
        arguments: EngineUnderTest.all)
    func abandoned(engine: EngineUnderTest) async throws {
        let database = try await engine.migrated(scratch)
        let answers = try await database.write { connection in
            for _ in 1...5 { _ = try Attempts.reserve(Sample.digest(1), under: lock, now: .start, on: connection) }
            let full = try Attempts.reserve(Sample.digest(1), under: lock, now: .start, on: connection)
            try Attempts.abandonPending(on: connection)
            let next = try Attempts.reserve(Sample.digest(1), under: lock, now: .start, on: connection)
            try Attempts.succeed(Sample.digest(1), on: connection)
            return [full, next, try Attempts.reserve(Sample.digest(1), under: lock, now: .start, on: connection)]
        }
        #expect(answers == [.refuse(until: .start + .seconds(1)), .compare(spent: 6), .compare(spent: 1)])
    }

    @Test("A reservation without an outcome gives its place back after a minute", arguments: EngineUnderTest.all)
    func stale(engine: EngineUnderTest) async throws {
        let database = try await engine.migrated(scratch)
        let answers = try await database.write { connection in
            for _ in 1...5 { _ = try Attempts.reserve(Sample.digest(1), under: lock, now: .start, on: connection) }
            return try [Duration.milliseconds(59_999), .seconds(60)].map {
                try Attempts.reserve(Sample.digest(1), under: lock, now: .start + $0, on: connection)
            }
        }
        #expect(answers == [.refuse(until: .start + .milliseconds(60_999)), .compare(spent: 6)])
    }

    @Test(
        "attack: ending the process in the middle of every guess gets twelve compared in the first hour",
        arguments: EngineUnderTest.all)
    func crashLoop(engine: EngineUnderTest) async throws {
        let database = try await engine.migrated(scratch)
        let compared = try await database.write { connection in
            try (0..<3600).filter { second in
                // As many as one life of the process has places for.
                let answers = try (1...(second == 0 ? 5 : 1)).map { _ in
                    try Attempts.reserve(
                        Sample.digest(1), under: lock, now: .start + .seconds(second), on: connection)
                }
                try Attempts.abandonPending(on: connection)
                return answers.contains(where: \.isComparing)
            }
        }
        // Five at once, and then one after each wait, which doubles.
        #expect(compared == [0, 1, 31, 91, 211, 451, 931, 1891])
        let failures = try await database.read {
            try Attempts.state(Sample.digest(1), now: .start + .hours(1), on: $0)?.failures
        }
        #expect(failures == 0)
    }

    @Test(
        "A right secret starts the count over, and comparisons that still run keep their places",
        arguments: EngineUnderTest.all)
    func success(engine: EngineUnderTest) async throws {
        let database = try await engine.migrated(scratch)
        let (answers, failures) = try await database.write { connection in
            let subject = Sample.digest(1)
            for _ in 1...5 { _ = try Attempts.reserve(subject, under: lock, now: .start, on: connection) }
            try Attempts.fail(subject, on: connection)
            try Attempts.succeed(subject, on: connection)
            // Three of five still run: two may begin, and a third may not.
            let answers = try (1...3).map { _ in
                try Attempts.reserve(subject, under: lock, now: .start, on: connection)
            }
            return (answers, try (1...5).map { _ in try Attempts.fail(subject, on: connection) })
        }
        #expect(answers == [.compare(spent: 4), .compare(spent: 5), .refuse(until: .start + .seconds(1))])
        #expect(failures == [1, 2, 3, 4, 5])
    }

    @Test("Right secrets of several at once leave nothing behind", arguments: EngineUnderTest.all)
    func successes(engine: EngineUnderTest) async throws {
        let database = try await engine.migrated(scratch)
        let state = try await database.write { connection in
            for _ in 1...5 { _ = try Attempts.reserve(Sample.digest(1), under: lock, now: .start, on: connection) }
            for _ in 1...5 { try Attempts.succeed(Sample.digest(1), on: connection) }
            return try connection.row("SELECT 1 FROM attempts", [])
        }
        #expect(state == nil)
    }

    @Test(
        "What has no outcome to wait for is counted at once, and limited as guesses are", arguments: EngineUnderTest.all
    )
    func counting(engine: EngineUnderTest) async throws {
        let database = try await engine.migrated(scratch)
        let (answers, state) = try await database.write { connection in
            let answers = try (1...6).map { _ in
                try Attempts.count(Sample.digest(1), under: slow, now: .start, on: connection)
            }
            return (answers, try Attempts.state(Sample.digest(1), now: .start, on: connection))
        }
        #expect(answers == (1...5).map { .compare(spent: $0) } + [.refuse(until: .start + .seconds(1))])
        #expect(state?.failures == 5)
        #expect(state?.unanswered == 0)
    }
}

extension AttemptReservation {
    fileprivate var isComparing: Bool {
        if case .compare = self { true } else { false }
    }
}
