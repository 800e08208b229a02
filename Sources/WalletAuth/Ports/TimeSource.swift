public import Foundation

/// The device's clocks.
public protocol TimeSource: Sendable {
    /// The time of the device's wall clock. People change it, so the SDK prefers elapsed time wherever that is enough,
    /// and measures the clock's offset from the server's `Date`.
    func now() -> Date

    /// Time since an arbitrary moment. It never moves backward, includes the device's sleep, and is meaningless to
    /// another process.
    func uptime() -> Duration

    /// Waits until `uptime()` has grown by `duration`.
    /// - Parameter duration: returns at once if zero or less.
    /// - Throws: `CancellationError` if the task was cancelled.
    func sleep(for duration: Duration) async throws
}

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
