public import WalletAuthWire

/// A request that was let in: only ``AccessTokenVerifier`` makes one, so a handler that takes it cannot be reached without.
public struct VerifiedAccess: Hashable, Sendable {
    /// What the token says.
    public let claims: AccessTokenClaims
    /// How the token was shown.
    public let tokenType: TokenType
    /// What the answer should carry: the next DPoP nonce, where nonces are asked for.
    public let responseHeaders: [HeaderField]

    /// A person who is signed in.
    public struct Person: Hashable, Sendable {
        /// `sub`: the person's account.
        public let account: AccountID
        /// `sid`: the session.
        public let session: SessionID
    }

    /// The person on whose behalf the request comes; nil if a client acts for itself (client credentials).
    ///
    /// It is the session that tells the two apart and not the subject, since nobody keeps a client's identifier from
    /// looking like an account's (RFC 9068 §5).
    public var person: Person? {
        guard let session = claims.sessionID, let account = try? AccountID(claims.subject) else { return nil }
        return Person(account: account, session: session)
    }
}
