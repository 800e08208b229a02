import CLibPQ
import Foundation

/// The beginning of a connection, on a thread of its own: libpq looks the host's name up there, and the system's
/// resolver has limits of its own, such as half a minute.
///
/// `@unchecked`: the variables are accessed only while `condition` is held.
final class Lookup: @unchecked Sendable {
    private let condition = MonotonicCondition()
    private var handle: OpaquePointer?
    private var isDone = false
    private var isAbandoned = false

    /// - Parameter begin: returns a connection that this object owns until it is handed over.
    init(_ begin: @escaping @Sendable () -> OpaquePointer?) {
        Thread.detachNewThread { self.finish(begin()) }
    }

    /// - Returns: `nil` if there is none by the deadline. The connection is then closed once it begins.
    func result(until deadline: ContinuousClock.Instant) -> OpaquePointer?? {
        condition.lock()
        defer { condition.unlock() }
        while !isDone, condition.wait(before: deadline) {}
        guard isDone else {
            isAbandoned = true
            return nil
        }
        return .some(handle)
    }

    private func finish(_ handle: OpaquePointer?) {
        condition.lock()
        defer { condition.unlock() }
        self.handle = handle
        isDone = true
        if isAbandoned, let handle { PQfinish(handle) }
        condition.signal()
    }
}
