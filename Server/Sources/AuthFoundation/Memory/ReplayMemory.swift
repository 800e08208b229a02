package import AuthCore
internal import Synchronization

/// Remembers used proofs for requests that are not single-use otherwise and change no money or credentials: client credentials,
/// userinfo, native sign-in.
///
/// Two generations, each remembered for at least one lifetime of a nonce and dropped as a whole. The size is bounded. If more proofs
/// arrive within a lifetime, the older generation is dropped early, and only the nonce limits a replay.
package final class ReplayMemory: Sendable {

    package init() {}
    private struct State {
        var current: Set<[UInt8]> = []
        var previous: Set<[UInt8]> = []
        var turnedAt: Timestamp?
    }

    private let state = Mutex(State())
    private static let capacity = 65_536

    /// Records a proof.
    /// - Parameters:
    ///   - digest: of the key and the proof's `jti`.
    ///   - life: how long such a proof can be presented.
    /// - Returns: whether it was new.
    package func remember(_ digest: [UInt8], life: Duration, now: Timestamp) -> Bool {
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
