/// A type-erased body that waits to be run and answered.
///
/// One thread at a time uses it: the caller's until it is in a queue, the engine's from then on.
package protocol DatabaseCall: AnyObject, Sendable {
    /// Runs the body and stores its result, in place of the result of an earlier run.
    /// - Returns: the error that the body threw, if any.
    func run(on connection: any SQLConnection) -> (any Error)?

    /// Replaces the result of the body, because its writes could not be committed.
    func fail(_ error: any Error)

    /// Returns the result of the last run to the caller. Call this once, after everything is on the disk.
    func answer()
}

extension DatabaseCall {
    /// Answers with an error, in place of a result.
    package func refuse(_ error: any Error) {
        fail(error)
        answer()
    }
}

/// A body with the task that waits for it.
///
/// `@unchecked`: `outcome` needs no lock, because only the thread that owns the call uses it (see ``DatabaseCall``),
/// and the queue's lock separates the owners.
package final class TypedCall<Value: Sendable>: DatabaseCall, @unchecked Sendable {
    private let body: @Sendable (any SQLConnection) throws -> Value
    private let continuation: CheckedContinuation<Value, any Error>
    private var outcome: Result<Value, any Error> = .failure(StoreError(.closed, "the database was closed"))

    package init(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value,
        _ continuation: CheckedContinuation<Value, any Error>
    ) {
        self.body = body
        self.continuation = continuation
    }

    package func run(on connection: any SQLConnection) -> (any Error)? {
        do {
            outcome = .success(try body(connection))
            return nil
        } catch {
            outcome = .failure(error)
            return error
        }
    }

    package func fail(_ error: any Error) {
        outcome = .failure(error)
    }

    package func answer() {
        continuation.resume(with: outcome)
    }
}
