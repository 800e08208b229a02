internal import AuthCore
internal import Crypto
internal import Synchronization
internal import WalletAuthWire

/// The access tokens whose signature was found right already: a backend asks about the same token again and again until it
/// expires, and one verification costs as much as all the rest of the answer.
///
/// Only what never changes is remembered: who signed, and what was signed. Whether the token has expired, its key is still
/// published and its session and client still live is asked each time. Tokens are named by their digest, so that none is
/// kept here. Two generations, each bounded: what is still in use moves along, the rest goes without a search.
final class VerifiedTokens: Sendable {
    /// What was signed, and by which key.
    struct Entry: Sendable {
        let claims: AccessTokenClaims
        let keyID: String
    }

    private struct State {
        var current: [SHA256Digest: Entry] = [:]
        var previous: [SHA256Digest: Entry] = [:]
    }

    private let state = Mutex(State())
    private let capacity: Int

    /// - Parameter capacity: how many tokens a generation holds, at about a kilobyte each.
    init(capacity: Int = 2048) {
        self.capacity = capacity
    }

    static func digest(of token: AccessToken) -> SHA256Digest {
        SHA256.hash(data: Array(token.reveal().utf8))
    }

    /// What is known of a token.
    func find(_ digest: SHA256Digest) -> Entry? {
        state.withLock { state in
            if let entry = state.current[digest] { return entry }
            guard let entry = state.previous[digest] else { return nil }
            insert(entry, digest, &state)
            return entry
        }
    }

    /// Remembers a token whose signature was verified just now.
    func remember(_ entry: Entry, _ digest: SHA256Digest) {
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
