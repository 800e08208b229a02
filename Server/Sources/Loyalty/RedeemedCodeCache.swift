internal import Core
internal import Kernel
internal import Store
internal import Synchronization

/// Recently redeemed codes. A repeated code whose response was lost does not count as a guess. If several processes
/// share the database, the codes are also in a table, because the repetition may arrive at another one.
final class RedeemedCodeCache: Sendable {
    /// Longer than a code is valid at its provider.
    private static let lifetime = Duration.minutes(10)
    /// More sign-ins than any client has in that time. Beyond it, repetitions count as guesses.
    private static let capacity = 65_536

    private let redeemed = Mutex(
        RecentCodes(lifetime: RedeemedCodeCache.lifetime, capacity: RedeemedCodeCache.capacity))
    /// `nil` if this process is the only one.
    private let shared: (any Database)?

    init(database: any Database) {
        shared = database.group == nil ? nil : database
    }

    func contains(_ code: [UInt8], now: Timestamp) async throws -> Bool {
        if redeemed.withLock({ $0.contains(code, now: now) }) { return true }
        guard let shared else { return false }
        let name = Self.name(of: code)
        return try await shared.read { try SeenJTIs.contains(name, now: now, on: $0) }
    }

    func insert(_ code: [UInt8], now: Timestamp) async throws {
        redeemed.withLock { $0.insert(code, now: now) }
        guard let shared else { return }
        let name = Self.name(of: code)
        _ = try await shared.write(isolation: .guardedStatement) {
            try SeenJTIs.remember(name, until: now + Self.lifetime, on: $0)
        }
    }

    /// A name of its own in the table.
    private static func name(of code: [UInt8]) -> [UInt8] { Digests.of("loyalty-redeemed", code) }
}

/// Codes for a time each, up to a number. Beyond it, further ones are not taken until the oldest expire.
struct RecentCodes: Sendable {
    let lifetime: Duration
    let capacity: Int
    private var times: [[UInt8]: Timestamp] = [:]
    /// A ring of the codes in the order in which they came, and so expire.
    private var order: [[UInt8]] = []
    private var oldest = 0

    init(lifetime: Duration, capacity: Int) {
        self.lifetime = lifetime
        self.capacity = capacity
    }

    var count: Int { times.count }

    func contains(_ code: [UInt8], now: Timestamp) -> Bool {
        times[code].map { now < $0 + lifetime } ?? false
    }

    mutating func insert(_ code: [UInt8], now: Timestamp) {
        dropExpired(now)
        guard times.count < capacity, times[code] == nil else { return }
        let place = (oldest + times.count) % capacity
        if place == order.count { order.append(code) } else { order[place] = code }
        times[code] = now
    }

    private mutating func dropExpired(_ now: Timestamp) {
        while !times.isEmpty, !contains(order[oldest], now: now) {
            times[order[oldest]] = nil
            oldest = (oldest + 1) % capacity
        }
    }
}
