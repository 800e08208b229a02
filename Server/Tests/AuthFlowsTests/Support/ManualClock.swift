import AuthCore
import Synchronization

/// Time that passes only when a test moves it.
final class ManualClock: Clock {
    private let instant: Mutex<Timestamp>

    init(_ start: Timestamp = Timestamp(seconds: 1_800_000_000)) {
        instant = Mutex(start)
    }

    func now() -> Timestamp { instant.withLock { $0 } }

    func advance(by duration: Duration) {
        instant.withLock { $0 = $0 + duration }
    }
}
