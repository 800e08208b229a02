package import Core
internal import Synchronization
internal import WalletAuthWire

/// A team's key for Apple's push service.
package struct APNsKey: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    let team: String
    let id: String
    let key: ApplePrivateKey

    /// - Parameters:
    ///   - team: the team's id at Apple.
    ///   - id: the key's id at Apple.
    package init(team: String, id: String, key: ApplePrivateKey) {
        self.team = team
        self.id = id
        self.key = key
    }

    package var description: String { "<redacted>" }
    package var debugDescription: String { "<redacted>" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The token that proves to Apple who sends: a JWT by the team's key. Apple wants it renewed within the hour, and not more often than
/// every 20 minutes.
package final class APNsProviderToken: Sendable {
    package struct Token: Sendable, Hashable {
        package let text: String
        package let issuedAt: Timestamp
    }

    private static let lifetime = Duration.minutes(40)
    private static let shortest = Duration.minutes(20)

    private let key: APNsKey
    private let kept = Mutex<Token?>(nil)

    package init(_ key: APNsKey) {
        self.key = key
    }

    /// The token for a request at a time.
    /// - Throws: the library's error.
    package func current(now: Timestamp) throws -> Token {
        try kept.withLock { kept in
            // A token from the future is of a clock that was wrong.
            if let token = kept, now >= token.issuedAt, now - token.issuedAt < Self.lifetime { return token }
            let token = try make(now: now)
            kept = token
            return token
        }
    }

    /// Another token than one that Apple called expired.
    /// - Returns: `nil` if that one is so young that Apple would refuse its successor too: one of the two clocks is wrong.
    /// - Throws: the library's error.
    package func renewed(after refused: Token, now: Timestamp) throws -> Token? {
        try kept.withLock { kept in
            // Another request may have renewed it already.
            if let token = kept, token != refused { return token }
            guard now - refused.issuedAt >= Self.shortest else { return nil }
            let token = try make(now: now)
            kept = token
            return token
        }
    }

    private func make(now: Timestamp) throws -> Token {
        var claims = JSONObject()
        claims.set("iss", key.team)
        claims.set("iat", NumericDate(clamping: now.seconds))
        let signer = key.key.signer(keyID: key.id)
        return Token(
            text: try CompactJWSEncoder(signer: signer, type: nil).encode(claims.bytes, signer: signer), issuedAt: now)
    }
}
