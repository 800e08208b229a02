import ServiceLifecycle
import Synchronization

/// Knows whether the process was asked to stop: then whatever ends after it ends because of that.
final class ShutdownMonitor: Service {
    private let asked = Mutex(false)

    /// Whether it was.
    var wasAsked: Bool { asked.withLock { $0 } }

    func run() async throws {
        try await gracefulShutdown()
        asked.withLock { $0 = true }
    }
}
