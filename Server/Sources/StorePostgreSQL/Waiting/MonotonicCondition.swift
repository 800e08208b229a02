import Foundation

/// A lock, and a condition to wait for while holding it. Its timed waits go by a clock that cannot be set.
///
/// `NSCondition` waits until a time of the wall clock. If that is set back by an hour, the wait lasts an hour longer.
///
/// `@unchecked`: the C library's functions may be called on any thread.
final class MonotonicCondition: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    init() {
        mutex.initialize(to: pthread_mutex_t())
        condition.initialize(to: pthread_cond_t())
        pthread_mutex_init(mutex, nil)
        #if canImport(Darwin)
            // The wait there takes a duration.
            pthread_cond_init(condition, nil)
        #else
            var attributes = pthread_condattr_t()
            pthread_condattr_init(&attributes)
            pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
            pthread_cond_init(condition, &attributes)
            pthread_condattr_destroy(&attributes)
        #endif
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    func lock() { pthread_mutex_lock(mutex) }

    func unlock() { pthread_mutex_unlock(mutex) }

    /// Wakes one thread that waits.
    func signal() { pthread_cond_signal(condition) }

    /// Wakes all threads that wait.
    func broadcast() { pthread_cond_broadcast(condition) }

    /// Waits to be woken, with the lock released. It may return without that, so the caller looks again at what it waits for.
    func wait() { pthread_cond_wait(condition, mutex) }

    /// Like ``wait()``, but at most until a deadline.
    /// - Returns: whether the deadline is still to come.
    func wait(before deadline: ContinuousClock.Instant) -> Bool {
        let left = ContinuousClock.now.duration(to: deadline)
        guard left > .zero else { return false }
        // An early return does no harm, and a far deadline would overflow.
        let (seconds, attoseconds) = min(left, .seconds(3600)).components
        var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        #if canImport(Darwin)
            pthread_cond_timedwait_relative_np(condition, mutex, &time)
        #else
            var now = timespec()
            clock_gettime(CLOCK_MONOTONIC, &now)
            let nanoseconds = time.tv_nsec + now.tv_nsec
            time.tv_sec += now.tv_sec + nanoseconds / 1_000_000_000
            time.tv_nsec = nanoseconds % 1_000_000_000
            pthread_cond_timedwait(condition, mutex, &time)
        #endif
        return ContinuousClock.now < deadline
    }
}
