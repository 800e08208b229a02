internal import Foundation

/// A value behind a lock, for state that must be readable without waiting for an actor. Keep bodies short, and never
/// call back into the lock.
///
/// Synchronization's Mutex is no alternative: it requires iOS 18 and macOS 15, and the thread sanitizer does not
/// recognize it on Linux, where it would report every use and hide the real races.
package final class LockedValue<Value: Sendable>: Sendable {
    private let lock = NSLock()
    private nonisolated(unsafe) var value: Value

    package init(_ value: Value) { self.value = value }

    package func withLock<T, Failure: Error>(_ body: (inout Value) throws(Failure) -> T) throws(Failure) -> T {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}

extension LockedValue: CustomReflectable {
    /// An empty mirror: `dump` must not read the value without its lock, or show it.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
