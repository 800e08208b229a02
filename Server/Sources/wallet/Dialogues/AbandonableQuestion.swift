import Foundation
import Synchronization

/// A result that several sides may give. The first one counts.
final class FirstResult<Value: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Value, any Error>)
        case given(Result<Value, any Error>)
        case taken
    }

    private let state = Mutex(State.open)

    func give(_ result: Result<Value, any Error>) {
        let waiting: CheckedContinuation<Value, any Error>? = state.withLock { state in
            switch state {
            case .open: state = .given(result)
            case .awaited(let continuation):
                state = .taken
                return continuation
            case .given, .taken: break
            }
            return nil
        }
        waiting?.resume(with: result)
    }

    /// Waits for the result. Only once.
    var value: Value {
        get async throws {
            try await withCheckedThrowingContinuation { continuation in
                let given: Result<Value, any Error>? = state.withLock { state in
                    guard case .given(let result) = state else {
                        state = .awaited(continuation)
                        return nil
                    }
                    state = .taken
                    return result
                }
                if let given { continuation.resume(with: given) }
            }
        }
    }
}

/// A question that a cancelled task leaves.
enum AbandonableQuestion {
    /// Asks on a thread of its own, since nothing ends a read at the terminal. If the task is cancelled, that thread goes on waiting.
    /// - Throws: `CancellationError`; what `question` throws.
    static func ask<Answer: Sendable>(_ question: @escaping @Sendable () throws -> Answer) async throws -> Answer {
        let first = FirstResult<Answer>()
        return try await withTaskCancellationHandler {
            Thread.detachNewThread { first.give(Result { try question() }) }
            return try await first.value
        } onCancel: {
            first.give(.failure(CancellationError()))
        }
    }
}
