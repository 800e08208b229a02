import Core
import FlowSupport
import Store
import Synchronization
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations

@Suite("The key ring")
struct KeyRingTests {
    private func ring(_ server: TestServer) async throws -> (KeyRing, CountingDatabase) {
        let database = CountingDatabase(server.context.database)
        let masterKeys = try TestServer.masterKeys()
        return (try await KeyRing(database: database, masterKeys: masterKeys, now: server.clock.now()), database)
    }

    @Test("attack: a thousand forged key ids at once are one read, and those of the same second none")
    func stampede() async throws {
        let server = try await TestServer.start()
        let (ring, database) = try await ring(server)
        let now = server.clock.now() + .seconds(2)
        let before = database.reads
        for round in 0..<2 {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for id in 0..<1000 {
                    group.addTask {
                        let moment = now + .milliseconds(round)
                        let found = try await ring.findKey(.refresh, KeyID(UInt32(1000 + id)), now: moment)
                        #expect(found == nil)
                    }
                }
                try await group.waitForAll()
            }
        }
        #expect(database.reads - before == 1)
    }

    @Test("A clock that was moved back causes one read, not one for each request; requests a moment apart cause none")
    func clockMovedBack() async throws {
        let server = try await TestServer.start()
        let (ring, database) = try await ring(server)
        let now = server.clock.now()
        let before = database.reads
        for step in 0..<50 { try await ring.refreshIfStale(now: now - .milliseconds(step % 2)) }
        #expect(database.reads == before)
        for step in 0..<50 { try await ring.refreshIfStale(now: now - .days(1) - .milliseconds(step % 2)) }
        #expect(database.reads == before + 1)
    }

    @Test("Every one of many callers learns a key that another process has just made")
    func newKey() async throws {
        let server = try await TestServer.start()
        let (ring, _) = try await ring(server)
        try await server.administer(["keys", "rotate", "refresh"])
        let now = server.clock.now() + .seconds(2)
        let found = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<100 { group.addTask { try await ring.findKey(.refresh, KeyID(2), now: now) != nil } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(found.allSatisfy { $0 })
    }

    @Test("A retired key of a short-lived purpose opens as long as what it sealed may live; one at rest opens for ever")
    func retirement() async throws {
        let server = try await TestServer.start()
        let context = server.context
        let lives: [(KeyPurpose, Duration?)] = [
            (.code, .minutes(10)), (.signIn, .minutes(15)), (.page, .days(180)), (.personal, nil), (.outbox, nil),
        ]
        for (purpose, life) in lives {
            let sealed = try context.sealing.seal([1, 2, 3], for: purpose, context: "test")
            try await server.administer(["keys", "rotate", purpose.rawValue])
            server.clock.advance(by: (life ?? .days(1000)) - .seconds(1))
            #expect(context.sealing.open(sealed, for: purpose, context: "test") == [1, 2, 3], "\(purpose)")
            server.clock.advance(by: .seconds(1))
            #expect((context.sealing.open(sealed, for: purpose, context: "test") == nil) == (life != nil), "\(purpose)")
        }
        try await server.administer(["keys", "rotate", "nonce"])
        #expect(context.keyRing.keys(.nonce, at: server.clock.now()).count == 2)
        server.clock.advance(by: .minutes(10))
        #expect(context.keyRing.keys(.nonce, at: server.clock.now()).count == 1)
    }
}

@Suite("Rotating every key")
struct EveryKeyTests {
    /// The data keys that seal the signing keys in this state.
    private func seals(of state: SigningKeyState, on server: TestServer) async throws -> [KeyID?] {
        try await server.context.database.read { try SigningKeys.published(on: $0) }
            .filter { $0.state == state }.map { $0.sealedPrivate.flatMap(Sealing.keyID(of:)) }
    }

