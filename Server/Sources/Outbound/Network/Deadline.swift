/// Runs `body` until a deadline.
/// - Parameters:
///   - body: cancelled at the deadline. If it ignores cancellation, it continues.
///   - discard: gets a result that came too late for the caller, such as a connection to close.
/// - Throws: ``OutboundFault/timeout`` at the deadline, or the error of `body`.
package func within<Value: Sendable>(
    _ deadline: ContinuousClock.Instant, _ body: @escaping @Sendable () async throws -> Value,
    discard: @escaping @Sendable (Value) -> Void = { _ in }
) async throws -> Value {
    let (outcomes, source) = AsyncThrowingStream.makeStream(of: Value.self)
    let work = Task {
        do {
            let value = try await body()
            if case .terminated = source.yield(value) { discard(value) }
            source.finish()
        } catch {
            source.finish(throwing: error)
        }
    }
    let alarm = Task {
        try await Task.sleep(until: deadline, clock: .continuous)
        source.finish(throwing: OutboundFault.timeout)
    }
    defer {
        work.cancel()
        alarm.cancel()
    }
    for try await value in outcomes { return value }
    try Task.checkCancellation()
    throw OutboundFault.timeout
}
