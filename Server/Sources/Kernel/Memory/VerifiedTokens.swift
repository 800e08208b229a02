package import Crypto
internal import Synchronization
package import WalletAuthWire

/// A cache of access tokens with a verified signature. A backend asks about the same token until it expires, and a verification
/// costs as much as the rest of the response.
///
/// It contains only what never changes: the signing key and the claims. Expiry, the key's publication, the session and the client
/// are checked each time. Tokens are identified by digest, so none is stored. There are two bounded generations: tokens in use
/// move to the newer one, and the older one is dropped as a whole.
package final class VerifiedTokens: Sendable {
    /// The signed claims and the key.
    package struct Entry: Sendable {
        package let claims: AccessTokenClaims
        package let keyID: String

        package init(claims: AccessTokenClaims, keyID: String) {
            self.claims = claims
            self.keyID = keyID
        }
    }

    private struct State {
        var current: [SHA256Digest: Entry] = [:]
        var previous: [SHA256Digest: Entry] = [:]
    }

    private let state = Mutex(State())
    private let capacity: Int

    /// - Parameter capacity: the number of tokens per generation, at about a kilobyte each.
    init(capacity: Int = 2048) {
        self.capacity = capacity
    }

    package static func digest(of token: AccessToken) -> SHA256Digest {
        SHA256.hash(data: Array(token.reveal().utf8))
    }

    package func find(_ digest: SHA256Digest) -> Entry? {
        state.withLock { state in
            if let entry = state.current[digest] { return entry }
            guard let entry = state.previous[digest] else { return nil }
            insert(entry, digest, &state)
            return entry
        }
    }

    /// Adds a token whose signature was just verified.
    package func remember(_ entry: Entry, _ digest: SHA256Digest) {
        state.withLock { insert(entry, digest, &$0) }
    }

    private func insert(_ entry: Entry, _ digest: SHA256Digest, _ state: inout State) {
        if state.current.count >= capacity {
            state.previous = state.current
            state.current = [:]
        }
        state.current[digest] = entry
    }
}
