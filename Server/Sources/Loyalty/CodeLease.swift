internal import Core
internal import Kernel
internal import Store

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
