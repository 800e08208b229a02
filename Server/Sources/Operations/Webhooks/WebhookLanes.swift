internal import Core
internal import Store
internal import Synchronization

/// What one process remembers of its receivers: who is being served, and who has to wait after failures.
///
/// A receiver has several lanes, so that one slow answer does not hold up the events of others. One that fails has a single lane, with
/// one event in it, and a pause after each failure: every other event would fail as well.
final class WebhookLanes: Sendable {
    private struct Receiver {
        var lanes = 0
        /// Something was committed since the last look.
        var isAwaited = false
        var failures = 0
        var pausedUntil: Timestamp?
        /// The subjects whose events it refused since it accepted one, as many as matter.
        var refused: Set<UniqueID> = []

        func isOpen(at now: Timestamp) -> Bool { pausedUntil.map { $0 <= now } ?? true }

        var isForgettable: Bool { lanes == 0 && failures == 0 && pausedUntil == nil && refused.isEmpty }

        /// The lanes that it may have.
        var most: Int { failures == 0 ? WebhookLanes.lanesOfOne : 1 }
    }

    private struct State {
        var receivers: [UniqueID: Receiver] = [:]
        var lanes = 0
    }

    private let state = Mutex(State())

    private static let lanesOfOne = 4
    private static let lanesOfAll = 64
    /// A receiver that refuses the events of so many subjects one after the other, and accepts none, counts as failing.
    private static let mostRefused = 10
    private static let firstPause = Duration.seconds(5)
    private static let longestPause = Duration.minutes(5)

    /// Opens a lane.
    /// - Returns: whether there was one to open. If not, the lanes that there are look again.
    func open(_ id: UniqueID, now: Timestamp) -> Bool {
        state.withLock { state in
            var receiver = state.receivers[id] ?? Receiver()
            defer { state.receivers[id] = receiver }
            guard receiver.isOpen(at: now) else { return false }
            guard receiver.lanes < receiver.most, state.lanes < Self.lanesOfAll else {
                receiver.isAwaited = true
                return false
            }
            receiver.lanes += 1
            receiver.isAwaited = false
            state.lanes += 1
            return true
        }
    }

    /// Whether a lane should look for more, after it found nothing.
    func looksAgain(_ id: UniqueID, now: Timestamp) -> Bool {
        state.withLock { state in
            guard var receiver = state.receivers[id], receiver.isAwaited, receiver.isOpen(at: now) else { return false }
            receiver.isAwaited = false
            state.receivers[id] = receiver
            return true
        }
    }

    /// Closes a lane.
    func close(_ id: UniqueID) {
        state.withLock { state in
            state.lanes -= 1
            guard var receiver = state.receivers[id] else { return }
            receiver.lanes -= 1
            // A receiver without trouble needs no memory.
            state.receivers[id] = receiver.isForgettable ? nil : receiver
        }
    }

    /// Whether a lane may take more events.
    func isOpen(_ id: UniqueID, now: Timestamp) -> Bool {
        state.withLock { $0.receivers[id]?.isOpen(at: now) ?? true }
    }

    func isFailing(_ id: UniqueID) -> Bool { state.withLock { ($0.receivers[id]?.failures ?? 0) > 0 } }

    func noteFailure(_ id: UniqueID, now: Timestamp) {
        state.withLock { state in
            var receiver = state.receivers[id] ?? Receiver()
            receiver.failures += 1
            let pause = Self.firstPause * (1 << min(receiver.failures - 1, 6))
            receiver.pausedUntil = now + min(pause, Self.longestPause)
            state.receivers[id] = receiver
        }
    }

    /// - Parameter subjects: of events that the receiver refused, while it accepted no other.
    /// - Returns: whether it refuses so many that the fault cannot be in them.
    func noteRejections(of subjects: [UniqueID], by id: UniqueID) -> Bool {
        guard !subjects.isEmpty else { return false }
        return state.withLock { state in
            var receiver = state.receivers[id] ?? Receiver()
            for subject in subjects where receiver.refused.count < Self.mostRefused {
                receiver.refused.insert(subject)
            }
            state.receivers[id] = receiver
            return receiver.refused.count >= Self.mostRefused
        }
    }

    /// Begins no delivery to a receiver for a moment, because this server could not send.
    func pause(_ id: UniqueID, now: Timestamp) {
        state.withLock { $0.receivers[id, default: Receiver()].pausedUntil = now + Self.firstPause }
    }

    /// Ends the pause of a receiver that an operator has switched on, or that another process has reached.
    func noteRecovery(_ id: UniqueID) {
        if isFailing(id) { noteSuccess(id) }
    }

    func noteSuccess(_ id: UniqueID) {
        state.withLock { state in
            state.receivers[id]?.failures = 0
            state.receivers[id]?.pausedUntil = nil
            state.receivers[id]?.refused = []
        }
    }
}
