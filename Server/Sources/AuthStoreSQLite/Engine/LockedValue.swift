import Foundation

/// A value behind a lock.
///
/// Not the standard library's `Mutex`: on Linux that is a bare futex, which the thread sanitizer takes for no lock at all,
/// and this engine is to be run under the sanitizer.
final class LockedValue<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    init(_ value: sending Value) {
        self.value = value
    }

    func withLock<Result>(_ body: (inout Value) throws -> sending Result) rethrows -> sending Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
