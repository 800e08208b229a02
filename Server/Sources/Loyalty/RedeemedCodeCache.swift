internal import AuthCore
internal import Synchronization

/// The codes that were redeemed lately. One that is sent again, its answer lost, is no guess of its guest's.
final class RedeemedCodeCache: Sendable {
    /// Longer than a code is good at its provider.
    private static let lifetime = Duration.minutes(10)
    /// More sign-ins than any client has in that time; beyond it repetitions count as guesses.
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
