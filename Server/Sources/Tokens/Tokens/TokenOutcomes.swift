package import Kernel
package import WalletAuthWire

package enum TokenOutcome: Sendable {
    /// 200 with the tokens.
    case issued(TokenResponse)
    /// An OAuth error; ``OAuthRefusal`` has the status, headers and body.
    case refused(OAuthRefusal)
}

/// The response of the revocation endpoint (RFC 7009 §2.2).
package enum RevocationOutcome: Sendable {
    /// 200 without a body: the session has ended, or there is none, because the token is unknown, expired or another client's.
    case done
    /// The client could not be authenticated, or the token is its own and still lives.
    case refused(OAuthRefusal)
}

/// The response of the introspection endpoint (RFC 7662 §2.2).
package enum IntrospectionOutcome: Sendable {
    /// 200; only `active: false` unless the token is active.
    case answered(IntrospectionResponse)
    /// The client could not be authenticated, or may not ask.
    case refused(OAuthRefusal)
}

/// The response of the userinfo endpoint (OpenID Connect Core §5.3).
package enum UserInfoOutcome: Sendable {
    /// 200 with the claims that the token's scope allows.
    case claims(UserInfo)
    /// 401 or 403 with `WWW-Authenticate`.
    case refused(OAuthRefusal)
}
