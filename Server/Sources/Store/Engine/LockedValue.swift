import Foundation

/// A value protected by a lock.
///
/// This is not the standard library's `Mutex`: on Linux, the thread sanitizer does not recognize its bare futex as a
/// lock, and the engines have to run under the sanitizer.
package final class LockedValue<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    package init(_ value: sending Value) {
        self.value = value
    }

    package func withLock<Result>(_ body: (inout Value) throws -> sending Result) rethrows -> sending Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
