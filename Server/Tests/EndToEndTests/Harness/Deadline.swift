/// Something that should have happened did not.
struct DeadlineMissed: Error, CustomStringConvertible {
    let description: String
}

/// Waits for an outcome, and no longer than `limit`: a test that hangs says what it was waiting for.
func within<Outcome: Sendable>(
    _ limit: Duration, _ what: String, _ body: @escaping @Sendable () async throws -> Outcome,
    otherwise onMiss: @escaping @Sendable () -> Void = {}
) async throws -> Outcome {
    try await withThrowingTaskGroup(of: Outcome?.self) { group in
        group.addTask { try await body() }
        group.addTask {
            try await Task.sleep(for: limit)
            return nil
        }
        defer { group.cancelAll() }
        while let first = try await group.next() {
            if let first { return first }
            onMiss()
            throw DeadlineMissed(description: "waited \(limit) for \(what)")
        }
        throw DeadlineMissed(description: "nothing was left that could give \(what)")
    }
}
