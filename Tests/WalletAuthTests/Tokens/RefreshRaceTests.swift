import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthWire

@Suite("Refreshing never loses anybody", .covers("a refresh race"))
struct RefreshRaceTests {
    @Test("A thousand callers at an expired token make one refresh and all get the new token")
    func thousandCallers() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        let former = try await wallet.accessToken()
        world.expireToken()
        let tokens = try await withThrowingTaskGroup(of: AccessToken.self) { group in
            for _ in 0..<1000 { group.addTask { try await wallet.accessToken() } }
            return try await group.reduce(into: Set<AccessToken>()) { $0.insert($1) }
        }
        #expect(world.refreshes == 1)
        #expect(tokens.count == 1)
        #expect(!tokens.contains(former))
    }

    @Test("Sixty-four processes of one store refresh at the same moment: one request, and no one signed out")
    func manyProcesses() async throws {
        let world = World()
        _ = try await world.signedIn()
        world.expireToken()
        let tokens = try await withThrowingTaskGroup(of: AccessToken.self) { group in
            for _ in 0..<64 {
                let wallet = try world.wallet()
                group.addTask { try await wallet.accessToken() }
            }
            return try await group.reduce(into: Set<AccessToken>()) { $0.insert($1) }
        }
        #expect(world.refreshes == 1)
        #expect(tokens.count == 1)
        #expect(world.living.count == 1)
    }

    @Test("A lost answer is made up for by the same attempt, and the session goes on")
    func lostAnswer() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        world.expireToken()
        world.server.inject(.loseAnswer, at: "/oauth2/token")
        let token = Task { try await wallet.accessToken() }
        await world.clock.waitForSleepers()
        world.clock.advance(by: .seconds(2))
        _ = try await token.value
        let attempts = world.server.requests.compactMap { $0.form["attempt"] }
        #expect(attempts.count == 2)
        #expect(Set(attempts).count == 1)
        #expect(world.living.first?.generation == 1)
    }

    @Test("A lost answer that outlives the app: days later the next process repeats the attempt and is let in")
    func killedAfterSending() async throws {
        let world = World()
        _ = try await world.signedIn()
        world.expireToken()
        let first = SimulatedProcess(world.ports)
        first.kill(at: .afterSending(to: "/oauth2/token"))
        _ = await failure { try await world.wallet(ports: first.ports).accessToken() }
        #expect(world.living.first?.generation == 1)
        world.clock.advance(by: .seconds(3 * 86_400))
        let second = try await world.signedIn()
        _ = try await second.accessToken()
        #expect(world.living.count == 1)
        #expect(world.userAgent.presented.count == 1)
    }

    @Test(
        "Killed at any moment of a refresh, the app goes on with the same session at its next start",
        arguments: [
            SimulatedProcess.KillPoint.beforeStoring(), .afterStoring(), .beforeSending(to: "/oauth2/token"),
            .afterSending(to: "/oauth2/token"), .beforeSending(to: "/.well-known/oauth-authorization-server"),
        ])
    func killedAnywhere(_ point: SimulatedProcess.KillPoint) async throws {
        let world = World()
        _ = try await world.signedIn()
        world.expireToken()
        let process = SimulatedProcess(world.ports)
        let killed = try world.wallet(ports: process.ports)
        process.kill(at: point)
        _ = await failure { try await killed.accessToken() }
        #expect(!process.isAlive)
        let next = try world.wallet()
        #expect(try await next.setUp() == .restored)
        _ = try await next.accessToken()
        #expect(world.living.count == 1)
        #expect(world.server.sessions.count == 1)
    }

    @Test("Killed between the answer and the second write, the answered pair is found again by its attempt")
    func killedBeforeStoringThePair() async throws {
        let world = World()
        _ = try await world.signedIn()
        world.expireToken()
        for _ in 0..<3 {
            let process = SimulatedProcess(world.ports)
            let killed = try world.wallet(ports: process.ports)
            process.kill(at: .afterSending(to: "/oauth2/token"))
            _ = await failure { try await killed.accessToken() }
        }
        _ = try await world.wallet().accessToken()
        #expect(world.living.first?.generation == 1)
        #expect(Set(world.server.requests.compactMap { $0.form["attempt"] }).count == 1)
    }

    @Test("The attempt is in the store before the request is sent")
    func attemptFirst() async throws {
        let world = World()
        _ = try await world.signedIn()
        world.expireToken()
        let process = SimulatedProcess(world.ports)
        process.kill(at: .beforeSending(to: "/oauth2/token"))
        _ = await failure { try await world.wallet(ports: process.ports).accessToken() }
        let kept = try #require(world.store.items.values.first)
        #expect(String(decoding: kept, as: UTF8.self).contains("begun"))
    }

    @Test("The new pair is stored before anybody gets it")
    func storedBeforeHandedOut() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        world.expireToken()
        let token = try await wallet.accessToken()
        let kept = try #require(world.store.items.values.first)
        #expect(String(decoding: kept, as: UTF8.self).contains(token.reveal().replacing("/", with: "\\/")))
    }

    @Test(
        "A pair that a full disk kept out of the store is not given out, and is stored once there is room",
        .threat("Clocks, disks and crashes"))
    func fullDiskAfterTheAnswer() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        world.expireToken()
        // The attempt still finds room; the answer does not.
        world.server.inject(.delay(.seconds(1)), at: "/oauth2/token")
        let waiting = Task { await failure { try await wallet.accessToken() } }
        await world.clock.waitForSleepers()
        world.store.condition = .full
        world.clock.advance(by: .seconds(1))
        #expect(await waiting.value?.outcome == .storeUnavailable(.full))
        #expect(wallet.isLoggedIn)
        world.store.condition = .working
        _ = try await wallet.accessToken()
        #expect(world.refreshes == 1)
        #expect(world.living.count == 1)
    }

    @Test("Another process that renewed first is believed: its token is taken, nothing is sent")
    func otherProcessRenewed() async throws {
        let world = World()
        let one = try await world.signedIn()
        let other = try await world.signedIn()
        world.expireToken()
        let renewed = try await other.accessToken()
        #expect(try await one.accessToken() == renewed)
        #expect(world.refreshes == 1)
    }

    @Test("A server that does not rotate keeps its refresh token in use")
    func noRotation() async throws {
        var settings = ScriptedServer.Settings()
        settings.rotation = .never
        let world = World(settings)
        let wallet = try await world.signedIn()
        for _ in 0..<3 {
            world.expireToken()
            _ = try await wallet.accessToken()
        }
        #expect(world.refreshes == 3)
        #expect(wallet.isLoggedIn)
    }

    @Test("Only invalid_grant for the token that is stored ends a session")
    func sessionEnded() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        let changes = Changes(wallet)
        world.server.endSessions(of: "alice")
        world.expireToken()
        let error = await failure { try await wallet.accessToken() }
        #expect(error?.outcome == .signedOut(.sessionEnded))
        #expect(!wallet.isLoggedIn)
        #expect(changes.all == [.invalidated(.sessionEnded)])
    }

    @Test(
        "No other answer of a token endpoint signs anybody out",
        arguments: [
            HTTPResponse(status: 400, body: Data(#"{"error":"invalid_client"}"#.utf8)),
            HTTPResponse(status: 401, body: Data(#"{"error":"invalid_dpop_proof"}"#.utf8)),
            HTTPResponse(status: 400, body: Data(#"{"error":"invalid_request"}"#.utf8)),
            HTTPResponse(status: 403, body: Data("<html>blocked</html>".utf8)),
            HTTPResponse(status: 200, body: Data("<html>sign in to the hotel's network</html>".utf8)),
            HTTPResponse(status: 404), HTTPResponse(status: 302), HTTPResponse(status: 500),
            HTTPResponse(status: 200, body: Data(#"{"access_token":"x","token_type":"mac"}"#.utf8)),
        ])
    func otherAnswers(_ answer: HTTPResponse) async throws {
        let world = World()
        let wallet = try await world.signedIn()
        world.expireToken()
        world.server.inject(.answer(answer), at: "/oauth2/token", times: 3)
        let failing = Task { await failure { try await wallet.accessToken() } }
        if answer.status == 500 {
            for _ in 0..<2 {
                await world.clock.waitForSleepers()
                world.clock.advance(by: .seconds(2))
            }
        }
        let error = try #require(await failing.value)
        if case .signedOut = error.outcome { Issue.record("signed out by \(answer.status)") }
        #expect(wallet.isLoggedIn)
        world.server.withdrawFaults()
        world.clock.advance(by: .seconds(60))
        _ = try await wallet.accessToken()
    }
}
