import Core
import Kernel
import Store
import Testing

@Suite struct RefreshRaces {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test("Of 64 concurrent refreshes at one generation exactly one wins", arguments: EngineUnderTest.all)
    func oneWinner(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        for generation in Int64(0)..<20 {
            let won = try await concurrently(64) { caller in
                try await database.write(isolation: .guardedStatement) { connection in
                    try Sessions.rotate(
                        Sample.session, from: generation, attemptHash: Sample.digest(caller), now: .start,
                        expiresAt: .start + .days(30), countingUntil: .start, on: connection)
                }
            }
            #expect(won.filter { $0 }.count == 1)
        }
        let session = try await database.read { try Sessions.find(Sample.session, on: $0) }
        #expect(session?.generation == 20)
    }

    @Test(
        "A refresh against a revocation: whatever comes first, nothing rotates once it is revoked",
        .threat("Refresh token reuse"),
        arguments: EngineUnderTest.all)
    func refreshAgainstRevocation(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        for round in 1...20 {
            let id = Sample.id(2000 + round)
            let opened = try await database.write { try Sessions.open(Sample.newSession(id), on: $0) }
            #expect(opened)
            let generations = try await concurrently(64) { caller -> Int64? in
                try await database.write(isolation: caller == 32 ? .serializable : .guardedStatement) { connection in
                    if caller == 32 {
                        _ = try Sessions.end(id, because: .signedOut, now: .start, on: connection)
                        return try Sessions.find(id, on: connection)?.generation
                    }
                    guard let seen = try Sessions.find(id, on: connection)?.generation else { return nil }
                    _ = try Sessions.rotate(
                        id, from: seen, attemptHash: nil, now: .start, expiresAt: .start + .days(30),
                        countingUntil: .start, on: connection)
                    return nil
                }
            }
            let session = try await database.read { try Sessions.find(id, on: $0) }
            #expect(session?.ended?.why == .signedOut)
            #expect(generations.compactMap { $0 } == [session?.generation])
        }
    }

    @Test(
        "A refresh judged before a password change rotates nothing after it (stale security version)",
        .threat("Refresh token reuse"),
        arguments: EngineUnderTest.all)
    func staleVersionRotatesNothing(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        let version = try await database.write {
            try Accounts.changePassword(of: Sample.account, to: [8], expecting: 1, now: .start, on: $0)
        }
        #expect(version == 2)
        let (rotated, extended, living, opened) = try await database.write { connection in
            (
                try Sessions.rotate(
                    Sample.session, from: 0, attemptHash: nil, now: .start, expiresAt: .start + .days(1),
                    countingUntil: .start,
                    on: connection),
                try Sessions.extend(
                    Sample.session, at: 0, now: .start, expiresAt: .start + .days(1), countingUntil: .start,
                    on: connection),
                try Sessions.living(Sample.session, now: .start, on: connection),
                try Sessions.open(Sample.newSession(Sample.id(5), securityVersion: 1), on: connection)
            )
        }
        #expect(!rotated)
        #expect(!extended)
        #expect(living == nil)
        #expect(!opened)
    }

    @Test(
        "A deactivated account opens and rotates nothing, and its old sessions stay void when it is reactivated",
        arguments: EngineUnderTest.all)
    func deactivated(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        for isClosing in [true, false] {
            let changed = try await database.write { connection in
                isClosing
                    ? try Accounts.deactivate(Sample.account, by: .failures, on: connection)
                    : try Accounts.reactivate(Sample.account, on: connection)
            }
            #expect(changed)
            let (rotated, opened) = try await database.write { connection in
                (
                    try Sessions.rotate(
                        Sample.session, from: 0, attemptHash: nil, now: .start, expiresAt: .start + .days(1),
                        countingUntil: .start,
                        on: connection),
                    try Sessions.open(Sample.newSession(Sample.id(6)), on: connection)
                )
            }
            #expect(!rotated)
            #expect(!opened)
        }
    }

    @Test(
        "An expired session does not rotate, and a rotation never moves the end beyond the absolute one",
        arguments: EngineUnderTest.all)
    func expiry(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        let late = try await database.write {
            try Sessions.rotate(
                Sample.session, from: 0, attemptHash: nil, now: .start + .days(30), expiresAt: .start + .days(60),
                countingUntil: .start,
                on: $0)
        }
        #expect(!late)
        let inTime = try await database.write {
            try Sessions.rotate(
                Sample.session, from: 0, attemptHash: Sample.digest(3), now: .start + .days(29),
                expiresAt: .start + .days(500), countingUntil: .start, on: $0)
        }
        #expect(inTime)
        let session = try await database.read { try Sessions.find(Sample.session, on: $0) }
        #expect(session?.facts.expiresAt == .start + .days(90))
        #expect(session?.rotatedAt == .start + .days(29))
        #expect(session?.attemptHash == Sample.digest(3))
    }

    @Test("A password change may spare the session it came from", arguments: EngineUnderTest.all)
    func sparing(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        let other = Sample.id(77)
        let ended = try await database.write { connection -> Int in
            _ = try Sessions.open(Sample.newSession(other), on: connection)
            _ = try Accounts.raiseSecurityVersion(of: Sample.account, on: connection)
            try Sessions.follow(Sample.session, on: connection)
            return try Sessions.endAll(
                of: Sample.account, sparing: Sample.session, because: .passwordChanged, now: .start, on: connection)
        }
        #expect(ended == 1)
        let (spared, gone) = try await database.read { connection in
            (
                try Sessions.living(Sample.session, now: .start, on: connection),
                try Sessions.living(other, now: .start, on: connection)
            )
        }
        #expect(spared != nil)
        #expect(gone == nil)
    }
}
