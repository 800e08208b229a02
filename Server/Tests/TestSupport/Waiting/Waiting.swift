/// Never answers: returns only once its task is cancelled, by throwing.
package func hangUntilCancelled() async throws {
    let silence = AsyncStream<Void> { _ in }
    for await _ in silence {}
    throw CancellationError()
}
