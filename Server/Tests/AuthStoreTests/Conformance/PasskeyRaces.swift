import Core
import Store
import Testing

@testable import SignIn

@Suite struct PasskeyRaces {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func passkey(_ number: Int, counter: UInt32 = 0) -> PasskeyRecord {
        PasskeyRecord(
            id: Sample.id(number), credentialID: Sample.digest(number), accountID: Sample.account,
            relyingParty: "auth.example.com", publicKey: [1, 2, 3], counter: counter, isBackupEligible: true,
            isBackedUp: false, transports: ["internal", "hybrid"], name: [4, 5], createdAt: .start,
            coolingUntil: .start + .hours(24))
    }

    @Test("A passkey is read as it was written, and used from one counter to the next", arguments: EngineUnderTest.all)
    func roundTrip(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        var expected = passkey(1, counter: 4_294_967_294)
        #expect(
            try await database.write { try Passkeys.add(passkey(1, counter: 4_294_967_294), limit: 2, on: $0) }
                == .added)
        func found() async throws -> PasskeyRecord? {
            try await database.read {
                try Passkeys.find(credential: Sample.digest(1), of: "auth.example.com", on: $0)
            }
        }
        #expect(try await found() == expected)
        let elsewhere = try await database.read {
            try Passkeys.find(credential: Sample.digest(1), of: "example.com", on: $0)
        }
        #expect(elsewhere == nil)
        let used = try await database.write {
            try Passkeys.record(
                Passkeys.Use(counter: .max, isBackedUp: true), of: Sample.id(1), after: 4_294_967_294,
                now: .start + .hours(1), on: $0)
        }
        #expect(used)
        expected.counter = .max
        expected.isBackedUp = true
        expected.lastUsedAt = .start + .hours(1)
        #expect(try await found() == expected)
    }

    @Test("Of 64 uses against one counter at once one moves it", arguments: EngineUnderTest.all)
    func counter(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        _ = try await database.write { try Passkeys.add(passkey(1, counter: 7), limit: 2, on: $0) }
        let moved = try await concurrently(64) { _ in
            try await database.write {
                try Passkeys.record(
                    Passkeys.Use(counter: 8, isBackedUp: false), of: Sample.id(1), after: 7, now: .start, on: $0)
            }
        }
        #expect(moved.count { $0 } == 1)
    }

    @Test(
        "Of 64 at once an account gets as many as it may have, and a credential's id names one",
        arguments: EngineUnderTest.all)
    func limit(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        let added = try await concurrently(64) { number in
            try await database.write { try Passkeys.add(passkey(number), limit: 20, on: $0) }
        }
        #expect(added.count { $0 == .added } == 20)
        #expect(added.count { $0 == .tooMany } == 44)
        let twin = try await database.write { connection in
            var twin = passkey(1)
            twin.id = Sample.id(99)
            let known = try Passkeys.list(of: Sample.account, on: connection).first?.credentialID ?? []
            twin.credentialID = known
            return try Passkeys.add(twin, limit: 100, on: connection)
        }
        #expect(twin == .taken)
    }

    @Test(
        "What an account holds counts at its own domain, and settles when its cooling is over",
        arguments: EngineUnderTest.all)
    func holding(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        func holding(_ party: String, _ now: Timestamp) async throws -> Passkeys.Holding {
            try await database.read { try Passkeys.holding(of: Sample.account, at: party, now: now, on: $0) }
        }
        #expect(try await holding("auth.example.com", .start) == Passkeys.Holding(hasAny: false, hasSettled: false))
        _ = try await database.write { try Passkeys.add(passkey(1), limit: 2, on: $0) }
        #expect(try await holding("auth.example.com", .start) == Passkeys.Holding(hasAny: true, hasSettled: false))
        let later = Timestamp.start + .hours(24)
        #expect(try await holding("auth.example.com", later) == Passkeys.Holding(hasAny: true, hasSettled: true))
        #expect(try await holding("old.example.com", later) == Passkeys.Holding(hasAny: false, hasSettled: false))
    }
}
