internal import Core
internal import Store
internal import Synchronization

/// What one process remembers of its receivers: who is being served, and who has to wait after failures.
///
/// A receiver has several lanes, so that one slow answer does not hold up the events of others. One that fails has a single lane, with
/// a few events in it, and a growing pause until one of them is accepted: every other event would fail as well.
///
/// However many receivers are slow, one that answers promptly finds a lane: second lanes are from the first half, slow receivers
/// together have no more than half, and a share is kept for those whose latest answer was prompt.
final class WebhookLanes: Sendable {
    private enum Pace {
        case unknown, prompt, slow
    }

    private struct Receiver {
        var lanes = 0
        /// Something was committed since the last look.
        var isAwaited = false
        var failures = 0
        var pausedUntil: Timestamp?
        /// The subjects whose events it refused since it accepted one, as many as matter.
        var refused: Set<UniqueID> = []
        /// By its latest answer.
        var pace = Pace.unknown
        /// Grows with each lane that is opened for any receiver.
        var turn = 0

        func isOpen(at now: Timestamp) -> Bool { pausedUntil.map { $0 <= now } ?? true }

        /// A receiver without trouble that is not known as prompt needs no memory.
        var isForgettable: Bool {
            lanes == 0 && failures == 0 && pausedUntil == nil && refused.isEmpty && pace == .unknown
        }

        var isSlow: Bool { failures > 0 || pace == .slow }

        var isPrompt: Bool { failures == 0 && pace == .prompt }

        /// The lanes that it may have.
        var most: Int {
            if failures > 0 { return 1 }
            return pace == .slow ? WebhookLanes.lanesOfSlow : WebhookLanes.lanesOfOne
        }
    }

    private struct State {
        var receivers: [UniqueID: Receiver] = [:]
        /// Those with lanes.
        var serving: Set<UniqueID> = []
        var turn = 0
        /// A receiver without a lane was refused one since the last look.
        var isCrowded = false

        func lanes(where condition: (Receiver) -> Bool) -> Int {
            serving.reduce(0) { sum, id in
                guard let receiver = receivers[id], condition(receiver) else { return sum }
                return sum + receiver.lanes
            }
        }

        func hasRoom(for receiver: Receiver) -> Bool {
            let most = receiver.lanes == 0 ? WebhookLanes.lanesOfAll : WebhookLanes.lanesForMore
            guard lanes(where: { _ in true }) < most else { return false }
            if receiver.isSlow, lanes(where: \.isSlow) >= WebhookLanes.lanesOfAllSlow { return false }
            return receiver.isPrompt || lanes { !$0.isPrompt } < WebhookLanes.lanesOfUnproven
        }
    }

    private let state = Mutex(State())

    private static let lanesOfOne = 4
    /// Of a receiver whose latest answer was slow.
    private static let lanesOfSlow = 2
    private static let lanesOfAll = 64
    /// A receiver gets another lane only while fewer are open.
    private static let lanesForMore = 32
    /// Of all receivers that are slow or fail.
    private static let lanesOfAllSlow = 32
    /// Of all receivers that are not known as prompt, such as after a start.
    private static let lanesOfUnproven = 48
    /// An answer after that is slow.
    private static let promptness = Duration.seconds(2)
    /// The receivers whose promptness is remembered.
    private static let remembered = 10_000
    /// A receiver that refuses the events of so many subjects one after the other, and accepts none, counts as failing.
    private static let mostRefused = 10
    private static let firstPause = Duration.seconds(5)
    private static let longestPause = Duration.minutes(5)

    /// Receivers in the order in which lanes should be opened for them: those that have waited longest come first.
    func inTurn(_ ids: [UniqueID]) -> [UniqueID] {
        state.withLock { state in
            state.isCrowded = false
            return ids.map { (id: $0, turn: state.receivers[$0]?.turn ?? 0) }.sorted { $0.turn < $1.turn }.map(\.id)
        }
    }

    /// Opens a lane.
    /// - Returns: whether there was one to open. If not, the receiver's lanes look again, or the others' end with their lease.
    func open(_ id: UniqueID, now: Timestamp) -> Bool {
        state.withLock { state in
            var receiver = state.receivers[id] ?? Receiver()
            defer { state.receivers[id] = receiver.isForgettable ? nil : receiver }
            guard receiver.isOpen(at: now) else { return false }
            guard receiver.lanes < receiver.most, state.hasRoom(for: receiver) else {
                if receiver.lanes == 0 { state.isCrowded = true } else { receiver.isAwaited = true }
                return false
            }
            state.turn += 1
            receiver.turn = state.turn
            receiver.lanes += 1
            receiver.isAwaited = false
            state.serving.insert(id)
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
    /// - Returns: whether another receiver waits for one.
    @discardableResult
    func close(_ id: UniqueID) -> Bool {
        state.withLock { state in
            guard var receiver = state.receivers[id] else { return state.isCrowded }
            receiver.lanes -= 1
            if receiver.lanes == 0 { state.serving.remove(id) }
            if state.receivers.count > Self.remembered, receiver.pace == .prompt { receiver.pace = .unknown }
            state.receivers[id] = receiver.isForgettable ? nil : receiver
            return state.isCrowded
        }
    }

    /// Whether a lane may take more events. While another receiver waits for a lane, it ends with its lease.
    func isOpen(_ id: UniqueID, now: Timestamp) -> Bool {
        state.withLock { !$0.isCrowded && ($0.receivers[id]?.isOpen(at: now) ?? true) }
    }

    func isFailing(_ id: UniqueID) -> Bool { state.withLock { ($0.receivers[id]?.failures ?? 0) > 0 } }

    /// Begins a pause, longer than the one before. What fails during a pause was posted before it, and adds nothing.
    func noteFailure(_ id: UniqueID, now: Timestamp) {
        state.withLock { state in
            var receiver = state.receivers[id] ?? Receiver()
            guard receiver.failures == 0 || receiver.isOpen(at: now) else { return }
            receiver.failures += 1
            let pause = Self.firstPause * (1 << min(receiver.failures - 1, 6))
            receiver.pausedUntil = now + min(pause, Self.longestPause)
            state.receivers[id] = receiver
        }
    }

    /// - Parameter time: that the receiver took for an answer, or that was waited for one.
    func noteAnswer(of id: UniqueID, after time: Duration) {
        state.withLock { $0.receivers[id]?.pace = time < Self.promptness ? .prompt : .slow }
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
