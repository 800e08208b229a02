import Foundation
import Testing
import WalletAuthTesting
import WalletAuthTransport
import WalletAuthWire

@testable import WalletAuth

@Suite("Signing out", .covers("logout (Clover, Paydiant)"))
struct LogoutTests {
    @Test("It is local first: the hooks have run and the person is signed out before anything is sent")
    func localFirst() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        let seen = LockedValue<[Bool]>([])
        _ = wallet.onLogout {
            let sent = world.server.requests.contains { $0.path == "/oauth2/revoke" }
            seen.withLock { $0 += [wallet.isLoggedIn, sent] }
        }
        let changes = Changes(wallet)
        #expect(try await wallet.logout() == .revoked)
        #expect(seen.withLock { $0 } == [false, false])
        #expect(changes.all == [.deleted])
        #expect(world.server.sessions.map(\.endedBecause) == [.revoked])
    }

    @Test("The refresh token is what is revoked: the access token alone would not end the session")
    func revokesRefreshToken() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        let accessToken = try await wallet.accessToken().reveal()
        try await wallet.logout()
        let sent = world.server.requests.filter { $0.path == "/oauth2/revoke" }
        #expect(sent.map { $0.form["token_type_hint"] } == ["refresh_token"])
        #expect(sent.allSatisfy { $0.form["token"] != accessToken })
        #expect(world.living.isEmpty)
    }

    @Test("A token that the app brought just before begins no session after it")
    func tokenBroughtBefore() async throws {
        let clock = ManualClock()
        let keeper = SessionKeeper(
            store: InMemoryStore(), time: clock, clock: ServerClock(time: clock), namespace: "test")
        let begun = try await keeper.change { record in
            record.signOut(.replacedByAnotherSignIn)
            return record.generation
        }
        _ = try await keeper.signOutInStore(of: nil)
        let session = Session(
            owner: TokenOwner(merchantID: nil), scopes: [], accessToken: try AccessToken("token"), tokenType: .bearer,
            life: .unknown, refreshToken: nil, keyThumbprint: nil, renewal: .idle)
        #expect(!keeper.hold(session, record: begun))
        #expect(keeper.snapshot.holding?.session.accessToken == nil)
    }

    @Test("Offline it works too: the revocation is queued in the store and sent by the next start of the app")
    func offline() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        world.server.network = .offline
        #expect(try await wallet.logout() == .queued)
        #expect(!wallet.isLoggedIn)
        world.server.network = .up
        let next = try world.wallet(.partial(codeResponse: nil))
        #expect(await failure { try await next.setUp() }?.outcome == .signedOut(.loggedOut))
        // setUp has begun to tell the server and waits for nothing; this joins what it began. There is no new sign-in.
        #expect(await next.sendQueuedRevocations())
        #expect(world.living.isEmpty)
        #expect(world.server.sessions.map(\.endedBecause) == [.revoked])
        #expect(world.server.requests.count { $0.path == "/oauth2/revoke" } == 1)
    }

    @Test(
        "The next start tells the server by itself, where it fails too, and while the sign-in's page is still open",
        .timeLimit(.minutes(10)))
    func nextStart() async throws {
        for signIn in [Wallet.SignIn.partial(codeResponse: nil), .full(redirectURI: World.redirectURI)] {
            let world = World()
            let wallet = try await world.signedIn()
            world.server.network = .offline
            #expect(try await wallet.logout() == .queued)
            world.server.network = .up
            let revoked = AsyncStream<Void>.makeStream()
            world.userAgent.setBehavior { _ in
                for await _ in revoked.stream { break }
                throw UserAgentFailure(.cancelledByPerson, reason: "closed")
            }
            let next = try world.wallet(signIn)
            let start = Task { await failure { try await next.setUp() } }
            try await eventually("the old session to be revoked") { world.living.isEmpty }
            revoked.continuation.yield()
            let expected: WalletError.Outcome =
                if case .full = signIn { .cancelledByPerson } else { .signedOut(.loggedOut) }
            #expect(await start.value?.outcome == expected)
        }
    }

    @Test("Signing out twice offline: no one is signed in the second time, and the revocation is still queued")
    func twiceOffline() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        world.server.network = .offline
        #expect(try await wallet.logout() == .queued)
        #expect(try await wallet.logout() == .notSignedIn)
        #expect(await !wallet.sendQueuedRevocations())
        world.server.network = .up
        #expect(await wallet.sendQueuedRevocations())
        #expect(world.living.isEmpty)
    }

    @Test("A server that hangs delays the sign-out by at most five seconds")
    func hangingServer() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        world.server.inject(.delay(.seconds(3600)), at: "/oauth2/revoke")
        let logout = Task { try await wallet.logout() }
        await world.clock.waitForSleepers(2)
        world.clock.advance(by: .seconds(5))
        #expect(try await logout.value == .queued)
    }

    @Test("A store that cannot forget says so; memory has forgotten, and the store follows as soon as it can")
    func lockedStore() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        world.store.condition = .locked
        #expect(await failure { try await wallet.logout() }?.outcome == .storeUnavailable(.locked))
        #expect(!wallet.isLoggedIn)
        world.store.condition = .working
        world.userAgent.setBehavior { _ in throw UserAgentFailure(.cancelledByPerson, reason: "closed") }
        #expect(await failure { try await wallet.setUp() }?.outcome == .cancelledByPerson)
        #expect(!wallet.isLoggedIn)
        let next = try world.wallet(.partial(codeResponse: nil))
        #expect(await failure { try await next.setUp() }?.outcome == .signedOut(.loggedOut))
    }

    @Test("A full disk does not prevent the sign-out: the session is removed, and the server is notified at once")
    func fullDisk() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        world.store.condition = .full
        #expect(try await wallet.logout() == .revoked)
        #expect(world.living.isEmpty)
        #expect(world.store.items.isEmpty)
        let next = try world.wallet(.partial(codeResponse: nil))
        #expect(await failure { try await next.setUp() }?.outcome == .signedOut(.neverSignedIn))
    }

    @Test("On a full disk the server is notified at once, also by a process that has only just started")
    func fullDiskAtStart() async throws {
        let world = World()
        _ = try await world.signedIn()
        let next = try world.wallet()
        world.store.condition = .full
        #expect(try await next.logout() == .revoked)
        #expect(world.living.isEmpty)
        #expect(world.store.items.isEmpty)
    }

    @Test("On a full disk the newest token is revoked, also where another process had renewed it")
    func fullDiskAfterRenewal() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        let other = try world.wallet()
        for _ in 0..<2 {
            world.expireToken()
            _ = try await other.accessToken()
        }
        world.store.condition = .full
        #expect(try await wallet.logout() == .revoked)
        #expect(world.living.isEmpty)
    }

    @Test("On a full disk the revocations that waited are not lost")
    func fullDiskWithQueue() async throws {
        let standard = StandardWorld()
        let isDown = LockedValue(true)
        let told = LockedValue<Set<Data>>([])
        standard.odd.rewrite { request, response in
            guard request.url.path == Endpoints.revoke.path else { return response }
            if isDown.withLock({ $0 }) { return HTTPResponse(status: 503) }
            told.withLock { _ = $0.insert(request.body ?? Data()) }
            return response
        }
        #expect(try await standard.signedIn().logout() == .queued)
        let second = try await standard.signedIn()
        // Nothing else is to meet the full disk.
        _ = await second.sendQueuedRevocations()
        standard.world.store.failNext(.put, with: .full)
        #expect(try await second.logout() == .queued)
        isDown.withLock { $0 = false }
        #expect(await second.sendQueuedRevocations())
        #expect(told.withLock { $0.count } == 2)
    }

    @Test(
        "Offline on a full disk, the revocation is queued in the room that the session took", arguments: [false, true])
    func fullDiskOffline(hasJustStarted: Bool) async throws {
        let world = World()
        var wallet = try await world.signedIn()
        if hasJustStarted { wallet = try world.wallet() }
        world.server.network = .offline
        world.store.failNext(.put, with: .full)
        let logout = Task { [wallet] in try await wallet.logout() }
        if hasJustStarted {
            // It looks for the server first, which takes as long as a sign-out waits.
            await world.clock.waitForSleepers(2)
            world.clock.advance(by: .seconds(5))
        }
        #expect(try await logout.value == .queued)
        world.server.network = .up
        #expect(await (try world.wallet()).sendQueuedRevocations())
        #expect(world.living.isEmpty)
        let next = try world.wallet(.partial(codeResponse: nil))
        #expect(await failure { try await next.setUp() }?.outcome == .signedOut(.loggedOut))
    }

    @Test("A sign-out does not wait for another wallet that sends its queue")
    func anotherSends() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        let other = try world.wallet()
        let outcome = try await other.keeper.withRevocationLock { try await wallet.logout() }
        #expect(outcome == .revoked)
        #expect(world.living.isEmpty)
    }

    @Test("Killed right after the store has forgotten, the server is still told at the next start")
    func killedBeforeRevoking() async throws {
        let world = World()
        _ = try await world.signedIn()
        let process = SimulatedProcess(world.ports)
        let wallet = try world.wallet(ports: process.ports)
        try await wallet.setUp()
        process.kill(at: .beforeSending(to: "/oauth2/revoke"))
        #expect(try await wallet.logout() == .queued)
        let next = try world.wallet()
        try await next.setUp()
        try await next.logout()
        #expect(world.living.isEmpty)
    }

    @Test("The device's keys stay")
    func keysStay() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        let names = world.keys.names
        try await wallet.logout()
        #expect(!names.isEmpty)
        #expect(world.keys.names == names)
    }

    @Test("It is harmless when no one is signed in, says so, and reports no change")
    func nobody() async throws {
        let wallet = try World().wallet()
        let changes = Changes(wallet)
        let outcome = try await wallet.logout()
        #expect(outcome == .notSignedIn)
        #expect(outcome.statusCode == 403)
        #expect(changes.all.isEmpty)
    }

    @Test("Where no one ever signed in, no one has signed out afterwards")
    func neverSignedIn() async throws {
        let world = World()
        let wallet = try world.wallet(.partial(codeResponse: nil))
        #expect(try await wallet.logout() == .notSignedIn)
        #expect(await failure { try await wallet.setUp() }?.outcome == .signedOut(.neverSignedIn))
        let next = try world.wallet(.partial(codeResponse: nil))
        #expect(await failure { try await next.setUp() }?.outcome == .signedOut(.neverSignedIn))
        // After a session it is a sign-out.
        try await world.signedIn().logout()
        #expect(try await next.logout() == .notSignedIn)
        #expect(await failure { try await next.setUp() }?.outcome == .signedOut(.loggedOut))
    }

    @Test(
        "Where another process has signed out, no one is signed in: another session's revocation is not reported as this one's"
    )
    func signedOutElsewhere() async throws {
        let world = World()
        let former = try await world.signedIn()
        let late = try await world.signedIn()
        let later = try await world.signedIn()
        #expect(try await former.logout() == .revoked)
        #expect(try await late.logout() == .notSignedIn)
        #expect(!late.isLoggedIn)
        // Now the revocation of another session waits.
        let next = try await world.signedIn()
        world.server.network = .offline
        #expect(try await next.logout() == .queued)
        world.server.network = .up
        #expect(try await later.logout() == .notSignedIn)
        #expect(await later.sendQueuedRevocations())
        #expect(world.living.isEmpty)
    }

    @Test("Where another process has signed out offline, its revocation still waits")
    func signedOutElsewhereOffline() async throws {
        let world = World()
        let former = try await world.signedIn()
        let late = try await world.signedIn()
        // It knows the server, and is not held up by looking for it.
        try await late.refresh()
        world.server.network = .offline
        #expect(try await former.logout() == .queued)
        #expect(try await late.logout() == .queued)
        world.server.network = .up
        #expect(await late.sendQueuedRevocations())
        #expect(world.living.isEmpty)
    }

    @Test("A record that cannot be read is replaced, and the session that memory knows is ended at the server")
    func damagedRecord() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        let key = try #require(world.store.items.first { $0.key.name.hasSuffix(".session") }?.key)
        try await world.store.put(Data("{".utf8), for: key)
        #expect(try await wallet.logout() == .revoked)
        #expect(world.living.isEmpty)
    }

    @Test("Offline, a record that cannot be read is replaced by one from which the next start ends the session")
    func damagedRecordOffline() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        let key = try #require(world.store.items.first { $0.key.name.hasSuffix(".session") }?.key)
        try await world.store.put(Data("{".utf8), for: key)
        world.server.network = .offline
        #expect(try await wallet.logout() == .queued)
        world.server.network = .up
        #expect(await (try world.wallet()).sendQueuedRevocations())
        #expect(world.living.isEmpty)
    }

    @Test("A hook that signs out itself runs once, and the sign-out ends; another wallet's hooks run in it")
    func hookThatSignsOut() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        var configuration = world.configuration(.partial(codeResponse: nil))
        configuration.storeName = "second"
        let other = try Wallet(configuration: configuration)
        let othersRuns = LockedValue(0)
        _ = other.onLogout { othersRuns.withLock { $0 += 1 } }
        let outcomes = LockedValue<[Wallet.LogoutOutcome?]>([])
        _ = wallet.onLogout {
            _ = try? await other.logout()
            let outcome = try? await wallet.logout()
            outcomes.withLock { $0.append(outcome) }
        }
        let outcome = try await wallet.logout()
        #expect(outcome == .revoked)
        #expect(outcomes.withLock { $0 } == [.notSignedIn])
        #expect(othersRuns.withLock { $0 } == 1)
    }

    @Test("A hook that was removed does not run")
    func removedHook() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        let ran = LockedValue(false)
        let identifier = wallet.onLogout { ran.withLock { $0 = true } }
        #expect(wallet.removeOnLogout(identifier: identifier))
        #expect(!wallet.removeOnLogout(identifier: identifier))
        try await wallet.logout()
        #expect(!ran.withLock { $0 })
    }
}
