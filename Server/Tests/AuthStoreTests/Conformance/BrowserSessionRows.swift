import Core
import Store
import Testing

@testable import Kernel
@testable import SignIn

/// The rows of browser sessions, on every engine.
@Suite struct BrowserSessionRows {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test("A browser session lives until it ends, expires or its account changes", arguments: EngineUnderTest.all)
    func browserSessions(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        let session = BrowserSessionRecord(
            idHash: Sample.digest(1), accountID: Sample.account, securityVersion: 1, authTime: .start, acr: "a",
            amr: "pwd", createdAt: .start, expiresAt: .start + .hours(8),
            kind: BrowserKind(browser: .samsungInternet, system: .android))
        let (begun, found, late, changed, stale) = try await database.write { connection in
            let begun = try BrowserSessions.begin(session, on: connection)
            let found = try BrowserSessions.living(session.idHash, now: .start, on: connection)
            let late = try BrowserSessions.living(session.idHash, now: .start + .hours(8), on: connection)
            try Accounts.raiseSecurityVersion(of: Sample.account, on: connection)
            let changed = try BrowserSessions.living(session.idHash, now: .start, on: connection)
            return (begun, found, late, changed, try BrowserSessions.begin(session, on: connection))
        }
        #expect(begun)
        #expect(found == session)
        #expect(late == nil)
        #expect(changed == nil)
        #expect(!stale)
    }

    @Test(
        "A browser session keeps its last use and its kind; a family that a later program knows is unknown",
        arguments: EngineUnderTest.all)
    func browserKinds(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        let session = BrowserSessionRecord(
            idHash: Sample.digest(1), accountID: Sample.account, securityVersion: 1, authTime: .start, acr: nil,
            amr: "pwd", createdAt: .start, expiresAt: .start + .hours(8),
            kind: BrowserKind(browser: .firefox, system: .linux))
        let listed = try await database.write { connection in
            _ = try BrowserSessions.begin(session, on: connection)
            func list() throws -> BrowserSessionRecord? {
                let all = try BrowserSessions.living(of: Sample.account, now: .start, limit: 2, on: connection)
                return all.first
            }
            var records = [try list()]
            // The earlier one arrives late.
            for minutes in [9, 4] as [Int64] {
                try BrowserSessions.use(session.idHash, from: nil, now: .start + .minutes(minutes), on: connection)
                records.append(try list())
            }
            try connection.execute("UPDATE browser_sessions SET browser = 'netscape', system = NULL", [])
            records.append(try list())
            return records
        }
        #expect(listed.map { $0?.lastUsedAt } == [.start] + Array(repeating: .start + .minutes(9), count: 3))
        #expect(listed[...2].allSatisfy { $0?.kind == session.kind })
        #expect(listed[3]?.kind == BrowserKind())
    }
}
