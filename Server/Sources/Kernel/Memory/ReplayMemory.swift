internal import Core
internal import Store
internal import Synchronization

/// Remembers used proofs, for requests that are not single-use otherwise: native sign-in, client credentials, and calls with an
/// access token. A change of a factor also records its proof, in its own write.
///
/// If several processes share the database, used proofs are also in a table of theirs, because a proof used at one of them must
/// not work at another. Otherwise memory is enough, and a request costs no write.
///
/// Two generations, each remembered for at least one lifetime of a nonce and dropped as a whole. The size is bounded. If more proofs
/// arrive within a lifetime, the older generation is dropped early, and only the nonce limits a replay.
final class ReplayMemory: Sendable {
    private struct State {
        var current: Set<[UInt8]> = []
        var previous: Set<[UInt8]> = []
        var turnedAt: Timestamp?
    }

    private let state = Mutex(State())
    /// `nil` if this process is the only one.
    private let shared: (any Database)?
    private static let capacity = 65_536
    private static let label = "dpop-proof"

    /// - Parameter shared: the database, if several processes use it.
    init(shared: (any Database)?) {
        self.shared = shared
    }

    /// Records a proof.
    /// - Parameters:
    ///   - digest: of the key and the proof's `jti`.
    ///   - life: how long such a proof can be presented.
    /// - Returns: whether it was new.
    func remember(_ digest: [UInt8], life: Duration, now: Timestamp) async throws -> Bool {
        guard rememberHere(digest, life: life, now: now) else { return false }
        guard let shared else { return true }
        // A change of a factor records the same proof in that table, under its own name.
        let name = Digests.of(Self.label, digest)
        return try await shared.write(isolation: .guardedStatement) {
            try SeenJTIs.remember(name, until: now + life, on: $0)
        }
    }

    private func rememberHere(_ digest: [UInt8], life: Duration, now: Timestamp) -> Bool {
        state.withLock { state in
            if state.turnedAt.map({ now.isApart(from: $0, by: life) }) ?? true || state.current.count >= Self.capacity {
                state.previous = state.current
                state.current = []
                state.turnedAt = now
            }
            guard !state.previous.contains(digest) else { return false }
            return state.current.insert(digest).inserted
        }
    }
}
