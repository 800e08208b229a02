import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthWire

@Suite(
    "Restoring at launch, and signing in when the person asks",
    .covers("a locked store", "the launch of an app opens a page"))
struct RestoreTests {
    /// Lets the pauses between the three tries of a renewal pass.
    private func passPauses(_ world: World) async {
        for _ in 0..<2 {
            await world.clock.waitForSleepers()
            world.clock.advance(by: .seconds(2))
        }
    }

    @Test("Restoring opens no page and needs no network when no one has signed in")
    func neverSignedIn() async throws {
        let world = World()
        world.server.network = .offline
        let wallet = try world.wallet()
        #expect(wallet.signOutReason == nil)
        #expect(try await wallet.restore() == nil)
        #expect(wallet.signOutReason == .neverSignedIn)
        #expect(world.userAgent.presented.isEmpty)
        #expect(world.server.requests.isEmpty)
    }

    @Test("A restored session names its person, and signing in then opens nothing")
    func restored() async throws {
        let world = World()
        _ = try await world.signedIn()
        let wallet = try world.wallet()
        #expect(try await wallet.restore()?.subject == "sub-alice")
        #expect(wallet.isLoggedIn)
        #expect(wallet.signOutReason == nil)
        #expect(try await wallet.signIn() == .restored)
        #expect(world.userAgent.presented.count == 1)
    }

