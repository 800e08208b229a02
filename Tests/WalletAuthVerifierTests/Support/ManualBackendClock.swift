import WalletAuthTransport
import WalletAuthWire

@testable import WalletAuthVerifier

/// Clocks that only a test moves. Waiting takes no time: it moves them.
final class ManualBackendClock: BackendClock {
    static let start = NumericDate(clamping: 1_800_000_000)

    private let elapsed = LockedValue(Duration.zero)
    private let waits = LockedValue<[Duration]>([])

    /// What was waited for.
    var pauses: [Duration] { waits.withLock { $0 } }

    func now() -> NumericDate { Self.start.advanced(by: uptime()) }

    func uptime() -> Duration { elapsed.withLock { $0 } }

    func sleep(for duration: Duration) async throws {
        waits.withLock { $0.append(duration) }
        advance(by: duration)
    }

    func advance(by duration: Duration) { elapsed.withLock { $0 += duration } }
}
