package import Dispatch
import WalletAuthTransport

/// Runs asynchronous work for a caller that cannot suspend.
package enum WaitingInPlace {
    /// Blocks the calling thread until the work has ended.
    ///
    /// The work runs on a thread of its own: the threads that run tasks may all be waiting here.
    /// - Returns: the result of the work; nil once the limit has passed.
    /// - Throws: the error of the work.
    package static func value<T: Sendable>(
        within limit: DispatchTimeInterval = .seconds(10), _ work: @escaping @Sendable () async throws -> T
    ) throws -> T? {
        let result = LockedValue<Result<T, any Error>?>(nil)
        let ended = DispatchSemaphore(value: 0)
        let task = start {
            let value: Result<T, any Error>
            do { value = .success(try await work()) } catch { value = .failure(error) }
            result.withLock { $0 = value }
            ended.signal()
        }
        guard ended.wait(timeout: .now() + limit) == .success, let value = result.withLock({ $0 }) else {
            task.cancel()
            return nil
        }
        return try value.get()
    }

    private static func start(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        if #available(macOS 15, iOS 18, *) {
            return Task(executorPreference: OwnThread.shared, priority: .userInitiated, operation: work)
        }
        return Task.detached(priority: .userInitiated, operation: work)
    }
}

/// Runs the parts of a task one after another, apart from the threads that all tasks share.
@available(macOS 15, iOS 18, *)
private final class OwnThread: TaskExecutor {
    static let shared = OwnThread()

    private let queue = DispatchQueue(label: "wallet-auth.waiting-in-place", qos: .userInitiated)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