    @Test("After restoring nothing, signing in opens the page once for all who ask, and returns with a session")
    func signsIn() async throws {
        let world = World()
        let wallet = try world.wallet()
        #expect(try await wallet.restore() == nil)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask { _ = number.isMultiple(of: 2) ? try await wallet.signIn() : try await wallet.setUp() }
            }
            try await group.waitForAll()
        }
        #expect(world.userAgent.presented.count == 1)
        #expect(try await wallet.restore()?.subject == "sub-alice")
    }

    @Test("Without a network an expired session is restored all the same, and the error is kept")
    func offline() async throws {
        let world = World()
        _ = try await world.signedIn()
        world.expireToken()
        world.server.network = .offline
        let wallet = try world.wallet()
        let start = Task { try await wallet.restore() }
        await passPauses(world)
        #expect(try await start.value?.subject == "sub-alice")
        #expect(wallet.isLoggedIn)
        #expect(wallet.renewalFailure?.outcome == .offline)
    }

    @Test("A session that the server has ended is not restored, and gives its reason")
    func ended() async throws {
        let world = World()
        let former = try await world.signedIn()
        try await former.logout()
        let wallet = try world.wallet()
        #expect(try await wallet.restore() == nil)
        #expect(wallet.signOutReason == .loggedOut)
        try await wallet.signIn()
        world.expireToken()
        world.server.endSessions(of: "alice")
        let next = try world.wallet()
        #expect(try await next.restore() == nil)
        #expect(next.signOutReason == .sessionEnded)
        #expect(world.userAgent.presented.count == 2)
    }

    @Test("A session whose key is gone is not restored, in no mode is that an error, and signing in binds to a new key")
    func keyLost() async throws {
        for signIn in [Wallet.SignIn.full(redirectURI: World.redirectURI), .partial(codeResponse: nil)] {
            let world = World()
            _ = try await world.signedIn()
            world.expireToken()
            world.keys.loseAll()
            let wallet = try world.wallet(signIn)
            #expect(try await wallet.restore() == nil)
            #expect(wallet.signOutReason == .keyLost)
            #expect(try await world.wallet().signIn() == .signedIn)
        }
    }

    @Test("A locked or unreadable store is an error of its own, never a signed-out person")
    func locked() async throws {
        for condition in [InMemoryStore.Condition.locked, .denied] {
            let world = World()
            _ = try await world.signedIn()
            world.store.condition = condition
            let wallet = try world.wallet()
            #expect(await failure { try await wallet.restore() }?.code == .storeUnavailable)
            #expect(await failure { try await wallet.signIn() }?.code == .storeUnavailable)
            #expect(wallet.signOutReason == nil)
            #expect(world.userAgent.presented.count == 1)
            world.store.condition = .working
            #expect(try await wallet.restore() != nil)
        }
    }

    @Test("Keys that are locked while a renewal is due cost no one the session, and the error is kept")
    func keysLocked() async throws {
        let world = World()
        _ = try await world.signedIn()
        world.expireToken()
        world.keys.failure = .locked
        let wallet = try world.wallet()
        #expect(try await wallet.restore() != nil)
        #expect(wallet.renewalFailure?.code == .keysUnavailable)
        #expect(wallet.signOutReason == nil)
    }

    @Test("Restoring while the page is open does not wait for the person, and hides no session that follows")
    func duringSignIn() async throws {
        let world = World()
        let shown = world.pagesLeftOpen()
        let wallet = try world.wallet()
        let changes = Changes(wallet)
        let signIn = Task { try await wallet.signIn() }
        for await url in shown {
            #expect(try await wallet.restore() == nil)
            #expect(try await wallet.handle(try world.server.signIn(at: url, as: "alice")) == .signIn)
            break
        }
        #expect(try await signIn.value == .signedIn)
        #expect(try await wallet.restore() != nil)
        #expect(changes.all == [.new])
    }

    @Test("Killed while the person was in the browser: the callback signs in, and no other page opens meanwhile")
    func killedInBrowser() async throws {
        let world = World()
        let shown = world.pagesLeftOpen()
        let process = SimulatedProcess(world.ports)
        let killed = Task { try await world.wallet(ports: process.ports).signIn() }
        var callback: URL?
        for await url in shown {
            callback = try world.server.signIn(at: url, as: "alice")
            break
        }
        process.kill()
        killed.cancel()
        _ = await killed.result
        world.userAgent.setBehavior { _ in throw UserAgentFailure(.cancelledByPerson, reason: "a second page") }
        let wallet = try world.wallet()
        #expect(try await wallet.restore() == nil)
        world.server.inject(.delay(.seconds(1)), at: "/oauth2/token")
        let returned = try #require(callback)
        let handling = Task { try await wallet.handle(returned) }
        await world.clock.waitForSleepers()
        let pressed = Task { try await wallet.signIn() }
        world.clock.advance(by: .seconds(1))
        #expect(try await handling.value == .signIn)
        #expect(try await [.signedIn, .restored].contains(pressed.value))
        #expect(world.userAgent.presented.count == 1)
        #expect(world.living.count == 1)
    }

    @Test("Closing the page is reported as that, leaves no one signed in, and the next press opens it again")
    func closed() async throws {
        let world = World()
        world.userAgent.setBehavior { _ in throw UserAgentFailure(.cancelledByPerson, reason: "closed") }
        let wallet = try world.wallet()
        let error = await failure { try await wallet.signIn() }
        #expect(error?.outcome == .cancelledByPerson)
        #expect(error?.operation == .signIn)
        #expect(wallet.signOutReason == .neverSignedIn)
        world.userAgent.setBehavior { .callback(try world.server.signIn(at: $0, as: "alice")) }
        #expect(try await wallet.signIn() == .signedIn)
    }

    @Test("Where the app obtains the code, restoring leaves it to the sign-in")
    func partial() async throws {
        let world = World()
        let code = OAuthCodeResponse(code: "a-code-of-the-app", challenge: OAuthCodeChallenge())
        let wallet = try world.wallet(.partial(codeResponse: code))
        #expect(try await wallet.restore() == nil)
        #expect(world.server.requests.isEmpty)
        #expect(await failure { try await wallet.signIn() } != nil)
        #expect(world.server.requests.contains { $0.form["code"] == "a-code-of-the-app" })
        let without = try world.wallet(.partial(codeResponse: nil))
        #expect(await failure { try await without.signIn() }?.outcome == .signedOut(.neverSignedIn))
    }

    @Test("Where the app supplies the token, only this process has a session to restore")
    func external() async throws {
        let world = World()
        _ = try await world.signedIn()
        let token = try world.server.accessToken(for: "bob")
        let wallet = try world.wallet(.external(token: token.reveal(), expiresAt: nil))
        #expect(try await wallet.restore() == nil)
        #expect(try await wallet.signIn() == .signedIn)
        #expect(try await wallet.restore()?.subject == "sub-bob")
        #expect(try await wallet.signIn() == .restored)
        world.expireToken()
        #expect(try await wallet.restore() == nil)
        #expect(wallet.signOutReason == .tokenExpired)
    }
}
