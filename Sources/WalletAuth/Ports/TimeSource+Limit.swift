extension TimeSource {
    /// Runs `work` with a time limit.
    /// - Parameters:
    ///   - limit: how long to wait.
    ///   - work: cancelled at the limit.
    /// - Returns: the result of `work`; nil at the limit.
    func within<Value: Sendable>(
        _ limit: Duration, _ work: @escaping @Sendable () async -> Value
    ) async -> Value? {
        await withTaskGroup(of: Value?.self) { group in
            group.addTask { await work() }
            group.addTask {
                try? await self.sleep(for: limit)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }
}
