internal import Foundation

/// A value behind a lock. Bodies must be short and must not call back into the lock.
///
/// Not Synchronization's Mutex, which needs macOS 15.
final class LockedValue<Value: Sendable>: Sendable {
    private let lock = NSLock()
    private nonisolated(unsafe) var value: Value

    init(_ value: Value) { self.value = value }

    func withLock<T, Failure: Error>(_ body: (inout Value) throws(Failure) -> T) throws(Failure) -> T {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}

extension LockedValue: CustomReflectable {
    /// No children, so that `dump` neither reads the value past its lock nor shows it.
    var customMirror: Mirror { Mirror(self, children: [:]) }
}
