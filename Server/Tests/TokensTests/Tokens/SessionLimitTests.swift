import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel

@Suite("How many sessions an account may have at a client", .covers("the sessions of one account at a client"))
struct SessionLimitTests {
    private func living(_ server: TestServer) async throws -> Int64 {
        try await server.rows(of: "sessions WHERE revoked_at IS NULL")
    }

    @Test("The session that was idle longest ends, the audit log says so, and the person hears of it once a day")
    func oldest() async throws {
        let server = try await TestServer.start { $0.sessions.limit = 3 }
        let account = try await server.account()
        let client = try await server.bearerClient()
        func signIn() async throws -> RefreshToken {
            server.clock.advance(by: .seconds(1))
            return try #require(try await client.signIn(account).refreshToken)
        }
        let (first, second, third) = (try await signIn(), try await signIn(), try await signIn())
        #expect(try await living(server) == 3)
        server.clock.advance(by: .seconds(1))
        let used = try #require(try await client.refresh(first).tokens().refreshToken)

        let fourth = try await signIn()
        #expect(try await living(server) == 3)
        #expect(try await client.refresh(second).refusal == .invalidGrant)
        for token in [used, third, fourth] { _ = try await client.refresh(token).tokens() }
        #expect(try await server.rows(of: "sessions WHERE revoked_reason = 'limit_reached'") == 1)
        #expect(try await server.rows(of: "security_events WHERE kind = 'session.limit_reached'") == 1)

        _ = try await signIn()
        #expect(try await server.rows(of: "security_events WHERE kind = 'session.limit_reached'") == 2)
        #expect(try await server.messages().count { $0.kind == "session_ended_limit" } == 1)
        server.clock.advance(by: .hours(49))
        _ = try await signIn()
        #expect(try await server.messages().count { $0.kind == "session_ended_limit" } == 2)
    }

    @Test("Sessions of other clients and other people end no session")
    func others() async throws {
        let server = try await TestServer.start { $0.sessions.limit = 1 }
        let (ada, bob) = (try await server.account("ada"), try await server.account("bob"))
        let (app, web) = (try await server.bearerClient("app"), try await server.bearerClient("web"))
        for account in [ada, bob] {
            for client in [app, web] { _ = try await client.signIn(account) }
        }
        #expect(try await living(server) == 4)
    }

    @Test(
        "attack: one person's sign-ins, at once or in a row, leave no more rows than the limit allows, and the log counts each end once"
    )
    func flood() async throws {
        let server = try await TestServer.start { $0.sessions.limit = 5 }
        let account = try await server.account()
        let client = try await server.bearerClient()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask { _ = try await client.signIn(account) } }
            try await group.waitForAll()
        }
        for _ in 0..<150 {
            server.clock.advance(by: .seconds(1))
            _ = try await client.signIn(account)
        }
        #expect(try await living(server) == 5)
        // A hundred ended ones are kept, and those beyond are forgotten once there are 32 of them.
        #expect(try await server.rows(of: "sessions") <= 5 + 132)
        let id = try #require(UniqueID(bytes: account.bytes))
        let events = try await server.context.database.read { try SecurityEvents.list(of: id, limit: 1000, on: $0) }
        let ended = try events.filter { $0.kind == "session.limit_reached" }.map {
            try JSONValue.object(parsing: Array($0.details.utf8)).integer("sessions") ?? 0
        }
        #expect(ended.reduce(0, +) == 165)
    }

    @Test(
        "attack: after floods at several apps, a sign-out everywhere writes no more rows than the limit for each of them"
    )
    func revocationOfFloods() async throws {
        let server = try await TestServer.start { $0.sessions.limit = 4 }
        let account = try await server.account()
        let clients = [try await server.bearerClient("app"), try await server.bearerClient("web")]
        for _ in 0..<30 {
            server.clock.advance(by: .seconds(1))
            for client in clients { _ = try await client.signIn(account) }
        }
        let id = try #require(UniqueID(bytes: account.bytes))
        let now = server.clock.now()
        let written = try await server.context.database.write {
            try Sessions.endAll(of: id, because: .administrator, now: now, on: $0)
        }
        #expect(written == 4 * clients.count)
    }

    @Test(
        "attack: sessions that expire before a sweep add at most the limit to what a sign-out everywhere writes",
        .threat("A flood of sessions"))
    func revocationAfterExpiry() async throws {
        let server = try await TestServer.start { $0.sessions.limit = 4 }
        let account = try await server.account()
        let client = try await server.bearerClient()
        for _ in 0..<2 {
            for _ in 0..<20 {
                server.clock.advance(by: .seconds(1))
                _ = try await client.signIn(account)
            }
            server.clock.advance(by: .days(31))
        }
        let id = try #require(UniqueID(bytes: account.bytes))
        let now = server.clock.now()
        let written = try await server.context.database.write {
            try Sessions.endAll(of: id, because: .administrator, now: now, on: $0)
        }
        #expect(written == 2 * 4)
    }

    @Test("A limit of one session leaves the keys of a hundred ended ones known")
    func knownKeys() async throws {
        let server = try await TestServer.start { $0.sessions.limit = 1 }
        let account = try await server.account()
        let client = try await server.bearerClient()
        for _ in 0..<6 {
            server.clock.advance(by: .seconds(1))
            _ = try await client.signIn(account)
        }
        #expect(try await living(server) == 1)
        #expect(try await server.rows(of: "sessions WHERE revoked_reason = 'limit_reached'") == 5)
    }

    @Test("attack: sign-ins that are revoked by presenting a spent token leave a bounded number of rows")
    func revokedFlood() async throws {
        let server = try await TestServer.start()
        let account = try await server.account()
        let client = try await server.bearerClient()
        for _ in 0..<145 {
            server.clock.advance(by: .minutes(1))
            let first = try #require(try await client.signIn(account).refreshToken)
            let second = try #require(try await client.refresh(first).tokens().refreshToken)
            _ = try await client.refresh(second).tokens()
            #expect(try await client.refresh(first).refusal == .invalidGrant)
        }
        // As for ended ones: a hundred, and up to 32 until the next search.
        #expect(try await server.rows(of: "sessions WHERE revoked_reason = 'refresh_reuse'") <= 132)
    }

    @Test("A lower limit applies at the next sign-in")
    func lowered() async throws {
        let former = try await TestServer.start()
        let account = try await former.account()
        let client = try await former.bearerClient()
        for _ in 0..<10 { _ = try await client.signIn(account) }
        #expect(try await living(former) == 10)
        let server = try await former.restarted { $0.sessions.limit = 2 }
        _ = try await client.at(server).signIn(account)
        #expect(try await living(server) == 2)
    }
}
