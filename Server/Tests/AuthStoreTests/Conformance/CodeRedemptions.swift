import Core
import Kernel
import SignIn
import Store
import Testing

@Suite(.threat("Replayed proofs and assertions")) struct CodeRedemptions {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test("One code redeemed 64 times at once opens one session (code replay)", arguments: EngineUnderTest.all)
    func onceOnly(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        let outcomes = try await concurrently(64) { caller in
            try await database.write {
                try RedeemedCodes.redeem(
                    Sample.digest(1), digest: Sample.digest(11), keepUntil: .start + .minutes(2),
                    opening: Sample.newSession(Sample.id(3000 + caller)), on: $0)
            }
        }
        #expect(outcomes.filter { $0 == .opened }.count == 1)
        let (opened, named) = try await database.read { connection in
            (
                try Sessions.list(of: Sample.account, limit: 100, on: connection).filter { $0.id != Sample.session },
                try RedeemedCodes.find(Sample.digest(1), digest: Sample.digest(11), on: connection)
            )
        }
        #expect(opened.count == 1)
        #expect(opened.first.map { .replayed(sessionID: $0.id) } == named)
        for outcome in outcomes where outcome != .opened { #expect(outcome == named) }
    }

    @Test(
        "Of two codes of one sign-in the first opens a session; the second opens none and is no replay of the first",
        arguments: EngineUnderTest.all)
    func secondCode(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        let outcomes = try await database.write { connection in
            try [11, 12, 11].map { code in
                try RedeemedCodes.redeem(
                    Sample.digest(1), digest: Sample.digest(code), keepUntil: .start + .minutes(2),
                    opening: Sample.newSession(Sample.id(3000 + code)), on: connection)
            }
        }
        #expect(outcomes == [.opened, .otherCodeRedeemed, .replayed(sessionID: Sample.id(3011))])
    }

    @Test("A code made before the account changed opens nothing and is spent", arguments: EngineUnderTest.all)
    func accountChanged(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        let outcomes = try await database.write { connection in
            try Accounts.raiseSecurityVersion(of: Sample.account, on: connection)
            return [
                try RedeemedCodes.redeem(
                    Sample.digest(1), digest: Sample.digest(11), keepUntil: .start + .minutes(2),
                    opening: Sample.newSession(Sample.id(9), securityVersion: 1), on: connection),
                try RedeemedCodes.redeem(
                    Sample.digest(1), digest: Sample.digest(11), keepUntil: .start + .minutes(2),
                    opening: Sample.newSession(Sample.id(10), securityVersion: 2), on: connection),
            ]
        }
        #expect(outcomes == [.accountChanged, .replayed(sessionID: Sample.id(9))])
        let sessions = try await database.read { try Sessions.list(of: Sample.account, limit: 9, on: $0) }
        #expect(sessions.map(\.id) == [Sample.session])
    }

    @Test("A jti is new once, however many ask at the same time (assertion replay)", arguments: EngineUnderTest.all)
    func jti(engine: EngineUnderTest) async throws {
        let database = try await engine.migrated(scratch)
        let new = try await concurrently(64) { _ in
            try await database.write { try SeenJTIs.remember(Sample.digest(2), until: .start + .minutes(5), on: $0) }
        }
        #expect(new.filter { $0 }.count == 1)
    }

    @Test("A stored code is found until it expires", arguments: EngineUnderTest.all)
    func stored(engine: EngineUnderTest) async throws {
        let database = try await engine.migrated(scratch)
        try await database.write {
            try StoredCodes.keep(Sample.digest(4), sealed: [1, 2], until: .start + .minutes(1), on: $0)
        }
        let (inTime, late) = try await database.read { connection in
            (
                try StoredCodes.find(Sample.digest(4), now: .start, on: connection),
                try StoredCodes.find(Sample.digest(4), now: .start + .minutes(1), on: connection)
            )
        }
        #expect(inTime == [1, 2])
        #expect(late == nil)
    }
}
