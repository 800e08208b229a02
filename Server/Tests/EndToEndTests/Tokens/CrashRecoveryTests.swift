import Foundation
import Synchronization
import Testing

/// What is left of 64 sessions when the power goes out in the middle of their refreshes.
@Suite("kill -9", .covers("kill -9 in the middle of 64 parallel refreshes, 8 times"))
struct CrashRecoveryTests {
    /// One session as its client knows it.
    fileprivate struct Holder: Sendable {
        /// The newest refresh token that the server acknowledged.
        var token: String
        /// The refresh under way: kept until its answer is there, and repeated after a crash.
        var attempt: String
        /// Every token ever presented, with each successor that was answered to it.
        var successors: [String: Set<String>] = [:]
    }

    @Test(
        """
        kill -9 in the middle of 64 parallel refreshes and restart, 8 times: \
        no acknowledged rotation is lost, no session has two living successors
        """, .onlySQLite("five rounds on PostgreSQL: OnPostgreSQLTests"))
    func crashes() async throws {
        try await withServer { server in
            try await survive(8, sessions: 64, on: server) {
                let check = try await server.administer(["database", "check"])
                #expect(check.succeeded, "\(check.errors)")
            }
        }
    }

    /// Kills a server again and again, and counts what is left.
    /// - Parameter checking: before the last sessions end.
    func survive(
        _ rounds: Int, sessions: Int, on server: RunningServer, checking: () async throws -> Void = {}
    ) async throws {
        let client = StandardClient(try await server.makeRelyingApp(), at: server, connections: sessions)
        var holders = try await openSessions(sessions, client)
        for _ in 1...rounds {
            holders = await refreshUntilCrash(holders, client, after: Int.random(in: 1...300))
            // Should all of them have been refused before.
            await server.crash()
            try await server.start()
            holders = try await recover(holders, client)
        }
        for holder in holders {
            #expect(holder.successors.values.allSatisfy { $0.count == 1 }, "a token has exactly one successor")
        }
        try await checking()
        try await expectOneLivingToken(holders, client)
    }

    /// The first sign-in is by password; the browser's session makes the others silent.
    private func openSessions(_ count: Int, _ client: StandardClient) async throws -> [Holder] {
        let person = try await client.server.makeAccount()
        let browser = HeadlessBrowser(ledger: client.server.ledger)
        var holders: [Holder] = []
        for _ in 0..<count {
            let journey = await client.beginAuthorization()
            let code = try await client.authorizationCode(for: person, journey, in: browser)
            let tokens = try client.tokens(await client.redeem(code, verifier: journey.verifier))
            holders.append(Holder(token: tokens.refresh, attempt: randomText(16)))
        }
        return holders
    }

    /// Every holder refreshes as fast as it can; the server is killed once `budget` answers have come.
    private func refreshUntilCrash(_ holders: [Holder], _ client: StandardClient, after budget: Int) async -> [Holder] {
        let countdown = Countdown(from: budget)
        return await withTaskGroup(of: (Int, Holder).self) { group in
            for (index, holder) in holders.enumerated() {
                group.addTask {
                    var holder = holder
                    while let answer = try? await client.refresh(holder.token, attempt: holder.attempt),
                        let tokens = try? client.tokens(answer)
                    {
                        holder.accept(tokens.refresh)
                        if countdown.reachesZero() { await client.server.crash() }
                    }
                    return (index, holder)
                }
            }
            return await group.reduce(into: holders) { $0[$1.0] = $1.1 }
        }
    }

    /// Repeats each interrupted refresh. It may have been committed or not: the holder cannot know, and need not.
    private func recover(_ holders: [Holder], _ client: StandardClient) async throws -> [Holder] {
        try await atOnce(holders) { holder in
            let answer = try client.tokens(await client.refresh(holder.token, attempt: holder.attempt))
            let again = try client.tokens(await client.refresh(holder.token, attempt: holder.attempt))
            #expect(again.refresh == answer.refresh, "a repeated attempt has the same successor")
            holder.accept(answer.refresh)
        }
    }

    /// The newest token works; any spent one ends the session, so nothing but the newest was alive.
    private func expectOneLivingToken(_ holders: [Holder], _ client: StandardClient) async throws {
        _ = try await atOnce(holders) { holder in
            let newest = try client.tokens(await client.refresh(holder.token, attempt: holder.attempt)).refresh
            let first = holder.successors.keys.first
            let spent = try #require(first)
            for token in [spent, newest] {
                let refused = try await client.refresh(token, attempt: randomText(16))
                #expect(refused.members["error"] == "invalid_grant")
            }
        }
    }

    /// Has all holders do the same at once: one after the other, each would wait for the disk alone.
    private func atOnce(
        _ holders: [Holder], _ act: @escaping @Sendable (inout Holder) async throws -> Void
    ) async throws -> [Holder] {
        try await withThrowingTaskGroup(of: (Int, Holder).self) { group in
            for (index, holder) in holders.enumerated() {
                group.addTask {
                    var holder = holder
                    try await act(&holder)
                    return (index, holder)
                }
            }
            return try await group.reduce(into: holders) { $0[$1.0] = $1.1 }
        }
    }
}

/// Tells exactly one of many tasks that it was the last.
private final class Countdown: Sendable {
    private let left: Mutex<Int>

    init(from start: Int) { left = Mutex(start) }

    func reachesZero() -> Bool {
        left.withLock { left in
            left -= 1
            return left == 0
        }
    }
}

extension CrashRecoveryTests.Holder {
    fileprivate mutating func accept(_ successor: String) {
        successors[token, default: []].insert(successor)
        token = successor
        attempt = randomText(16)
    }
}
