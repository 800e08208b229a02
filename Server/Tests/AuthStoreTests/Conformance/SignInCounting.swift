import Core
import Kernel
import SignIn
import Store
import Testing

@Suite struct SignInCounting {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private enum Activity: CaseIterable {
        case rotation, extending, something
    }

    @Test(
        "What a sign-in proved counts for longer by what is done in time, whatever it is, and never again once nothing was",
        arguments: EngineUnderTest.all)
    func chain(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        for (number, activity) in Activity.allCases.enumerated() {
            let id = Sample.id(3000 + number)
            let opened = try await database.write { try Sessions.open(Sample.newSession(id), on: $0) }
            #expect(opened)
            /// What is there after something was done at a time, from generation 0 or 1 on.
            func after(_ now: Timestamp, from generation: Int64) async throws -> Timestamp? {
                let (end, counting) = (now + .days(30), now + .minutes(5))
                return try await database.write { connection in
                    switch activity {
                    case .rotation:
                        _ = try Sessions.rotate(
                            id, from: generation, attemptHash: nil, now: now, expiresAt: end, countingUntil: counting,
                            on: connection)
                    case .extending:
                        _ = try Sessions.extend(
                            id, at: 0, now: now, expiresAt: end, countingUntil: counting, on: connection)
                    case .something: try Sessions.keepCounting(id, until: counting, now: now, on: connection)
                    }
                    return try Sessions.find(id, on: connection)?.facts.countsUntil
                }
            }
            let inTime = try await after(.start + .minutes(5), from: 0)
            #expect(inTime == .start + .minutes(10), "\(activity)")
            let late = try await after(.start + .minutes(10) + .milliseconds(1), from: 1)
            #expect(late == .start + .minutes(10), "\(activity)")
            let later = try await after(.start + .minutes(11), from: 2)
            #expect(later == .start + .minutes(10), "\(activity)")
        }
    }

    @Test(
        "An authenticator app that was taken away goes on to cool, and one that is set up again restarts the period",
        arguments: EngineUnderTest.all)
    func authenticator(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        func isCooling(_ now: Timestamp) async throws -> Bool {
            try await database.read { try TOTPSecrets.isCooling(of: Sample.account, now: now, on: $0) }
        }
        let before = try await isCooling(.start)
        #expect(!before)
        for hours in [Int64(0), 2] {
            let now = Timestamp.start + .hours(hours)
            let confirmed = try await database.write { connection in
                try TOTPSecrets.begin(
                    [7], of: Sample.account, by: Sample.session, until: now + .minutes(10), now: now, on: connection)
                return try TOTPSecrets.activate(
                    [7], of: Sample.account, by: Sample.session, step: 100, coolingUntil: now + .hours(1), now: now,
                    on: connection)
            }
            #expect(confirmed)
            let removed = try await database.write { try TOTPSecrets.remove(of: Sample.account, on: $0) }
            #expect(removed)
            let during = try await isCooling(now + .minutes(59))
            let after = try await isCooling(now + .hours(1))
            #expect(during)
            #expect(!after)
        }
    }
}
