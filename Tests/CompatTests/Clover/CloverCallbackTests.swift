import CloverCompat
import Foundation
import Testing
import WalletAuth
import WalletAuthTesting

@Suite(
    "Token change callbacks of the Clover SDK", .threat("Apps that moved here from another vendor"),
    .covers("setup again from the callback"))
@MainActor
struct CloverCallbackTests {
    @Test("A new, renewed, deleted and invalidated token calls each callback once, in order, on the main actor")
    func changes() async throws {
        let world = CloverWorld()
        let sdk = world.launch()
        let calls = CloverCalls()
        let identifiers = [
            sdk.addOnTokenChangeCallback { calls.note("first") }, sdk.addOnTokenChangeCallback { calls.note("second") },
        ]
        #expect(Set(identifiers).count == 2)

        try await sdk.setup(configuration: world.configuration())
        try await calls.wait(for: 2)
        try await sdk.wallet.refresh()
        try await calls.wait(for: 4)
        sdk.logout()
        try await calls.wait(for: 6)
        try await sdk.setup(configuration: world.configuration())
        try await calls.wait(for: 8)
        world.server.endSessions(of: "alice")
        _ = try? await sdk.wallet.refresh()
        try await calls.wait(for: 10)
        #expect(!sdk.isLoggedIn)
        #expect(calls.names == Array(repeating: ["first", "second"], count: 5).flatMap(\.self))
    }

    @Test("Restoring a session calls no callback")
    func restored() async throws {
        let world = CloverWorld()
        try await world.launch().setup(configuration: world.configuration())
        let sdk = world.launch()
        let calls = CloverCalls()
        _ = sdk.addOnTokenChangeCallback { calls.note("changed") }
        try await sdk.setup(configuration: world.configuration())
        #expect(sdk.isLoggedIn)
        // Callbacks come in order, so one for the restored session would come before this one.
        sdk.logout()
        try await calls.wait(for: 1)
        try await sdk.setup(configuration: world.configuration())
        try await calls.wait(for: 2)
        #expect(calls.names.count == 2)
    }

    @Test("A callback that calls setup again neither loops nor signs in a second time")
    func setupInCallback() async throws {
        let world = CloverWorld()
        let sdk = world.launch()
        let calls = CloverCalls()
        let identifier = sdk.addOnTokenChangeCallback {
            Task {
                try await sdk.setup(configuration: world.configuration())
                calls.note(sdk.isLoggedIn ? "set up" : "not signed in")
            }
        }
        try await sdk.setup(configuration: world.configuration())
        try await calls.wait(for: 1)
        #expect(sdk.removeOnTokenChangeCallback(identifier: identifier))
        _ = sdk.addOnTokenChangeCallback { calls.note("renewed") }
        try await sdk.wallet.refresh()
        try await calls.wait(for: 2)
        #expect(calls.names == ["set up", "renewed"])
        #expect(world.browser.presented.count == 1)
        #expect(world.redemptions == 1)
    }

    @Test("A removed callback is not called, not even for a change that another callback already received")
    func removed() async throws {
        let world = CloverWorld()
        let sdk = world.launch()
        let calls = CloverCalls()
        var second = ""
        _ = sdk.addOnTokenChangeCallback {
            calls.note("first")
            _ = sdk.removeOnTokenChangeCallback(identifier: second)
        }
        second = sdk.addOnTokenChangeCallback { calls.note("second") }
        try await sdk.setup(configuration: world.configuration())
        sdk.logout()
        try await calls.wait(for: 2)
        #expect(calls.names == ["first", "first"])
        #expect(!sdk.removeOnTokenChangeCallback(identifier: second))
        #expect(!sdk.removeOnTokenChangeCallback(identifier: "unknown"))
    }

    @Test("Callbacks registered before the first setup stay when another configuration takes its place")
    func kept() async throws {
        let world = CloverWorld()
        let sdk = world.launch()
        let calls = CloverCalls()
        _ = sdk.addOnTokenChangeCallback { calls.note("changed") }
        try await sdk.setup(configuration: world.configuration(NoOAuth(token: try world.token())))
        try await calls.wait(for: 1)
        try await sdk.setup(configuration: world.configuration())
        try await calls.wait(for: 2)
        sdk.logout()
        try await calls.wait(for: 3)
        #expect(calls.names.count == 3)
    }

    @Test("A token that expires soon has not changed yet")
    func expiring() async throws {
        let world = CloverWorld()
        let sdk = world.launch()
        let calls = CloverCalls()
        try await sdk.setup(configuration: world.configuration(NoOAuth(token: try world.token())))
        _ = sdk.addOnTokenChangeCallback { calls.note("changed") }
        var changes = try sdk.wallet.tokenChanges.makeAsyncIterator()
        await world.clock.waitForSleepers()
        world.clock.advance(by: .seconds(280))
        guard case .expiring? = await changes.next() else { throw CancellationError() }
        sdk.logout()
        try await calls.wait(for: 1)
        #expect(calls.names.count == 1)
    }
}
