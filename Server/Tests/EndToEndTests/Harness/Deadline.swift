extension Duration {
    /// How long tests wait for other processes. It only ends a test that would hang: on a busy machine everything may take ten times as
    /// long, and stop for half a minute anywhere.
    static let patience = Duration.seconds(300)
}

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

/// Waits until a condition holds that another process brings about.
func eventually(
    _ what: String, within limit: Duration = .patience, _ condition: @escaping @Sendable () async throws -> Bool
) async throws {
    _ = try await firstResult(what, within: limit) { try await condition() ? true : nil }
}

/// Waits for what another process makes, such as a message: asks again until there is a value.
func firstResult<Value: Sendable>(
    _ what: String, within limit: Duration = .patience, _ look: @escaping @Sendable () async throws -> Value?
) async throws -> Value {
    try await within(limit, what) {
        while true {
            if let value = try await look() { return value }
            try await Task.sleep(for: .milliseconds(50))
        }
    }
}

/// Does what a server accepts within a time limit only. If the machine took longer, that says nothing of the server, and it is done again.
/// - Returns: what it came to in time.
func inTime<Outcome>(_ limit: Duration, _ what: String, _ body: () async throws -> Outcome) async throws -> Outcome {
    for _ in 1...10 {
        let began = ContinuousClock.now
        let outcome = try await body()
        if began.duration(to: .now) < limit { return outcome }
    }
    throw DeadlineMissed(description: "\(what) never took less than \(limit)")
}
