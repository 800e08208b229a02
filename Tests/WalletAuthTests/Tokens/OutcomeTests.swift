import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthWire

@Suite("Each trouble is reported as what it is, never as signed out", .covers("a locked store"))
struct OutcomeTests {
    @Test("A locked store at the start of the app is its own error, and no browser is opened")
    func lockedAtStart() async throws {
        let world = World()
        _ = try await world.signedIn()
        world.store.condition = .locked
        let wallet = try world.wallet()
        #expect(await failure { try await wallet.setUp() }?.outcome == .storeUnavailable(.locked))
        #expect(world.userAgent.presented.count == 1)
        world.store.condition = .working
        #expect(try await wallet.setUp() == .restored)
    }

    @Test("A store that is locked during a renewal: nothing is sent, and the session goes on afterwards")
    func lockedDuringRenewal() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        world.expireToken()
        world.store.condition = .locked
        #expect(await failure { try await wallet.accessToken() }?.outcome == .storeUnavailable(.locked))
        #expect(world.refreshes == 0)
        #expect(wallet.isLoggedIn)
        world.store.condition = .working
        _ = try await wallet.accessToken()
    }

    @Test("A full disk before a renewal: nothing is sent, since a lost answer could not be made up for")
    func fullDisk() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        world.expireToken()
        world.store.condition = .full
        #expect(await failure { try await wallet.accessToken() }?.outcome == .storeUnavailable(.full))
        #expect(world.refreshes == 0)
        #expect(wallet.isLoggedIn)
    }

    @Test("No permission for the store is its own error")
    func denied() async throws {
        let world = World()
        world.store.condition = .denied
        let wallet = try world.wallet()
        #expect(await failure { try await wallet.setUp() }?.outcome == .storeUnavailable(.denied))
    }

    @Test("A damaged record is its own error; signing out is the way out of it")
    func damaged() async throws {
        let world = World()
        _ = try await world.signedIn()
        let key = try #require(world.store.items.keys.first)
        for ruin in [Data(), Data("{}".utf8), Data("not json".utf8)] {
            try await world.store.put(ruin, for: key)
            #expect(await failure { try await world.wallet().setUp() }?.outcome == .storeUnavailable(.damaged))
        }
        world.store.damage(key)
        let wallet = try world.wallet()
        #expect(await failure { try await wallet.setUp() }?.outcome == .storeUnavailable(.damaged))
        try await wallet.logout()
        #expect(try await wallet.setUp() == .signedIn)
    }

    @Test("No network means offline: the person stays signed in, and the token is renewed when the network is back")
    func offline() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        world.expireToken()
        world.server.network = .offline
        let error = await expiring(world) { try await wallet.accessToken() }
        #expect(error?.outcome == .offline)
        #expect(error?.reachedServer == false)
        #expect(wallet.isLoggedIn)
        world.server.network = .up
        _ = try await wallet.accessToken()
    }

    @Test("Started without a network, the app has its session, with a token that ended long ago")
    func offlineStart() async throws {
        let world = World()
        _ = try await world.signedIn()
        world.expireToken()
        world.server.network = .offline
        let wallet = try world.wallet()
        let start = Task { try await wallet.setUp() }
        for _ in 0..<2 {
            await world.clock.waitForSleepers()
            world.clock.advance(by: .seconds(2))
        }
        #expect(try await start.value == .restored)
        #expect(wallet.isLoggedIn)
    }

    @Test("A server that asks to be left alone is, by a thousand callers, for as long as it said")
    func retryAfter() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        world.expireToken()
        world.server.inject(.unavailable(retryAfter: .seconds(20)), at: "/oauth2/token")
        let first = await failure { try await wallet.accessToken() }
        #expect(first?.outcome == .temporarilyUnavailable(retryAfter: .seconds(20)))
        for _ in 0..<1000 { _ = await failure { try await wallet.accessToken() } }
        #expect(world.server.requests.count { $0.path == "/oauth2/token" && $0.status == 503 } == 1)
        #expect(wallet.isLoggedIn)
        world.clock.advance(by: .seconds(20))
        _ = try await wallet.accessToken()
    }

    @Test("Keys lost by a restore are reported as such, and the next sign-in binds to a new key")
    func keysLost() async throws {
        let world = World()
        let former = try await world.signedIn()
        let thumbprint = world.living.first?.keyThumbprint
        _ = former
        world.keys.loseAll()
        let wallet = try world.wallet(.partial(codeResponse: nil))
        let changes = Changes(wallet)
        try await wallet.setUp()
        let error = await failure { try await wallet.perform(try request("/api/me")) }
        #expect(error?.outcome == .keyLost(recovery: .signInAgain))
        #expect(changes.all == [.invalidated(.keyLost)])
        #expect(await failure { try await wallet.accessToken() }?.outcome == .signedOut(.keyLost))
        let again = try await world.signedIn()
        #expect(again.isLoggedIn)
        #expect(world.server.sessions.last?.keyThumbprint != thumbprint)
    }

    @Test("Keys that are locked are not lost")
    func keysLocked() async throws {
        let world = World()
        _ = try await world.signedIn()
        world.expireToken()
        let wallet = try world.wallet()
        world.keys.failure = .locked
        let error = await failure { try await wallet.accessToken() }
        #expect(error?.code == .keysUnavailable)
        world.keys.failure = nil
        _ = try await wallet.accessToken()
    }

    @Test("A session without a refresh token ends with its access token, and says so")
    func noRefreshToken() async throws {
        let world = World()
        let token = try world.server.accessToken(for: "alice")
        let wallet = try world.wallet(.external(token: token.reveal(), expiresAt: nil))
        try await wallet.setUp()
        world.expireToken()
        #expect(await failure { try await wallet.accessToken() }?.outcome == .signedOut(.tokenExpired))
        #expect(!wallet.isLoggedIn)
    }

    @Test("No sign-in yet is reported as such")
    func neverSignedIn() async throws {
        let wallet = try World().wallet()
        #expect(await failure { try await wallet.accessToken() }?.outcome == .signedOut(.neverSignedIn))
        #expect(await failure { try await wallet.refresh() }?.outcome == .signedOut(.neverSignedIn))
    }

    /// The error of a call that tries three times.
    private func expiring<T: Sendable>(
        _ world: World, _ work: @escaping @Sendable () async throws -> T
    ) async -> WalletError? {
        let call = Task { await failure(work) }
        for _ in 0..<2 {
            await world.clock.waitForSleepers()
            world.clock.advance(by: .seconds(2))
        }
        return await call.value
    }
}
