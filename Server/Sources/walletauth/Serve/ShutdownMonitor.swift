import ServiceLifecycle
import Synchronization

/// Knows whether the process was asked to stop. Services that end afterwards have not failed.
final class ShutdownMonitor: Service {
    private let asked = Mutex(false)

    var wasAsked: Bool { asked.withLock { $0 } }

    func run() async throws {
        try await gracefulShutdown()
        asked.withLock { $0 = true }
    }
}
