internal import Foundation

/// Shares one run of the same work among all callers that want it at the same time.
///
/// A cancelled caller stops waiting; ``Ending`` determines what happens to the run.
package final class SingleFlight<Value: Sendable>: Sendable {
    package enum Ending: Sendable {
        /// The run continues without callers: a renewal that was sent must be stored.
        case outlivesItsCallers
        /// The run is cancelled with its last caller: a page that no one waits for is dismissed.
        case endsWithItsLastCaller
    }

    private struct Run: Sendable {
        var id: UUID
        var task: Task<Void, Never>?
        var waiters: [UUID: CheckedContinuation<Value, any Error>] = [:]
    }

    private let ending: Ending
    private let current = LockedValue<Run?>(nil)

    package init(_ ending: Ending) { self.ending = ending }

    /// Whether a run is under way.
    package var isFlying: Bool { current.withLock { $0 != nil } }

    /// Joins the current run, or starts one with `work`.
    /// - Throws: whatever the run throws, or `CancellationError` if the calling task was cancelled.
    package func run(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let waiter = UUID()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                enter(waiter, continuation, work)
            }
        } onCancel: {
            leave(waiter)
        }
    }

    /// Waits for the end of the current run, if there is one, however it ends.
    package func join() async {
        let waiter = UUID()
        _ = try? await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let joins = current.withLock { run in
                    guard run != nil else { return false }
                    run?.waiters[waiter] = continuation
                    return true
                }
                if !joins { continuation.resume(throwing: CancellationError()) }
                // Cancelled before the entry: its handler has already run and found nothing to remove.
                if Task.isCancelled { leave(waiter) }
            }
        } onCancel: {
            leave(waiter)
        }
    }

    /// Starts a run without waiting for it, unless one is under way.
    package func start(_ work: @escaping @Sendable () async throws -> Value) {
        let id = UUID()
        let begins = current.withLock { run in
            guard run == nil else { return false }
            run = Run(id: id)
            return true
        }
        if begins { fly(id, work) }
    }

    private func enter(
        _ waiter: UUID, _ continuation: CheckedContinuation<Value, any Error>,
        _ work: @escaping @Sendable () async throws -> Value
    ) {
        // Cancelled before it could wait: its handler has already run and found nothing to remove.
        if Task.isCancelled { return continuation.resume(throwing: CancellationError()) }
        let id = UUID()
        let begins = current.withLock { run in
            if run != nil {
                run?.waiters[waiter] = continuation
                return false
            }
            run = Run(id: id, waiters: [waiter: continuation])
            return true
        }
        if begins { fly(id, work) }
        // Cancelled between the check and the entry: the first to remove the waiter resumes it.
        if Task.isCancelled { leave(waiter) }
    }

    private func fly(_ id: UUID, _ work: @escaping @Sendable () async throws -> Value) {
        let task = Task {
            let result: Result<Value, any Error>
            do { result = .success(try await work()) } catch { result = .failure(error) }
            land(id, result)
        }
        let isWanted = current.withLock { run in
            guard run?.id == id else { return false }
            run?.task = task
            return true
        }
        // Already finished, which cancelling does not affect, or left by its last caller before the task was recorded.
        if !isWanted { task.cancel() }
    }

    private func land(_ id: UUID, _ result: Result<Value, any Error>) {
        let waiters = current.withLock { run -> [CheckedContinuation<Value, any Error>] in
            guard let landed = run, landed.id == id else { return [] }
            run = nil
            return Array(landed.waiters.values)
        }
        for waiter in waiters { waiter.resume(with: result) }
    }

    private func leave(_ waiter: UUID) {
        let (continuation, task) = current.withLock {
            run -> (CheckedContinuation<Value, any Error>?, Task<Void, Never>?) in
            guard let continuation = run?.waiters.removeValue(forKey: waiter) else { return (nil, nil) }
            guard ending == .endsWithItsLastCaller, run?.waiters.isEmpty == true else { return (continuation, nil) }
            let task = run?.task
            // The next caller starts a new run instead of joining a cancelled one.
            run = nil
            return (continuation, task)
        }
        task?.cancel()
        continuation?.resume(throwing: CancellationError())
    }
}
