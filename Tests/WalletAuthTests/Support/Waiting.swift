import Testing

/// Waits until a condition holds that another task brings about. Only a test that would hang reaches the limit.
func eventually(_ what: String, _ condition: () async throws -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(300)
    while try await !condition() {
        try #require(ContinuousClock.now < deadline, "waited in vain for \(what)")
        try await Task.sleep(for: .milliseconds(5))
    }
}

/// Never answers: returns only once its task is cancelled, by throwing.
func hangUntilCancelled() async throws {
    let silence = AsyncStream<Void> { _ in }
    for await _ in silence {}
    throw CancellationError()
}
