import Foundation
import WalletAuthTransport

/// Holds back what must not be sent before a sign-out is complete on this device. Several may hold at once.
final class SendingHold: Sendable {
    private struct State: Sendable {
        var holders = 0
        var waiters: [UUID: CheckedContinuation<Void, any Error>] = [:]
    }

    private let state = LockedValue(State())

    var isOn: Bool { state.withLock { $0.holders > 0 } }

    func begin() { state.withLock { $0.holders += 1 } }

    /// Ends one hold. Balances ``begin()``.
    func finish() {
        let waiters = state.withLock { state -> [CheckedContinuation<Void, any Error>] in
            state.holders -= 1
            guard state.holders == 0 else { return [] }
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Waits until nothing holds.
    /// - Throws: `CancellationError` if the calling task was cancelled.
    func waitForEnd() async throws {
        let waiter = UUID()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let waits = state.withLock { state -> Bool in
                    guard state.holders > 0 else { return false }
                    state.waiters[waiter] = continuation
                    return true
                }
                guard waits else { return continuation.resume() }
                // Cancelled before it waited: its handler has already run and found nothing to remove.
                if Task.isCancelled { leave(waiter) }
            }
        } onCancel: {
            leave(waiter)
        }
    }

    private func leave(_ waiter: UUID) {
        state.withLock { $0.waiters.removeValue(forKey: waiter) }?.resume(throwing: CancellationError())
    }
}
