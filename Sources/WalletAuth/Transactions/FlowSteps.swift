import WalletAuthTransport

/// The steps of a running flow: its updates, and its questions to the person.
struct FlowSteps: Sendable {
    let kind: Flow.Kind
    let updates: AsyncStream<FlowUpdate>.Continuation

    func tell(_ state: FlowUpdate.State) { updates.yield(FlowUpdate(kind: kind, state: state)) }

    /// Asks the person and returns the answer.
    /// - Throws: `CancellationError` if the person or the app cancelled the flow.
    func ask<Answer: Sendable>(_ interaction: (FlowAnswer<Answer>) -> UserInteraction) async throws -> Answer {
        let answer = FlowAnswer<Answer>()
        tell(.waitForInput(interaction(answer)))
        let value = try await answer.value()
        // The answer may have arrived before the flow was cancelled.
        try Task.checkCancellation()
        tell(.processing)
        return value
    }
}

/// Receives the answer to one question. The first answer counts.
package struct FlowAnswer<Value: Sendable>: Sendable {
    private let values: AsyncStream<Value>
    private let continuation: AsyncStream<Value>.Continuation

    package init() { (values, continuation) = AsyncStream.makeStream(of: Value.self) }

    package func callAsFunction(_ value: Value) {
        continuation.yield(value)
        continuation.finish()
    }

    package func cancel() { continuation.finish() }

    /// - Throws: `CancellationError` if the person or the app cancelled the flow.
    package func value() async throws -> Value {
        for await value in values { return value }
        throw CancellationError()
    }
}

/// Admits one flow of a wallet at a time: two questions about money at once would be confused.
final class FlowSlot: Sendable {
    private struct State {
        var next = 0
        var taken: Int?
    }

    private let state = LockedValue(State())

    /// Throws ``WalletError`` `flow_active`.
    func take(during operation: WalletError.Operation) throws -> FlowPlace {
        let number: Int? = state.withLock { state in
            guard state.taken == nil else { return nil }
            state.next += 1
            state.taken = state.next
            return state.next
        }
        guard let number else {
            throw WalletError(
                .flowActive, .refused, during: operation, reason: "another flow is running: finish or cancel it")
        }
        return FlowPlace(slot: self, number: number)
    }

    fileprivate func leave(_ number: Int) { state.withLock { if $0.taken == number { $0.taken = nil } } }
}

/// A running flow's hold on the slot.
struct FlowPlace: Sendable {
    fileprivate let slot: FlowSlot
    fileprivate let number: Int

    /// Admits the next flow. Harmless if repeated.
    func leave() { slot.leave(number) }
}
