internal import Core
internal import Kernel
internal import WalletAuthWire

/// The ID tokens with which clients name a person (`id_token_hint`). They may have expired, but this server must have issued them, with a
/// key that it still publishes.
struct IDTokenHints: Sendable {
    let issuer: Issuer
    let keyRing: KeyRing

    /// The claims of a genuine ID token; `nil` for any other text.
    func claims(of hint: IDToken) -> IDTokenClaims? {
        guard let jws = try? CompactJWS(hint.reveal()), let id = jws.header.keyID, let key = keyRing.signingKey(id),
            let signed = try? jws.verified(by: key.verifier, type: .jwt).claims(),
            let claims = try? IDTokenClaims(signed.object), claims.issuer == issuer.rawValue
        else { return nil }
        return claims
    }
}
