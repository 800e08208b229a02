internal import Crypto
internal import WalletAuthTransport
internal import WalletAuthWire

/// Caches the claims of verified tokens by their hash until they expire. A token comes with many requests, and
/// verifying its signature costs more than everything else.
///
/// The cache is bounded: it has two halves, and drops the older one when the newer is full.
final class VerifiedTokenCache: Sendable {
    private struct Entry {
        var claims: AccessTokenClaims
        /// The generation of the keys that verified the token. With other keys, the token is verified again.
        var generation: Int
    }

    private struct State {
        var newer: [SHA256Digest: Entry] = [:]
        var older: [SHA256Digest: Entry] = [:]
    }

    private let half: Int
    private let state = LockedValue(State())

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

    /// The number of cached tokens.
    var count: Int { state.withLock { $0.newer.count + $0.older.count } }
}
