/// Runs `body` until a deadline.
/// - Parameter body: cancelled at the deadline. If it ignores cancellation, it continues and its result is dropped.
/// - Throws: ``OutboundFault/timeout`` at the deadline, or the error of `body`.
package func within<Value: Sendable>(
    _ deadline: ContinuousClock.Instant, _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    let (outcomes, source) = AsyncThrowingStream.makeStream(of: Value.self)
    let work = Task {
        do {
            source.yield(try await body())
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
