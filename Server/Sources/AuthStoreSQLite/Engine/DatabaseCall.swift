import AuthStore

/// A body that waits to be run and answered, its type forgotten.
///
/// Touched by one thread at a time: the caller's until it is put into a queue, the engine's from then on.
protocol DatabaseCall: AnyObject, Sendable {
    /// Runs the body and keeps what came of it, in place of what came of an earlier run.
    ///
    /// - Returns: the error that the body threw, if it did.
    func run(on connection: any SQLConnection) -> (any Error)?

    /// Replaces what came of the body, when what it wrote could not be kept.
    func fail(_ error: any Error)

    /// Hands the caller what came of the last run. To be called once, after everything is on the disk.
    func answer()
}

/// A body with the task that waits for it.
///
/// `@unchecked`: `outcome` has no lock, since only the thread that owns the call (see ``DatabaseCall``) touches it, and a queue's
/// lock lies between the owners.
final class TypedCall<Value: Sendable>: DatabaseCall, @unchecked Sendable {
    private let body: @Sendable (any SQLConnection) throws -> Value
    private let continuation: CheckedContinuation<Value, any Error>
    private var outcome: Result<Value, any Error> = .failure(StoreError(.closed, "the database was closed"))

    init(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value,
        _ continuation: CheckedContinuation<Value, any Error>
    ) {
        self.body = body
        self.continuation = continuation
    }

    func run(on connection: any SQLConnection) -> (any Error)? {
        do {
            outcome = .success(try body(connection))
            return nil
        } catch {
            outcome = .failure(error)
            return error
        }
    }

    func fail(_ error: any Error) {
        outcome = .failure(error)
    }

    func answer() {
        continuation.resume(with: outcome)
    }
}
