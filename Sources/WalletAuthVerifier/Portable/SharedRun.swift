/// Lets everybody who wants the same thing at the same time share one run of the work that gets it. A run goes on though
/// a caller is cancelled: the others still want it.
final class SharedRun<Value: Sendable>: Sendable {
    private let current = Locked<Task<Value, any Error>?>(nil)

    /// Joins the run that is under way, or begins one.
    /// - Parameter work: gets the thing; it has to end by itself, by a deadline.
    func value(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let task = current.withLock { current in
            if let current { return current }
            let task = Task {
                // It ends before anybody is told, so that whoever comes then begins another.
                defer { self.current.withLock { $0 = nil } }
                return try await work()
            }
            current = task
            return task
        }
        return try await task.value
    }
}
