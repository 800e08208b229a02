import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthTransport

@Suite("Token changes", .covers("addOnTokenChangeCallback(_:)"))
struct TokenChangeTests {
    @Test("New, refreshed and deleted are reported in order, to callbacks and streams alike")
    func inOrder() async throws {
        let world = World()
        let wallet = try world.wallet()
        let changes = Changes(wallet)
        let stream = wallet.tokenChanges
        try await wallet.setUp()
        world.expireToken()
        _ = try await wallet.accessToken()
        try await wallet.logout()
        #expect(changes.all == [.new, .refreshed, .deleted])
        var streamed: [TokenChange] = []
        for await change in stream {
            streamed.append(change)
            if streamed.count == 3 { break }
        }
        #expect(streamed == changes.all)
    }

    @Test("A callback that was removed is not called, and removing it again says false")
    func removed() async throws {
        let world = World()
        let wallet = try world.wallet()
        let called = LockedValue(false)
        let identifier = wallet.addOnTokenChangeCallback { _ in called.withLock { $0 = true } }
        #expect(wallet.removeOnTokenChangeCallback(identifier: identifier))
        #expect(!wallet.removeOnTokenChangeCallback(identifier: identifier))
        try await wallet.setUp()
        #expect(!called.withLock { $0 })
    }

    @Test("A change is reported after it is in the store, so that a second process finds it")
    func afterTheStore() async throws {
        let world = World()
        let wallet = try world.wallet()
        let stored = LockedValue<[Int]>([])
        _ = wallet.addOnTokenChangeCallback { _ in stored.withLock { $0.append(world.store.items.count) } }
        try await wallet.setUp()
        #expect(stored.withLock { $0 } == [1])
    }

    @Test("A callback may add and remove callbacks, and read the wallet")
    func callbackCallsBack() async throws {
        let world = World()
        let wallet = try world.wallet()
        let logged = LockedValue<[Bool]>([])
        _ = wallet.addOnTokenChangeCallback { _ in
            let identifier = wallet.addOnTokenChangeCallback { _ in }
            _ = wallet.removeOnTokenChangeCallback(identifier: identifier)
            logged.withLock { $0.append(wallet.isLoggedIn) }
        }
        try await wallet.setUp()
        #expect(logged.withLock { $0 } == [true])
    }

    @Test("A session that was restored is no change")
    func restored() async throws {
        let world = World()
        _ = try await world.signedIn()
        let wallet = try world.wallet()
        let changes = Changes(wallet)
        try await wallet.setUp()
        #expect(changes.all.isEmpty)
    }
}
