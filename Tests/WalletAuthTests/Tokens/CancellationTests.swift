import Foundation
import Testing
import WalletAuth
import WalletAuthTesting

@Suite("Cancelling ends the waiting, not what others share", .covers("one cancelled task cancels what others wait for"))
struct CancellationTests {
    @Test("One caller that is cancelled gets CancellationError at once; the shared refresh goes on for the others")
    func oneOfMany() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        world.expireToken()
        world.server.inject(.delay(.seconds(3)), at: "/oauth2/token")
        let cancelled = Task { try await wallet.accessToken() }
        await world.clock.waitForSleepers()
        let waiting = Task { try await wallet.accessToken() }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        world.clock.advance(by: .seconds(3))
        _ = try await waiting.value
        #expect(world.refreshes == 1)
    }

    @Test("When every caller is cancelled the refresh is stored all the same")
    func everyCaller() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        world.expireToken()
        world.server.inject(.delay(.seconds(3)), at: "/oauth2/token")
        let changes = wallet.tokenChanges
        let callers = (0..<10).map { _ in Task { try await wallet.accessToken() } }
        await world.clock.waitForSleepers()
        for caller in callers { caller.cancel() }
        for caller in callers { _ = await caller.result }
        world.clock.advance(by: .seconds(3))
        for await change in changes {
            #expect(change == .refreshed)
            break
        }
        _ = try await wallet.accessToken()
        #expect(world.refreshes == 1)
    }

    @Test("Cancelling setUp takes the page away and leaves nothing behind that blocks the next sign-in")
    func cancelledSignIn() async throws {
        let world = World()
        let (shown, page) = AsyncStream.makeStream(of: Void.self)
        world.userAgent.setBehavior { _ in
            page.yield()
            try await hangUntilCancelled()
            return .opened
        }
        let wallet = try world.wallet()
        let setUp = Task { try await wallet.setUp() }
        for await _ in shown { break }
        setUp.cancel()
        await #expect(throws: CancellationError.self) { try await setUp.value }
        world.userAgent.setBehavior { .callback(try world.server.signIn(at: $0, as: "alice")) }
        #expect(try await wallet.setUp() == .signedIn)
    }

    @Test("Signing out is carried through although the task that asked for it is cancelled")
    func cancelledLogout() async throws {
        let world = World()
        let wallet = try await world.signedIn()
        let logout = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await wallet.logout()
        }
        _ = await logout.result
        #expect(!wallet.isLoggedIn)
        let next = try world.wallet(.partial(codeResponse: nil))
        #expect(await failure { try await next.setUp() }?.outcome == .signedOut(.loggedOut))
    }
}
