public import WalletAuthWire

/// The result of a verified request. Only ``AccessTokenVerifier`` creates one, so a handler that requires one cannot be
/// reached without verification.
public struct VerifiedAccess: Hashable, Sendable {
    /// The token's claims.
    public let claims: AccessTokenClaims
    /// The scheme under which the token came.
    public let tokenType: TokenType
    /// Header fields for the response: the next DPoP nonce, if nonces are required.
    public let responseHeaders: [HeaderField]

    /// A signed-in person.
    public struct Person: Hashable, Sendable {
        /// `sub`: the person's account.
        public let account: AccountID
        /// `sid`: the session.
        public let session: SessionID
    }

    /// The person on whose behalf the request was made; nil if the client acts for itself (client credentials).
    ///
    /// The session makes the difference and not the subject, since a client's identifier may look like an account's
    /// (RFC 9068 §5).
    public var person: Person? {
        guard let session = claims.sessionID, let account = try? AccountID(claims.subject) else { return nil }
        return Person(account: account, session: session)
    }
}
