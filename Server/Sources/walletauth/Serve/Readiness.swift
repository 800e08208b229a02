import Synchronization

/// Says that the server is ready, once, when the last of its listeners is.
final class Readiness: Sendable {
    private let missing: Mutex<Int>
    private let announce: @Sendable () -> Void

    /// - Parameters:
    ///   - listeners: How many listeners there are.
    ///   - announce: What to do when all are listening.
    init(listeners: Int, announce: @escaping @Sendable () -> Void) {
        missing = Mutex(listeners)
        self.announce = announce
    }

    /// One more is listening.
    func oneIsListening() {
        let isLast = missing.withLock { missing in
            missing -= 1
            return missing == 0
        }
        if isLast { announce() }
    }
}
