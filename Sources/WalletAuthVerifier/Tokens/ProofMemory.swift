/// Remembers DPoP proofs, so that each is taken once (RFC 9449 §11.1).
///
/// ``ProofMemoryOfThisProcess`` serves one process. A backend of several shares a memory among them (a key-value
/// store's "set unless there"), or lets a proof be used once at each of them.
public protocol ProofMemory: Sendable {
    /// Remembers a proof unless it is remembered already, as one step.
    /// - Parameters:
    ///   - proof: names the proof: a hash of its key and its `jti`.
    ///   - person: the token's subject, where a person came; nil for a client that acts for itself. Nobody who signed in, by
    ///     however many keys, may take the room of the others.
    ///   - life: how long it has to be remembered.
    /// - Returns: whether it was new.
    /// - Throws: anything where that cannot be told; the request is then answered with 503.
    func remember(_ proof: [UInt8], of person: String?, for life: Duration) async throws -> ProofMemoryVerdict
}

/// What a memory says of a proof.
public enum ProofMemoryVerdict: Hashable, Sendable {
    /// It never came before.
    case new
    /// It came before.
    case seen
    /// There is no room, and forgetting another would let that one be used twice. The request is answered with 503.
    case full
    /// This person has taken the room that one person gets; the others have theirs. The request is answered with 429.
    case shareTaken(retryAfter: Duration)
}

/// Remembers the proofs that came to this process.
public final class ProofMemoryOfThisProcess: ProofMemory {
    private struct State {
        var newer: Set<[UInt8]> = []
        var older: Set<[UInt8]> = []
        /// How many of the newer ones each person brought.
        var counts: [String: Int] = [:]
        var turnedAt: Duration?
    }

    private let capacity: Int
    private let share: Int
    private let clock: any BackendClock
    private let state = Locked(State())

    /// Creates a memory.
    /// - Parameters:
    ///   - capacity: how many proofs it holds at most, in each of two halves; beyond that requests are answered with
    ///     503. Only whoever has a good token and its key can put one in.
    ///   - share: how many of one half one person may take; beyond that their requests are answered with 429, and
    ///     nobody else's. By default a sixty-fourth: by the usual settings 4,096 requests in five minutes. Of a smaller
    ///     memory it is 256, which an app may well send in five minutes, and a quarter at most: four people fill it
    ///     then.
    ///   - clock: tells the time.
    public init(capacity: Int = 262_144, share: Int? = nil, clock: any BackendClock = SystemBackendClock()) {
        self.capacity = max(1, capacity)
        self.share = max(1, share ?? max(capacity / 64, min(256, capacity / 4)))
        self.clock = clock
    }

    /// Remembers a proof unless it is remembered already.
    public func remember(_ proof: [UInt8], of person: String?, for life: Duration) -> ProofMemoryVerdict {
        let now = clock.uptime()
        return state.withLock { state in
            // What is in the older half came before the newer one began, which is longer ago than a proof lives by the
            // time the halves turn again.
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
