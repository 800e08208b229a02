internal import Store

/// Thrown in a write if another write has changed a row since the decision. The write is undone, and the decision is repeated.
package struct WriteConflict: Error {
    package init() {}
}

/// Repeats what was decided from rows that another write has changed since.
package struct ConflictRetry: Sendable {
    private let limit: Int
    private let exhausted: String

    /// - Parameters:
    ///   - limit: the number of attempts.
    ///   - exhausted: the reason of the failure after the last attempt.
    package init(limit: Int, exhausted: String) {
        self.limit = limit
        self.exhausted = exhausted
    }

    /// Runs the body again while it throws ``WriteConflict``.
    package func run<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        for _ in 0..<limit {
            do { return try await body() } catch is WriteConflict { continue }
        }
        throw StoreError(.unavailable, exhausted)
    }
}
