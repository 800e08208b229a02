/// Lets concurrent callers share one run of the same work. If a caller is cancelled, the run continues for the others.
final class SharedRun<Value: Sendable>: Sendable {
    private let current = LockedValue<Task<Value, any Error>?>(nil)

    /// Joins the current run, or starts one.
    ///
    /// - Parameter work: produces the value. It must end by a deadline of its own.
    func value(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let task = current.withLock { current in
            if let current { return current }
            let task = Task {
                // Clear the run before callers resume, so that their next call starts another.
                defer { self.current.withLock { $0 = nil } }
                return try await work()
            }
            current = task
            return task
        }
        return try await task.value
    }
}
