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

    /// Runs a body while no other one runs for the key.
    ///
    /// The body ends even if the caller is cancelled, since a client may disconnect at any moment. A redeemed code must still
    /// create its account, or be remembered.
    /// - Returns: `nil` if too many are waiting, or another process takes too long.
    func alone<Value: Sendable>(
        with key: [UInt8], _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value? {
        let run = Task { () async throws -> Value? in
            guard database.group != nil else { return try await locks.alone(with: key, body) }
            let lease = CodeLease(of: key, database: database, clock: clock)
            return try await locks.alone(with: key) { try await lease.hold(body) } ?? nil
        }
        return try await run.value
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

/// Runs one body at a time per key in all processes on one database, by a row. `KeyedLock` does the same within a process.
///
/// Without it, two processes would redeem one code for two equal requests: one of them is refused by the provider, and that
/// would count as a guess. The row ends with the body, or after a minute if its process ended.
struct CodeLease: Sendable {
    let database: any Database
    let clock: any Clock
    let digest: [UInt8]

    private static let longest = Duration.minutes(1)
    /// How often and how many times the row is tried: about ten seconds.
    private static let interval = Duration.milliseconds(200)
    private static let mostTries = 50

    init(of key: [UInt8], database: any Database, clock: any Clock) {
        self.database = database
        self.clock = clock
        digest = Digests.of("loyalty-lease", key)
    }

    /// Runs a body while no other process runs one for the key.
    /// - Returns: `nil` if another one took too long.
    func hold<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value? {
        guard let end = try await take() else { return nil }
        let outcome: Value
        do { outcome = try await body() } catch {
            await give(end)
            throw error
        }
        await give(end)
        return outcome
    }

    private func take() async throws -> Timestamp? {
        for _ in 0..<Self.mostTries {
            let now = clock.now()
            let end = now + Self.longest
            let isTaken = try await database.write(isolation: .guardedStatement) {
                try LoyaltyEnrollments.take(digest, until: end, now: now, on: $0)
            }
            if isTaken { return end }
            try await Task.sleep(for: Self.interval)
        }
        return nil
    }

    private func give(_ end: Timestamp) async {
        // A row that stays is over in a minute.
        try? await database.write(isolation: .guardedStatement) {
            try LoyaltyEnrollments.give(digest, until: end, on: $0)
        }
    }
}

/// Runs one body at a time per key: of equal concurrent requests, the first does the work and the others find its result.
actor KeyedLock {
    /// More than any client sends at once for one guest.
    private static let mostWaiting = 128

    private var waiting: [[UInt8]: [CheckedContinuation<Void, Never>]] = [:]

    /// Runs a body while no other one runs for the key.
    /// - Returns: `nil` if too many are already waiting.
    nonisolated func alone<Value: Sendable>(
        with key: [UInt8], _ body: @Sendable () async throws -> Value
    ) async rethrows -> Value? {
        guard await take(key) else { return nil }
        let outcome: Value
        do { outcome = try await body() } catch {
            await give(key)
            throw error
        }
        await give(key)
        return outcome
    }

    private func take(_ key: [UInt8]) async -> Bool {
        guard let queue = waiting[key] else {
            waiting[key] = []
            return true
        }
        guard queue.count < Self.mostWaiting else { return false }
        await withCheckedContinuation { waiting[key]?.append($0) }
        return true
    }

    private func give(_ key: [UInt8]) {
        guard waiting[key]?.isEmpty == false else {
            waiting[key] = nil
            return
        }
        waiting[key]?.removeFirst().resume()
    }
}
