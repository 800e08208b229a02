import WalletAuth
import WalletAuthTesting

/// Runs a call that pauses once before it sends its request again.
func repeating(
    in world: World, meanwhile change: () -> Void = {}, _ call: @escaping @Sendable () async throws -> Void
) async -> WalletError? {
    let running = Task { await failure(call) }
    await world.clock.waitForSleepers()
    change()
    world.clock.advance(by: .seconds(2))
    return await running.value
}
