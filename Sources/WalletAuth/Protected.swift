import Foundation

/// A value behind a lock, for what has to be read without waiting for an actor. Bodies are short and call nothing that
/// could come back here.
///
/// Not Synchronization's Mutex: it needs iOS 18, and the thread sanitizer does not see it on Linux, so that it would
/// report every use of it and hide the races among them.
package final class Protected<Value: Sendable>: Sendable {
    private let lock = NSLock()
    private nonisolated(unsafe) var value: Value

    package init(_ value: Value) { self.value = value }

    package func withLock<T>(_ body: (inout Value) throws -> T) rethrows -> T {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}

extension Protected: CustomReflectable {
    /// Without children: `dump` reads no value past its lock, and shows none.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
