internal import WalletAuthTransport

/// Runs calls one after another, and hands each one's result to the app on the main actor.
///
/// The vendors' SDKs take completions where `WalletAuth` is `async`. A completion runs exactly once, in the order of the calls, not
/// before its call has returned, and also if the caller no longer exists.
package final class CallOrder: Sendable {
    private let last = LockedValue<Task<Void, Never>?>(nil)

    /// Creates an order without calls.
    package init() {}

    /// Adds a call, which begins once the one before has ended and its result was handed over.
    /// - Parameters:
    ///   - call: the work; it converts its errors into a result.
    ///   - completion: receives the result.
    /// - Returns: the call's task, which ends when `completion` has returned.
    @discardableResult
    package func add<Value: Sendable>(
        _ call: @escaping @Sendable () async -> Value, completion: @escaping @MainActor @Sendable (Value) -> Void
    ) -> Task<Void, Never> {
        last.withLock { last in
            let task = Task { [previous = last] in
                await previous?.value
                await completion(call())
            }
            last = task
            return task
        }
    }

    /// Waits for the calls that were added so far.
    package func waitForAll() async { await last.withLock { $0 }?.value }
}
