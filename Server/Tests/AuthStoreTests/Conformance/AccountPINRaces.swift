import Core
import Kernel
import Operations
import SignIn
import Store
import Testing

@Suite struct AccountPINRaces {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func set(_ database: any Database, _ version: Int = 1, replacing former: Int? = nil) async throws -> Bool {
        try await database.write {
            try AccountPINs.set(
                Sample.account, version: Sample.id(version), hash: [1, 2, 3], replacing: former.map(Sample.id),
                coolingUntil: .start + .hours(24), now: .start, on: $0)
        }
    }

    private func charge(_ database: any Database) async throws -> AccountPINRecord? {
        try await database.write { try AccountPINs.charge(Sample.account, now: .start, on: $0) }
    }

    private func find(_ database: any Database) async throws -> AccountPINRecord? {
        try await database.read { try AccountPINs.find(Sample.account, on: $0) }
    }

    @Test(
        "Of a thousand guesses at once five are compared, and the last of them locks once",
        arguments: EngineUnderTest.all)
    func charges(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        #expect(try await set(database))
        let charged = try await concurrently(1000) { _ in try await charge(database) }.compactMap { $0 }
        #expect(charged.map(\.failed).sorted() == [1, 2, 3, 4, 5])
        #expect(charged.count { $0.isUsedUp } == 1)
        let locked = try await concurrently(16) { _ in
            try await database.write {
                try AccountPINs.lock(Sample.account, version: Sample.id(1), now: .start + .seconds(1), on: $0)
            }
        }
        #expect(locked.count { $0 } == 1)
        let record = try await find(database)
        #expect(record?.state == .locked)
        #expect(record?.lockedAt == .start + .seconds(1))
        #expect(record?.isOpen == false)
        #expect(try await charge(database) == nil)
        let late = try await database.write {
            try AccountPINs.prove(Sample.account, version: Sample.id(1), rehashed: nil, on: $0)
        }
        #expect(!late)
    }

    @Test(
        "A right one resets the row and returns its own charge; thirty wrong ones in total end it",
        arguments: EngineUnderTest.all)
    func altogether(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        #expect(try await set(database))
        var wrong = 0
        while try await charge(database) != nil {
            wrong += 1
            guard wrong % 4 == 0 else { continue }
            guard try await charge(database) != nil else { break }
            let proved = try await database.write {
                try AccountPINs.prove(Sample.account, version: Sample.id(1), rehashed: [4], on: $0)
            }
            #expect(proved)
            #expect(try await find(database)?.failed == 0)
        }
        #expect(Int64(wrong) == AccountPINLimits.altogether)
        #expect(try await find(database)?.hash == [4])
        let locked = try await database.write {
            try AccountPINs.lock(Sample.account, version: Sample.id(1), now: .start, on: $0)
        }
        #expect(locked)
    }

    @Test(
        "What was compared with one PIN says nothing of the next, and of two that set one at once one does",
        arguments: EngineUnderTest.all)
    func versions(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        #expect(try await set(database))
        #expect(try await charge(database)?.version == Sample.id(1))
        let winners = try await concurrently(16) { number in
            try await set(database, number + 2, replacing: 1)
        }
        #expect(winners.count { $0 } == 1)
        let found = try await find(database)
        #expect(found?.failed == 0)
        #expect(found?.failedTotal == 0)
        let (proved, locked) = try await database.write { connection in
            (
                try AccountPINs.prove(Sample.account, version: Sample.id(1), rehashed: nil, on: connection),
                try AccountPINs.lock(Sample.account, version: Sample.id(1), now: .start, on: connection)
            )
        }
        #expect(!proved)
        #expect(!locked)
        #expect(try await set(database, 99) == false)
    }

    @Test("A PIN goes with the account's erasure", arguments: EngineUnderTest.all)
    func ends(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        #expect(try await set(database))
        _ = try await database.write { try Accounts.erase(Sample.account, with: Sample.dependents, on: $0) }
        #expect(try await find(database) == nil)
    }

    @Test(
        "Its end ends the sessions that it opened, and neither a password's nor a device's PIN's",
        arguments: EngineUnderTest.all)
    func sessions(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        try await database.write { connection in
            for (number, amr) in [(1, "pin otp"), (2, "pin swk"), (3, "hwk pin"), (4, "pwd otp"), (5, "pin")] {
                var session = Sample.newSession(Sample.id(2000 + number))
                session.amr = amr
                _ = try Sessions.open(session, on: connection)
            }
            try Sessions.endAll(
                ofAccountPIN: Sample.account, because: .accountPINChanged, now: .start, on: connection)
        }
        let ended = try await database.read { connection in
            try connection.query(
                "SELECT amr FROM sessions WHERE revoked_reason = 'account_pin_changed' ORDER BY amr", []
            ).map { try $0.text("amr") }
        }
        #expect(ended == ["pin", "pin otp"])
    }

    @Test(
        "It counts for payments once its cooling period is over, and none does that is not there",
        arguments: EngineUnderTest.all)
    func cooling(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        func isSettled(at now: Timestamp) async throws -> Bool {
            try await database.read { try AccountPINs.isSettled(of: Sample.account, now: now, on: $0) }
        }
        #expect(try await isSettled(at: .start + .hours(48)) == false)
        #expect(try await set(database))
        #expect(try await isSettled(at: .start + .hours(23)) == false)
        #expect(try await isSettled(at: .start + .hours(24)))
        _ = try await charge(database)
        #expect(try await find(database)?.chargedAt == .start)
        #expect(try await set(database, 2, replacing: 1))
        #expect(try await find(database)?.chargedAt == nil)
    }

    @Test("The accounts of a brand that have one are found page by page, and no others", arguments: EngineUnderTest.all)
    func accounts(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        #expect(try await set(database))
        let (brand, first, next, others) = try await database.read { connection in
            let brand = try Accounts.find(Sample.account, on: connection)?.brandID ?? ""
            return (
                brand, try AccountPINs.accounts(of: brand, after: nil, limit: 10, on: connection),
                try AccountPINs.accounts(of: brand, after: Sample.account, limit: 10, on: connection),
                try AccountPINs.accounts(of: "another", after: nil, limit: 10, on: connection)
            )
        }
        #expect(!brand.isEmpty)
        #expect(first == [Sample.account])
        #expect(next.isEmpty)
        #expect(others.isEmpty)
    }
}
