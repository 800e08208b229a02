import Foundation
import Testing
import WalletAuth
import WalletAuthTesting

@Suite("A session is bound to its generation", .covers("a late refresh overwrites the next person's session"))
struct SessionGenerationTests {
    /// A wallet whose refresh is under way, and takes so long; and the refresh's failure.
    private func lateRefresh(
        by delay: Duration, in world: World
    ) async throws -> (wallet: Wallet, failure: Task<WalletError?, Never>) {
        let wallet = try await world.signedIn()
        world.expireToken()
        world.server.inject(.delay(delay), at: "/oauth2/token")
        let late = Task { await failure { try await wallet.accessToken() } }
        await world.clock.waitForSleepers()
        return (wallet, late)
    }

    @Test("A late refresh never overwrites the session of the next person who signed in, and its pair is revoked")
    func lateRefresh() async throws {
        let world = World()
        let (wallet, late) = try await lateRefresh(by: .seconds(5), in: world)
        let outcome = try await wallet.login(username: "bob", password: "battery staple")
        if case .authenticated = outcome {} else { Issue.record("bob is not signed in") }
        world.clock.advance(by: .seconds(5))
        #expect(await late.value?.outcome == .signedOut(.replacedByAnotherSignIn))
        #expect(wallet.identity?.subject == "sub-bob")
        try await wallet.setUp()
        #expect(world.living.map(\.subject) == ["sub-bob"])
    }

    @Test("A call of the next person does not end as the refresh of the former one does, though it waits for it")
    func callDuringALateRefresh() async throws {
        let world = World()
        let (wallet, late) = try await lateRefresh(by: .seconds(5), in: world)
        try await wallet.login(username: "bob", password: "battery staple").signedIn()
        world.server.inject(.answer(HTTPResponse(status: 401)), at: "/api/me")
        let call = Task { try await wallet.perform(try request("/api/me")).1.status }
        try await eventually("the call to need another token") {
            world.server.requests.contains { $0.path == "/api/me" && $0.status == 401 }
        }
        world.clock.advance(by: .seconds(5))
        #expect(await late.value?.outcome == .signedOut(.replacedByAnotherSignIn))
        let status = try await call.value
        #expect(status == 200)
        #expect(wallet.identity?.subject == "sub-bob")
    }

    @Test("A refresh that comes back after the sign-out does not sign in again")
    func refreshAfterLogout() async throws {
        let world = World()
        let (wallet, late) = try await lateRefresh(by: .seconds(2), in: world)
        try await wallet.logout()
        world.clock.advance(by: .seconds(2))
        #expect(await late.value?.outcome == .signedOut(.loggedOut))
        #expect(!wallet.isLoggedIn)
        #expect(world.living.isEmpty)
    }

    @Test("A call begun by one person is not carried out in the name of the next")
    func callOfTheFormerPerson() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        let other = try world.wallet()
        world.expireToken()
        world.server.inject(.delay(.seconds(1)), at: "/api/transfer")
        world.server.inject(.answer(HTTPResponse(status: 401)), at: "/api/transfer")
        let call = Task { await failure { try await wallet.perform(try request("/api/transfer", method: "POST")) } }
        await world.clock.waitForSleepers()
        _ = try await other.login(username: "bob", password: "battery staple")
        world.clock.advance(by: .seconds(1))
        #expect(await call.value?.outcome == .signedOut(.replacedByAnotherSignIn))
        #expect(world.server.requests.count { $0.path == "/api/transfer" && $0.status == 200 } == 0)
    }

    @Test("A code that is redeemed after the sign-out opens no session")
    func redemptionAfterLogout() async throws {
        let world = World()
        let wallet = try world.wallet()
        world.server.inject(.delay(.seconds(2)), at: "/oauth2/token")
        let signIn = Task { await failure { try await wallet.setUp() } }
        await world.clock.waitForSleepers()
        try await wallet.logout()
        world.clock.advance(by: .seconds(2))
        #expect(await signIn.value != nil)
        #expect(!wallet.isLoggedIn)
        _ = await wallet.sendQueuedRevocations()
        #expect(world.living.isEmpty)
    }

    @Test("A pair that could not be stored before the sign-out is revoked, and does not trouble the next session")
    func unstoredPair() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        world.expireToken()
        world.server.inject(.delay(.seconds(1)), at: "/oauth2/token")
        let waiting = Task { await failure { try await wallet.accessToken() } }
        await world.clock.waitForSleepers()
        world.store.condition = .full
        world.clock.advance(by: .seconds(1))
        #expect(await waiting.value?.outcome == .storeUnavailable(.full))
        world.store.condition = .working
        try await wallet.logout()
        _ = try await wallet.login(username: "bob", password: "battery staple")
        world.expireToken()
        _ = try await wallet.accessToken()
        #expect(world.living.map(\.subject) == ["sub-bob"])
    }

    @Test("Another person's sign-in in another process is found by the next renewal, and reported")
    func otherProcessSignedIn() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        let changes = Changes(wallet)
        _ = try await world.wallet().login(username: "bob", password: "battery staple")
        world.expireToken()
        #expect(await failure { try await wallet.accessToken() }?.outcome == .signedOut(.replacedByAnotherSignIn))
        #expect(changes.all.last == .new)
        #expect(wallet.identity?.subject == "sub-bob")
    }
}
