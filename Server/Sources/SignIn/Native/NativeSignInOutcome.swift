package import Kernel
package import WalletAuthWire

/// The response of the authorize-challenge endpoint.
package enum NativeSignInOutcome: Sendable {
    /// 200: a code, which the token endpoint redeems with the same key.
    case authorized(AuthorizeChallengeResponse)
    /// One of the states in the table of docs/protocol.md, with a session if the person can continue.
    case refused(NativeSignInRefusal)
    /// The request itself is invalid: the client, the scope or the proof.
    case invalid(OAuthRefusal)
}
