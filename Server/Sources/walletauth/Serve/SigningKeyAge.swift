import AuthCore
import AuthStore

/// The age limit of signing keys.
struct SigningKeyAge: Sendable {
    let database: any Database
    let limit: Duration
    let clock: any Clock

    /// Whether an active key is older than the limit and has no published successor yet.
    func isDue() async throws -> Bool {
        let keys = try await database.read { try SigningKeys.published(on: $0) }
        let succeeded = Set(keys.filter { $0.state == .next }.map(\.algorithm))
        let oldest = clock.now() - limit
        return keys.contains { key in
            guard key.state == .active, let since = key.activatedAt else { return false }
            return since < oldest && !succeeded.contains(key.algorithm)
        }
    }
}
