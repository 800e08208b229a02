package import Store

/// Thrown in a write if another write has changed a row since the decision. The write is undone, and the decision is repeated.
package struct WriteConflict: Error {
    private static let attempts = 16

    package init() {}

    /// Decides and writes, again while the write throws a conflict.
    /// - Parameter subject: what kept changing, for the failure after the last attempt.
    package static func retrying<Value: Sendable>(
        _ subject: String, _ body: () async throws -> Value
    ) async throws -> Value {
        for _ in 0..<attempts {
            do { return try await body() } catch is WriteConflict { continue }
        }
        throw StoreError(.unavailable, "\(subject) kept changing; gave up after several attempts")
    }
}

extension Database {
    /// Runs a write that decides from rows and then changes them. Repeats it if another write changed them first.
    /// - Parameter subject: what the rows are, for the failure after the last attempt.
    package func retryingWrite<Value: Sendable>(
        _ subject: String, _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        try await WriteConflict.retrying(subject) { try await write(body) }
    }
}
