#if canImport(os)
    import os
#else
    import Synchronization
#endif

/// A value behind a lock, for what has to be read without waiting for an actor. Bodies are short and call nothing that
/// could come back here.
package final class Protected<Value: Sendable>: Sendable {
    // The platform's own lock: Synchronization's Mutex needs iOS 18, and OSAllocatedUnfairLock exists on Apple only.
    #if canImport(os)
        private let lock: OSAllocatedUnfairLock<Value>
        package init(_ value: Value) { lock = OSAllocatedUnfairLock(initialState: value) }
        package func withLock<T: Sendable>(_ body: (inout Value) throws -> T) rethrows -> T {
            try lock.withLockUnchecked(body)
        }
    #else
        private let lock: Mutex<Value>
        package init(_ value: Value) { lock = Mutex(value) }
        package func withLock<T: Sendable>(_ body: (inout Value) throws -> T) rethrows -> T {
            try lock.withLock { value in try body(&value) }
        }
    #endif
}
