internal import AuthCore
internal import Synchronization

/// Recently redeemed codes. A repeated code whose response was lost does not count as a guess.
final class RedeemedCodeCache: Sendable {
    /// Longer than a code is valid at its provider.
    private static let lifetime = Duration.minutes(10)
    /// More sign-ins than any client has in that time. Beyond it, repetitions count as guesses.
    private static let capacity = 65_536

    private let redeemed = Mutex<[[UInt8]: Timestamp]>([:])

    func contains(_ code: [UInt8], now: Timestamp) -> Bool {
        redeemed.withLock { $0[code].map { now < $0 + Self.lifetime } ?? false }
    }

    func insert(_ code: [UInt8], now: Timestamp) {
        redeemed.withLock { redeemed in
            if redeemed.count >= Self.capacity { redeemed = redeemed.filter { now < $0.value + Self.lifetime } }
            if redeemed.count < Self.capacity { redeemed[code] = now }
        }
    }
}
