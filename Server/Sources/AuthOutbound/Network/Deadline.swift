/// Runs something that ends by a moment, or is given up.
///
/// - Parameters:
///   - deadline: when it is given up.
///   - body: what is done; cancelled at the deadline. What does not heed cancelling goes on unheard.
/// - Returns: what the body returned.
/// - Throws: ``OutboundFault/timeout`` at the deadline, or what the body throws.
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
