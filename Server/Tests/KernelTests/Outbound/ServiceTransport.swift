import Core
import Outbound
import Synchronization

/// A service whose state a test changes, and which counts by message.
final class ServiceTransport: MessageTransport {
    typealias Answer = @Sendable (OutgoingMessage) -> DeliveryOutcome

    private struct State {
        var answer: Answer
        var attempts: [OutgoingMessage] = []
        var accepted: [OutgoingMessage] = []
    }

    static let down: Answer = { _ in .unavailable("503") }
    static let up: Answer = { _ in .delivered }

    private let state: Mutex<State>

    init(_ answer: @escaping Answer = down) { state = Mutex(State(answer: answer)) }

    /// Every message that it was given, as often as it was.
    var attempts: [OutgoingMessage] { state.withLock { $0.attempts } }
    var accepted: [OutgoingMessage] { state.withLock { $0.accepted } }

    func become(_ answer: @escaping Answer) { state.withLock { $0.answer = answer } }

    func deliver(_ message: OutgoingMessage, now: Timestamp) async throws -> DeliveryOutcome {
        let answer = state.withLock { state in
            state.attempts.append(message)
            return state.answer
        }
        let outcome = answer(message)
        if outcome == .delivered { state.withLock { $0.accepted.append(message) } }
        return outcome
    }

    func examine() async -> String? { nil }
}

/// A service that leaves some messages without an answer until a test releases them, and accepts the others.
final class HangingTransport: MessageTransport {
    private let isHeld: @Sendable (OutgoingMessage) -> Bool
    private let number = Mutex(0)
    private let ending: AsyncStream<Void>.Continuation
    private let waiting: Task<Void, Never>
    /// An element for each message that is left without an answer.
    let (held, hold) = AsyncStream<Void>.makeStream()
    /// What it accepted, in order.
    let (accepted, accept) = AsyncStream<OutgoingMessage>.makeStream()

    init(_ isHeld: @escaping @Sendable (OutgoingMessage) -> Bool) {
        self.isHeld = isHeld
        let (stream, ending) = AsyncStream<Void>.makeStream()
        self.ending = ending
        waiting = Task { for await _ in stream {} }
    }

    var heldCount: Int { number.withLock { $0 } }

    func release() { ending.finish() }

    func deliver(_ message: OutgoingMessage, now: Timestamp) async throws -> DeliveryOutcome {
        if isHeld(message) {
            number.withLock { $0 += 1 }
            hold.yield()
            await waiting.value
        }
        accept.yield(message)
        return .delivered
    }

    func examine() async -> String? { nil }
}
