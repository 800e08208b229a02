internal import AuthCore
internal import Synchronization

/// The proofs that were used where nothing else makes a request single-use and no money or credential changes: client
/// credentials, userinfo, native sign-in.
///
/// Two generations by time: remembered for at least one life of a nonce, then dropped without a search. Bounded; when
/// more proofs come within a life than fit, the older generation goes early, which leaves the nonce's own bound.
final class ReplayMemory: Sendable {
    private struct State {
        var current: Set<[UInt8]> = []
        var previous: Set<[UInt8]> = []
        var turnedAt: Timestamp?
    }

    private let state = Mutex(State())
    private static let capacity = 65_536

    /// Remembers a proof.
    /// - Parameters:
    ///   - digest: of the key and the proof's `jti`.
    ///   - life: how long such a proof could be presented.
    ///   - now: the present moment.
    /// - Returns: whether it was new.
    func remember(_ digest: [UInt8], life: Duration, now: Timestamp) -> Bool {
        state.withLock { state in
            if state.turnedAt.map({ now - $0 > life || now < $0 }) ?? true || state.current.count >= Self.capacity {
                state.previous = state.current
                state.current = []
                state.turnedAt = now
            }
            guard !state.previous.contains(digest) else { return false }
            return state.current.insert(digest).inserted
        }
    }
}
