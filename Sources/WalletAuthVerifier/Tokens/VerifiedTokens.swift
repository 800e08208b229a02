internal import Crypto
internal import WalletAuthWire

/// Remembers the claims of tokens that were verified, by the hash of each, until it expires: a token comes with many
/// requests, and its signature costs more than all the rest.
///
/// Bounded: two halves, of which the older is dropped when the newer is full.
final class VerifiedTokens: Sendable {
    private struct Entry {
        var claims: AccessTokenClaims
        /// The keys by which it was verified. With others at hand it is verified again.
        var generation: Int
    }

    private struct State {
        var newer: [SHA256Digest: Entry] = [:]
        var older: [SHA256Digest: Entry] = [:]
    }

    private let half: Int
    private let state = Locked(State())

    init(capacity: Int) { half = max(1, capacity / 2) }

    func claims(of token: SHA256Digest, generation: Int) -> AccessTokenClaims? {
        state.withLock { state in
            guard let entry = state.newer[token] ?? state.older[token], entry.generation == generation else {
                return nil
            }
            return entry.claims
        }
    }

    func keep(_ claims: AccessTokenClaims, of token: SHA256Digest, generation: Int) {
        state.withLock { state in
            if state.newer.count >= half {
                state.older = state.newer
                state.newer = [:]
            }
            state.newer[token] = Entry(claims: claims, generation: generation)
        }
    }

    /// How many are kept.
    var count: Int { state.withLock { $0.newer.count + $0.older.count } }
}
