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
