/// Something that a test waited for did not happen.
struct DeadlineMissed: Error, CustomStringConvertible {
    let description: String
}

/// Waits for an outcome, but no longer than `limit`, so that a test that hangs says what it was waiting for.
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

/// Waits until a condition holds that another process brings about. Its default limit only ends a test that would hang.
func eventually(
    _ what: String, within limit: Duration = .seconds(90), _ condition: @escaping @Sendable () async throws -> Bool
) async throws {
    _ = try await firstResult(what, within: limit) { try await condition() ? true : nil }
}

/// Waits for what another process makes, such as a message: asks again until there is a value.
func firstResult<Value: Sendable>(
    _ what: String, within limit: Duration = .seconds(90), _ look: @escaping @Sendable () async throws -> Value?
) async throws -> Value {
    try await within(limit, what) {
        while true {
            if let value = try await look() { return value }
            try await Task.sleep(for: .milliseconds(50))
        }
    }
}
