internal import WalletAuthTransport

/// Remembers DPoP proofs, so that each is accepted once (RFC 9449 §11.1).
///
/// ``ProofMemoryOfThisProcess`` serves one process. A backend with several processes shares a memory (such as the "set
/// if absent" of a key-value store), or a proof can be used once at each process.
public protocol ProofMemory: Sendable {
    /// Remembers a proof unless it is already remembered, as one atomic step.
    ///
    /// - Parameters:
    ///   - proof: identifies the proof: a hash of its key and its `jti`.
    ///   - person: the token's subject for a signed-in person; nil for a client that acts for itself. No person may
    ///     take up the others' room, however many keys they use.
    ///   - life: how long to remember the proof.
    /// - Returns: whether the proof is new.
    /// - Throws: any error if that is unknown; the request is then answered with 503.
    func remember(_ proof: [UInt8], of person: String?, for life: Duration) async throws -> ProofMemoryVerdict
}

/// The result of looking up a proof.
public enum ProofMemoryVerdict: Hashable, Sendable {
    /// The proof is new.
    case new
    /// The proof was used before.
    case seen
    /// The memory is full, and dropping another proof would allow its reuse. The request is answered with 503.
    case full
    /// This person's share of the memory is full; other people's shares are not affected. The request is answered with
    /// 429.
    case shareTaken(retryAfter: Duration)
}

/// A memory of the proofs that this process received.
public final class ProofMemoryOfThisProcess: ProofMemory {
    private struct State {
        var newer: Set<[UInt8]> = []
        var older: Set<[UInt8]> = []
        /// How many of the newer proofs each person sent.
        var counts: [String: Int] = [:]
        var turnedAt: Duration?
    }

    private let capacity: Int
    private let share: Int
    private let clock: any BackendClock
    private let state = LockedValue(State())

    /// Creates a memory.
    ///
    /// - Parameters:
    ///   - capacity: the maximum number of proofs in each of two halves; beyond that, requests are answered with 503.
    ///     Adding one takes a valid token and its key.
    ///   - share: the number of proofs in one half that one person may use; beyond that, their requests are answered
    ///     with 429. The default is a sixty-fourth: with the default settings, 4,096 requests in five minutes. For a
    ///     smaller memory it is 256, which an app may well send in five minutes, but never more than a quarter: four
    ///     people can then fill the memory.
    ///   - clock: the source of time.
    public init(capacity: Int = 262_144, share: Int? = nil, clock: any BackendClock = SystemBackendClock()) {
        self.capacity = max(1, capacity)
        self.share = max(1, share ?? max(capacity / 64, min(256, capacity / 4)))
        self.clock = clock
    }

    /// Remembers a proof unless it is already remembered.
    ///
    /// - Parameters:
    ///   - proof: identifies the proof.
    ///   - person: the token's subject; nil for a client that acts for itself.
    ///   - life: how long to remember the proof. Pass the same for every proof.
    /// - Returns: whether the proof is new.
    public func remember(_ proof: [UInt8], of person: String?, for life: Duration) -> ProofMemoryVerdict {
        let now = clock.uptime()
        return state.withLock { state in
            // Proofs in the older half were used before the newer half began, so they will have expired by the time the
            // halves are swapped again.
            if state.turnedAt.map({ now - $0 > life }) ?? true {
                state.older = state.newer
                state.newer = []
                state.counts = [:]
                state.turnedAt = now
            }
            if state.older.contains(proof) || state.newer.contains(proof) { return .seen }
            if let person, state.counts[person, default: 0] >= share {
                return .shareTaken(retryAfter: life - (now - (state.turnedAt ?? now)))
            }
            guard state.newer.count < capacity else { return .full }
            state.newer.insert(proof)
            if let person { state.counts[person, default: 0] += 1 }
            return .new
        }
    }
}
