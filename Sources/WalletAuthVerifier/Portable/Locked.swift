internal import Foundation

/// A value behind a lock. Bodies are short and call nothing that could come back here.
///
/// Not Synchronization's Mutex, which needs macOS 15.
final class Locked<Value: Sendable>: Sendable {
    private let lock = NSLock()
    private nonisolated(unsafe) var value: Value

    init(_ value: Value) { self.value = value }

    func withLock<T, Failure: Error>(_ body: (inout Value) throws(Failure) -> T) throws(Failure) -> T {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}

extension Locked: CustomReflectable {
    /// Without children: `dump` reads no value past its lock, and shows none.
    var customMirror: Mirror { Mirror(self, children: [:]) }
}
