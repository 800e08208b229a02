import CompatCalls
import Foundation
import NextAuthCompat
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthWire

@Suite("Accounts and configuration with nextAuth's names", .covers("NextAuth.default.accounts, without await"))
struct NextAuthAccountTests {
    /// As an app's launch calls it, outside of any task.
    private func configureInPlace(_ world: NextAuthWorld) throws { try world.nextAuth.configure(world.configuration()) }

    @MainActor
    @Test("The accounts are current when an enrollment and a removal return, and stay after a sign-out")
    func snapshot() async throws {
        let world = NextAuthWorld()
        let recorder = NextAuthRecorder()
        world.nextAuth.delegate = recorder
        #expect(world.nextAuth.accounts.isEmpty)
        try await world.nextAuth.configure(world.configuration())
        #expect(world.nextAuth.accounts.isEmpty)

        let wallet = try world.nextAuth.wallet
        _ = try await wallet.login(username: "alice", password: "correct horse")
        let device = try await wallet.devices.enroll(name: "Phone", username: "Alice")
        #expect(world.nextAuth.accounts.map(\.username) == ["Alice"])
        #expect(world.nextAuth.accounts.map(\.deviceID) == [device.id])
        try await wallet.logout()
        #expect(world.nextAuth.accounts.map(\.username) == ["Alice"])

        world.clock.advance(by: .seconds(60))
        let before = try #require(world.nextAuth.accounts.first)
        _ = try await wallet.login(username: "Alice", password: "correct horse")
        #expect(try #require(world.nextAuth.accounts.first).lastUsedAt > before.lastUsedAt)
        try await wallet.devices.remove(device.id)
        #expect(world.nextAuth.accounts.isEmpty)
        await recorder.wait { recorder.events.count == 3 }
        #expect(recorder.events == ["updated Alice", "updated Alice", "deleted Alice"])
    }

    @MainActor
    @Test("What another process enrolled is known after the next sign-in, and an unreadable list is reported")
    func otherProcess() async throws {
        let world = NextAuthWorld()
        let recorder = NextAuthRecorder()
        world.nextAuth.delegate = recorder
        try await world.nextAuth.configure(world.configuration())
        let other = try WalletAuth.Wallet(configuration: world.configuration())
        _ = try await other.login(username: "bob", password: "battery staple")
        try await other.devices.enroll(name: "Phone", username: "bob")
        #expect(world.nextAuth.accounts.isEmpty)

        _ = try await world.nextAuth.wallet.login(username: "alice", password: "correct horse")
        await recorder.wait { !recorder.events.isEmpty }
        #expect(world.nextAuth.accounts.map(\.username) == ["bob"])

        world.store.condition = .locked
        _ = try? await world.nextAuth.wallet.logout()
        await recorder.wait { recorder.events.count == 2 }
        #expect(recorder.events.last == "error store_unavailable")
        #expect(world.nextAuth.accounts.map(\.username) == ["bob"])
    }

    @MainActor
    @Test("On the main thread, configuration has the accounts when it returns, and sends nothing")
    func inPlace() async throws {
        let world = try await NextAuthWorld.enrolled()
        let sent = world.server.requests.count
        try configureInPlace(world)
        #expect(world.nextAuth.accounts.map(\.username) == ["alice"])
        #expect(world.server.requests.count == sent)
    }

    @Test("More tasks than there are threads configure in place, and all of them end")
    func inTasks() async throws {
        let world = try await NextAuthWorld.enrolled()
        let counts = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<(4 * ProcessInfo.processInfo.activeProcessorCount) {
                group.addTask {
                    try configureInPlace(world)
                    return world.nextAuth.accounts.count
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(counts.allSatisfy { $0 == 1 })
    }

    @Test("A store that cannot be read, or does not answer, is an error")
    func unreadable() async throws {
        let world = NextAuthWorld()
        world.store.condition = .locked
        let inPlace = #expect(throws: NextAuthError.self) { try configureInPlace(world) }
        #expect(inPlace?.code.rawValue == "store_unavailable")
        await #expect(throws: NextAuthError.self) { try await world.nextAuth.configure(world.configuration()) }
        let notConfigured = #expect(throws: NextAuthError.self) { _ = try world.nextAuth.wallet }
        #expect(notConfigured?.code == .notConfigured)

        let nothing: Void? = try WaitingInPlace.value(within: .milliseconds(1)) {
            let silence = AsyncStream<Void> { _ in }
            for await _ in silence {}
        }
        #expect(nothing == nil)
    }

    @MainActor
    @Test("Configuring again cancels the flow of the wallet before")
    func again() async throws {
        let world = try await NextAuthWorld.enrolled()
        let recorder = NextAuthRecorder()
        recorder.confirms = { _ in }
        world.nextAuth.delegate = recorder
        try world.nextAuth.flowService.start(with: world.code())
        await recorder.wait { recorder.steps.count == 2 }
        try configureInPlace(world)
        await recorder.ends()
        #expect(recorder.updates.last?.error?.code == .cancelledByPerson)
    }
}
