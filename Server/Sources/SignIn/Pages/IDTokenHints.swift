internal import Core
internal import Kernel
internal import WalletAuthWire

/// Reads the subject of an `id_token_hint` (OpenID Connect Core §3.1.2.1). It may have expired, but this server must have
/// issued it.
struct IDTokenHints: Sendable {
    let context: ServerContext

    func subject(of hint: IDToken) -> String? {
        guard let jws = try? CompactJWS(hint.reveal()), let id = jws.header.keyID,
            let key = context.keyRing.signingKey(id),
            let claims = try? jws.verified(by: key.verifier, type: .jwt).claims(),
            claims.issuer == context.settings.issuer.rawValue
        else { return nil }
        return claims.subject
    }
}
