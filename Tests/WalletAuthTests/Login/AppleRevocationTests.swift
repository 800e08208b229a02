import Foundation
import Testing
import WalletAuth
import WalletAuthTesting

@Suite(
    "A credential that Apple calls revoked", .threat("Sign in with Apple in an app"),
    .covers("a credential that Apple reports as revoked"))
struct AppleRevocationTests {
    private static let user = "001245.alice"

    /// A device on which alice signed in with Apple.
    private func signedIn(_ ports: (World) -> Wallet.Ports = { $0.ports }) async throws -> (World, Wallet) {
        let world = World()
        world.server.link("alice", to: "apple", subject: Self.user)
        let wallet = try world.wallet(.partial(codeResponse: nil), ports: ports(world))
        try await signIn(world, wallet)
        return (world, wallet)
    }

    private func signIn(_ world: World, _ wallet: Wallet) async throws {
        let credential = world.server.appleCredential(of: Self.user, nonce: try await wallet.federatedNonce())
        _ = try await wallet.login(apple: credential)
    }

    /// Apple's answer to the next question waits until the test lets it go.
    private struct HeldAnswer {
        let asked = AsyncStream.makeStream(of: Void.self)
        let release = AsyncStream.makeStream(of: Void.self)

        func hold(_ apple: ScriptedAppleCredentials) {
            let (asked, release) = (asked.continuation, release.stream)
            apple.setAnswer { _ in
                asked.yield()
                for await _ in release { break }
                return .revoked
            }
        }

        func waitUntilAsked() async { for await _ in asked.stream { break } }
    }

    @Test("Revoked while the app was closed: the next start signs out with that reason, and tells the server")
    func atStart() async throws {
        let (world, _) = try await signedIn()
        world.apple.revoke(Self.user)
        let restarted = try world.wallet(.partial(codeResponse: nil))
        let changes = Changes(restarted)
        let error = await failure { try await restarted.setUp() }
        #expect(error?.outcome == .signedOut(.appleCredentialRevoked))
        #expect(changes.all == [.invalidated(.appleCredentialRevoked)])
        #expect(restarted.diagnostics.signOutReason == .appleCredentialRevoked)
        #expect(restarted.diagnostics.events.contains { $0.operation == .appleCredential && $0.result == "revoked" })
        // It is what another process and the next start learn as well, and Apple is not asked again.
        let questions = world.apple.asked.count
        let next = await failure { try await world.wallet(.partial(codeResponse: nil)).setUp() }
        #expect(next?.outcome == .signedOut(.appleCredentialRevoked))
        #expect(world.apple.asked.count == questions)
        // Signing out sends what is queued.
        #expect(try await restarted.logout() == .notSignedIn)
        #expect(world.living.isEmpty)
    }

    @Test("Revoked while the app runs: it is signed out at once, and a new sign-in is a new session")
    func whileRunning() async throws {
        let (world, wallet) = try await signedIn()
        let changes = wallet.tokenChanges
        world.apple.revoke(Self.user)
        for await change in changes {
            #expect(change == .invalidated(.appleCredentialRevoked))
            break
        }
        #expect(!wallet.isLoggedIn)
        #expect(await failure { try await wallet.accessToken() }?.outcome == .signedOut(.appleCredentialRevoked))
        world.apple.setAnswer { _ in .authorized }
        try await signIn(world, wallet)
        #expect(wallet.isLoggedIn)
    }

    @Test("A session that was renewed still came by Apple")
    func renewed() async throws {
        let (world, wallet) = try await signedIn()
        world.expireToken()
        _ = try await wallet.accessToken()
        try await wallet.refresh()
        world.apple.revoke(Self.user)
        let error = await failure { try await world.wallet(.partial(codeResponse: nil)).setUp() }
        #expect(error?.outcome == .signedOut(.appleCredentialRevoked))
    }

