package import AuthCore
package import WalletAuthWire

/// What the authorize-challenge endpoint answers.
package enum NativeSignInOutcome: Sendable {
    /// 200: a code, which the token endpoint redeems with the same key.
    case authorized(AuthorizeChallengeResponse)
    /// One of the states of the wire contract's table, with a session where the person can mend it.
    case refused(SignInRefusal)
    /// The request itself is at fault: the client, the scope, the proof.
    case invalid(OAuthRefusal)
}
