import Core
import Store
import Testing
import WalletAuthWire

@testable import SignIn

@Suite struct FactorRaces {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private static let code = OpenFactorRecord.Code(
        mac: Sample.digest(5), keyID: KeyID(1), expiresAt: .start + .minutes(5))

    /// A database with one factor that waits for its code.
    private func waiting(_ engine: EngineUnderTest) async throws -> (any Database, UniqueID) {
        let database = try await engine.furnished(scratch)
        let id = Sample.id(77)
        let sent = try await database.write { connection in
            try OpenFactors.open(
                OpenFactorRecord(
                    id: id, accountID: Sample.account, kind: .email, expiresAt: .start + .minutes(10)),
                on: connection)
            return try OpenFactors.send(id, Self.code, unlessSentAfter: .start, now: .start, on: connection)
        }
        #expect(sent)
        return (database, id)
    }

    @Test("Of 200 answers at once five get a try, and none gets one after the end", arguments: EngineUnderTest.all)
    func tries(engine: EngineUnderTest) async throws {
        let (database, id) = try await waiting(engine)
        let reserved = try await concurrently(200) { _ in
            try await database.write { try OpenFactors.reserveTry(id, now: .start, on: $0)?.tries }
        }
        #expect(reserved.compactMap { $0 }.sorted() == [1, 2, 3, 4, 5])
        let late = try await database.write {
            try OpenFactors.reserveTry(id, now: .start + .minutes(10), on: $0)
        }
        #expect(late == nil)
    }

    @Test(
        "Of 64 right answers at once one ends the factor; a code sent meanwhile keeps it",
        arguments: EngineUnderTest.all)
    func oneEnd(engine: EngineUnderTest) async throws {
        let (database, id) = try await waiting(engine)
        let stale = try await database.write {
            try OpenFactors.end(id, as: .email, mac: Sample.digest(6), on: $0)
        }
        #expect(!stale)
        let other = try await database.write {
            try OpenFactors.end(id, as: .totp, mac: Self.code.mac, on: $0)
        }
        #expect(!other)
        let ended = try await concurrently(64) { _ in
            try await database.write { try OpenFactors.end(id, as: .email, mac: Self.code.mac, on: $0) }
        }
        #expect(ended.count { $0 } == 1)
    }

    @Test(
        "A code is sent three times in all, half a minute apart, however many ask at once",
        arguments: EngineUnderTest.all)
    func sends(engine: EngineUnderTest) async throws {
        let (database, id) = try await waiting(engine)
        var sent = 1
        for round in Int64(0)..<5 {
            let now = Timestamp.start + .seconds(round * 30)
            let allowed = try await concurrently(16) { _ in
                try await database.write {
                    try OpenFactors.send(id, Self.code, unlessSentAfter: now - .seconds(30), now: now, on: $0)
                }
            }
            #expect(allowed.count { $0 } <= 1)
            sent += allowed.count { $0 }
        }
        #expect(sent == 3)
    }

    @Test("Of 64 callers with one step one spends it, and none spends an earlier one", arguments: EngineUnderTest.all)
    func steps(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        let activated = try await database.write { connection in
            try TOTPSecrets.begin(
                [7], of: Sample.account, by: Sample.session, until: .start + .minutes(10), now: .start,
                on: connection)
            return try TOTPSecrets.activate(
                [7], of: Sample.account, by: Sample.session, step: 100, coolingUntil: .start + .days(1), now: .start,
                on: connection)
        }
        #expect(activated)
        let spent = try await concurrently(64) { _ in
            try await database.write { try TOTPSecrets.spend(step: 101, of: Sample.account, sealed: [7], on: $0) }
        }
        #expect(spent.count { $0 } == 1)
        for step in [Int64(99), 100, 101] {
            let again = try await database.write {
                try TOTPSecrets.spend(step: step, of: Sample.account, sealed: [7], on: $0)
            }
            #expect(!again, "\(step)")
        }
    }

    @Test("Of 64 callers with one recovery code one spends it", arguments: EngineUnderTest.all)
    func recoveryCodes(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        try await database.write {
            try RecoveryCodes.replace(
                of: Sample.account, with: [Sample.digest(1), Sample.digest(2)], now: .start, on: $0)
        }
        let spent = try await concurrently(64) { _ in
            try await database.write { try RecoveryCodes.spend(Sample.digest(1), of: Sample.account, on: $0) }
        }
        #expect(spent.count { $0 } == 1)
        let factors = try await database.read { try AccountFactors.find(Sample.account, on: $0) }
        #expect(factors.recoveryCodes == 1)
    }

    @Test("One question at a time is asked, by however many at once", arguments: EngineUnderTest.all)
    func questions(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        try await database.write {
            try SecretQuestions.replace(
                of: Sample.account,
                with: ["a", "b", "c"].map { SecretQuestions.Record(question: $0, answer: [1]) }, now: .start, on: $0)
        }
        let asked = try await concurrently(32) { caller in
            try await database.write {
                try SecretQuestions.ask(of: Sample.account, number: UInt64(caller), on: $0)?.question
            }
        }
        #expect(Set(asked).count == 1)
    }
}
