internal import AuthCore
internal import AuthFoundation
internal import AuthStore
internal import Synchronization

/// Recently redeemed codes. A repeated code whose response was lost does not count as a guess. If several processes
/// share the database, the codes are also in a table, because the repetition may arrive at another one.
final class RedeemedCodeCache: Sendable {
    /// Longer than a code is valid at its provider.
    private static let lifetime = Duration.minutes(10)
    /// More sign-ins than any client has in that time. Beyond it, repetitions count as guesses.
    private static let capacity = 65_536

    private let redeemed = Mutex<[[UInt8]: Timestamp]>([:])
    /// `nil` if this process is the only one.
    private let shared: (any Database)?

    init(database: any Database) {
        shared = database.group == nil ? nil : database
    }

    func contains(_ code: [UInt8], now: Timestamp) async throws -> Bool {
        if redeemed.withLock({ $0[code].map { now < $0 + Self.lifetime } ?? false }) { return true }
        guard let shared else { return false }
        let name = Self.name(of: code)
        return try await shared.read { try SeenJTIs.contains(name, now: now, on: $0) }
    }

    func insert(_ code: [UInt8], now: Timestamp) async throws {
        redeemed.withLock { redeemed in
            if redeemed.count >= Self.capacity { redeemed = redeemed.filter { now < $0.value + Self.lifetime } }
            if redeemed.count < Self.capacity { redeemed[code] = now }
        }
        guard let shared else { return }
        let name = Self.name(of: code)
        _ = try await shared.write(isolation: .guardedStatement) {
            try SeenJTIs.remember(name, until: now + Self.lifetime, on: $0)
        }
    }

    /// A name of its own in the table.
    private static func name(of code: [UInt8]) -> [UInt8] { Digests.of("loyalty-redeemed", code) }
}
