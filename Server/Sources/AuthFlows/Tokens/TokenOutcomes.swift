package import AuthCore
package import WalletAuthWire

/// What the token endpoint answers.
package enum TokenOutcome: Sendable {
    /// 200 with the tokens.
    case issued(TokenResponse)
    /// An OAuth error; ``OAuthRefusal`` knows status, headers and body.
    case refused(OAuthRefusal)
}

/// What the revocation endpoint answers (RFC 7009 §2.2): the same for a token that was revoked, was unknown or belongs
/// to somebody else.
package enum RevocationOutcome: Sendable {
    /// 200 without a body.
    case done
    /// The client could not be authenticated, or the request is malformed.
    case refused(OAuthRefusal)
}

/// What the introspection endpoint answers (RFC 7662 §2.2).
package enum IntrospectionOutcome: Sendable {
    /// 200; `active: false`, and nothing else, for whatever is not a live token.
    case answered(IntrospectionResponse)
    /// The client could not be authenticated, or may not ask.
    case refused(OAuthRefusal)
}

/// What the userinfo endpoint answers (OpenID Connect Core §5.3).
package enum UserInfoOutcome: Sendable {
    /// 200 with the claims that the token's scope allows.
    case claims(UserInfo)
    /// 401 or 403 with `WWW-Authenticate`.
    case refused(OAuthRefusal)
}