    @Test("After a leak one command makes a key for each purpose and a successor of each signing key; sessions go on")
    func all() async throws {
        let server = try await TestServer.start()
        let client = try await server.bearerClient()
        let session = try await client.signIn(server.account())
        let answer = await server.flows.administration.execute(["keys", "rotate", "all"])
        #expect(answer.status == .done)
        #expect(answer.lines.contains { $0.contains("walletauth audit key") }, "\(answer.lines)")
        for purpose in KeyPurpose.allCases {
            #expect(try server.context.keyRing.active(purpose).id == KeyID(2), "\(purpose)")
        }
        let published = try await server.context.database.read { try SigningKeys.published(on: $0) }
        let expected = SigningAlgorithm.allCases.map { _ in KeyID(2) }
        #expect(try await seals(of: .next, on: server) == expected)
        _ = try await client.refresh(try #require(session.refreshToken)).tokens()
        #expect(try await server.verifyAudit().findings.isEmpty)
        let tail = try await server.administer(["audit", "tail", "--kind", "keys.rotated"])
        #expect(tail["entries"]?.array?.count == KeyPurpose.allCases.count + 1)
        try await server.administer(AdminRequest(["keys", "revoke", "--"] + published.map(\.kid)))
        #expect(try await seals(of: .active, on: server) == expected)
    }

    @Test("attack: a successor that was published before the leak is withdrawn, and so never signs")
    func publishedSuccessors() async throws {
        let server = try await TestServer.start()
        try await server.administer(["keys", "rotate"])
        func keys(_ state: SigningKeyState) async throws -> Set<String> {
            Set(
                try await server.context.database.read { try SigningKeys.published(on: $0) }
                    .filter { $0.state == state }.map(\.kid))
        }
        let (leaked, signing) = try await (keys(.next), keys(.active))
        let answer = try await server.administer(["keys", "rotate", "all"])
        #expect(Set(answer["revokedKeyIds"]?.strings ?? []) == leaked)
        #expect(leaked.count == SigningAlgorithm.allCases.count)
        let successors = try await keys(.next)
        #expect(successors.isDisjoint(with: leaked) && successors.count == leaked.count)
        #expect(try await seals(of: .next, on: server) == SigningAlgorithm.allCases.map { _ in KeyID(2) })
        let tail = try await server.administer(["audit", "tail", "--kind", "keys.rotated"])
        let details = tail["entries"]?.array?.compactMap { $0.object?["details"]?.object }
        #expect(Set((details ?? []).flatMap { $0["revokedKeyIds"]?.strings ?? [] }) == leaked)
        // What signs takes no leaked key's place, whichever way it is replaced.
        try await server.administer(AdminRequest(["keys", "revoke", "--"] + signing))
        #expect(try await keys(.active) == successors)
        server.clock.advance(by: SigningKeySchedule().publicationLead)
        try await server.flows.maintenance.run()
        let published = try await server.flows.discovery.keySet().set
        #expect(leaked.allSatisfy { published[$0] == nil })
    }

    @Test(
        """
        attack: a finder of the old data keys opens none of the new signing keys, although two processes seal with the old ones \
        until both have the new; both sign with them at once
        """)
    func settling() async throws {
        try await TwoProcesses.run { processes in
            try await processes.first.administer(["keys", "rotate", "all"])
            #expect(try processes.first.context.keyRing.active(.signing).id == KeyID(1))
            let expected = SigningAlgorithm.allCases.map { _ in KeyID(2) }
            #expect(try await seals(of: .next, on: processes.first) == expected)
            let published = try await processes.first.context.database.read { try SigningKeys.published(on: $0) }
            // Without a published successor, others are made.
            try await processes.second.administer(AdminRequest(["keys", "revoke", "--"] + published.map(\.kid)))
            #expect(try await seals(of: .active, on: processes.second) == expected)
            let signer = try processes.second.context.keyRing.signer(.es256).id
            #expect(try await becomesTrue { try processes.first.context.keyRing.signer(.es256).id == signer })
        }
    }
}

/// Counts what is read.
private final class CountingDatabase: Database {
    private let base: any Database
    private let count = Mutex(0)

    init(_ base: any Database) { self.base = base }

    var reads: Int { count.withLock { $0 } }

    func read<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
        count.withLock { $0 += 1 }
        return try await base.read(body)
    }

    func write<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
        try await write(isolation: .serializable, body)
    }

    func write<T: Sendable>(
        isolation: WriteIsolation, _ body: @escaping @Sendable (any SQLConnection) throws -> T
    ) async throws -> T {
        try await base.write(isolation: isolation, body)
    }
}
