internal import Core
internal import Kernel
internal import Store
internal import Synchronization
internal import WalletAuthWire

/// Providers' codes that requests are about to redeem, and those that were redeemed recently: a repeated code whose response was lost
/// does not count as a guess. If several processes share the database, both are also in tables, because the repetition may arrive at
/// another one.
final class ProviderCodes: Sendable {
    /// Longer than a code is valid at its provider.
    private static let lifetime = Duration.minutes(10)
    /// More sign-ins than any client has in that time. Beyond it, repetitions count as guesses.
    private static let capacity = 65_536

    private let redeemed = Mutex(
        RecentCodes(lifetime: ProviderCodes.lifetime, capacity: ProviderCodes.capacity))
    private let locks = KeyedLock()
    private let database: any Database
    private let clock: any Clock

    init(database: any Database, clock: any Clock) {
        self.database = database
        self.clock = clock
    }

    /// Waits until no other request has a key. Release the lease, also after an error.
    /// - Returns: `nil` if too many are waiting, or another process takes too long.
    func take(_ key: [UInt8]) async throws -> CodeLease? {
        guard await locks.take(key) else { return nil }
        guard database.group != nil else { return CodeLease(key: key, locks: locks, row: nil) }
        do {
            if let row = try await LeaseRow.take(key, database: database, clock: clock) {
                return CodeLease(key: key, locks: locks, row: row)
            }
        } catch {
            await locks.give(key)
            throw error
        }
        await locks.give(key)
        return nil
    }

    func digest(of account: ExternalAccount, in brand: BrandID) -> [UInt8] {
        Digests.of("loyalty-code", Array("\(brand)\0\(account.accessToken.reveal())".utf8))
    }

    func contains(_ code: [UInt8], now: Timestamp) async throws -> Bool {
        if redeemed.withLock({ $0.contains(code, now: now) }) { return true }
        guard database.group != nil else { return false }
        let name = Self.name(of: code)
        return try await database.read { try SeenJTIs.contains(name, now: now, on: $0) }
    }

    func insert(_ code: [UInt8], now: Timestamp) async throws {
        redeemed.withLock { $0.insert(code, now: now) }
        guard database.group != nil else { return }
        let name = Self.name(of: code)
        _ = try await database.write(isolation: .guardedStatement) {
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

/// A key that one request has at a time: of equal concurrent requests, the first does the work and the others find its result.
struct CodeLease: Sendable {
    fileprivate let key: [UInt8]
    fileprivate let locks: KeyedLock
    /// If several processes share the database.
    fileprivate let row: LeaseRow?

    func release() async {
        await row?.give()
        await locks.give(key)
    }
}

/// A key that one of several processes has at a time, by a row. `KeyedLock` does the same within a process.
///
/// Without it, two processes would redeem one code for two equal requests: one of them is refused by the provider, and that
/// would count as a guess. The row ends with the lease, or after a minute if its process ended.
private struct LeaseRow: Sendable {
    let database: any Database
    let digest: [UInt8]
    let end: Timestamp

    private static let longest = Duration.minutes(1)
    /// How often and how many times the row is tried: about ten seconds.
    private static let interval = Duration.milliseconds(200)
    private static let mostTries = 50

    /// - Returns: `nil` if another process took too long.
    static func take(_ key: [UInt8], database: any Database, clock: any Clock) async throws -> LeaseRow? {
        let digest = Digests.of("loyalty-lease", key)
        for _ in 0..<mostTries {
            let now = clock.now()
            let row = LeaseRow(database: database, digest: digest, end: now + longest)
            let isTaken: Bool
            do {
                isTaken = try await database.write(isolation: .guardedStatement) {
                    try LoyaltyEnrollments.take(digest, until: row.end, now: now, on: $0)
                }
            } catch {
                // It may have been written all the same, and the repetition that resolves this would find the row taken.
                await row.give()
                throw error
            }
            if isTaken { return row }
            try await Task.sleep(for: interval)
        }
        return nil
    }

    func give() async {
        // Not cancelled with the request. A row that stays is over in a minute.
        await Task {
            try? await database.write(isolation: .guardedStatement) {
                try LoyaltyEnrollments.give(digest, until: end, on: $0)
            }
        }.value
    }
}

/// Hands out each key to one caller at a time.
private actor KeyedLock {
    /// More than any client sends at once for one guest.
    private static let mostWaiting = 128

    private var waiting: [[UInt8]: [CheckedContinuation<Void, Never>]] = [:]

    /// Waits for a key.
    /// - Returns: whether the caller has it now; `false` if too many are already waiting.
    func take(_ key: [UInt8]) async -> Bool {
        guard let queue = waiting[key] else {
            waiting[key] = []
            return true
        }
        guard queue.count < Self.mostWaiting else { return false }
        await withCheckedContinuation { waiting[key]?.append($0) }
        return true
    }

    func give(_ key: [UInt8]) {
        guard waiting[key]?.isEmpty == false else {
            waiting[key] = nil
            return
        }
        waiting[key]?.removeFirst().resume()
    }
}