    @Test("A session by password is not asked about, and goes on")
    func byPassword() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        #expect(world.apple.listeners == 1)
        world.apple.setAnswer { _ in .revoked }
        world.apple.revoke(Self.user)
        #expect(try await wallet.setUp() == .restored)
        #expect(try await world.wallet().setUp() == .restored)
        #expect(world.apple.asked.isEmpty)
        #expect(wallet.isLoggedIn)
    }

    @Test("The password's session of a person who signed in with Apple before goes on")
    func passwordAfterApple() async throws {
        let (world, wallet) = try await signedIn()
        _ = try await wallet.login(username: "alice", password: "correct horse")
        world.apple.revoke(Self.user)
        #expect(try await wallet.setUp() == .restored)
        #expect(wallet.identity?.subject == "sub-alice")
        #expect(world.apple.asked.isEmpty)
    }

    @Test("Another person's revocation does not sign out")
    func anotherPersons() async throws {
        let (world, wallet) = try await signedIn()
        world.apple.revoke("002.bob")
        #expect(try await wallet.setUp() == .restored)
        #expect(wallet.isLoggedIn)
        #expect(Set(world.apple.asked) == [Self.user])
    }

    @Test("race: a session that begins while Apple is asked about the one before goes on")
    func replacedMeanwhile() async throws {
        let (world, wallet) = try await signedIn()
        let held = HeldAnswer()
        held.hold(world.apple)
        let settingUp = Task { try await wallet.setUp() }
        await held.waitUntilAsked()
        _ = try await wallet.login(username: "bob", password: "battery staple")
        held.release.continuation.yield()
        #expect(try await settingUp.value == .restored)
        #expect(wallet.identity?.subject == "sub-bob")
        #expect(world.living.map(\.subject) == ["sub-bob"])
    }

    @Test(
        "Not found, transferred and an error of Apple's do not sign out",
        arguments: ["not_found", "transferred", "error"])
    func otherAnswers(answer: String) async throws {
        let (world, wallet) = try await signedIn()
        world.apple.setAnswer { _ in
            guard let state = AppleCredentialState(rawValue: answer) else { throw NoAnswer() }
            return state
        }
        #expect(try await wallet.setUp() == .restored)
        #expect(try await world.wallet(.partial(codeResponse: nil)).setUp() == .restored)
        #expect(wallet.isLoggedIn)
        #expect(
            wallet.diagnostics.events.last { $0.operation == .appleCredential }?.result
                == (answer == "error" ? "unknown" : answer))
    }

    @Test("An app starts after two seconds though Apple says nothing, and a late answer still counts")
    func lateAnswer() async throws {
        let (world, _) = try await signedIn()
        let held = HeldAnswer()
        held.hold(world.apple)
        let wallet = try world.wallet(.partial(codeResponse: nil))
        let settingUp = Task { try await wallet.setUp() }
        await held.waitUntilAsked()
        await world.clock.waitForSleepers()
        world.clock.advance(by: .seconds(2))
        #expect(try await settingUp.value == .restored)
        #expect(wallet.isLoggedIn)
        let changes = wallet.tokenChanges
        held.release.continuation.yield()
        for await change in changes {
            #expect(change == .invalidated(.appleCredentialRevoked))
            break
        }
        #expect(!wallet.isLoggedIn)
    }

    @Test("An app that is killed before the sign-out is stored signs out at its next start")
    func killed() async throws {
        let (world, _) = try await signedIn()
        world.apple.revoke(Self.user)
        let process = SimulatedProcess(world.ports)
        process.kill(at: .beforeStoring(nil))
        _ = await failure { try await world.wallet(.partial(codeResponse: nil), ports: process.ports).setUp() }
        #expect(!process.isAlive)
        let error = await failure { try await world.wallet(.partial(codeResponse: nil)).setUp() }
        #expect(error?.outcome == .signedOut(.appleCredentialRevoked))
    }

    @Test("A store that is full keeps the session, and the next start signs out")
    func fullStore() async throws {
        let (world, _) = try await signedIn()
        world.apple.revoke(Self.user)
        world.store.condition = .full
        let wallet = try world.wallet(.partial(codeResponse: nil))
        #expect(try await wallet.setUp() == .restored)
        #expect(wallet.diagnostics.events.contains { $0.result == "store_unavailable" })
        world.store.condition = .working
        #expect(await failure { try await wallet.setUp() }?.outcome == .signedOut(.appleCredentialRevoked))
    }

    @Test("Where Apple cannot be asked the session goes on, and a wallet that is gone listens no more")
    func withoutApple() async throws {
        let (world, _) = try await signedIn { world in
            var ports = world.ports
            ports.appleCredentials = nil
            return ports
        }
        world.apple.revoke(Self.user)
        var ports = world.ports
        ports.appleCredentials = nil
        #expect(try await world.wallet(.partial(codeResponse: nil), ports: ports).setUp() == .restored)
        #expect(world.apple.asked.isEmpty)
        #expect(world.apple.listeners == 0)
    }

    private struct NoAnswer: Error {}
}
