import AuthCore
import Synchronization

/// Time that a test moves.
final class ManualClock: Clock {
    private let instant = Mutex(Timestamp(seconds: 1_800_000_000))

    func now() -> Timestamp { instant.withLock { $0 } }

    func advance(by duration: Duration) { instant.withLock { $0 = $0 + duration } }
}
