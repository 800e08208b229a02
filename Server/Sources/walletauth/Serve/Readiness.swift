import Synchronization

/// Announces that the server is ready, once, when its last listener is.
final class Readiness: Sendable {
    private let missing: Mutex<Int>
    private let announce: @Sendable () -> Void

    /// - Parameters:
    ///   - listeners: the number of listeners.
    ///   - announce: called once all of them listen.
    init(listeners: Int, announce: @escaping @Sendable () -> Void) {
        missing = Mutex(listeners)
        self.announce = announce
    }

    func oneIsListening() {
        let isLast = missing.withLock { missing in
            missing -= 1
            return missing == 0
        }
        if isLast { announce() }
    }
}
