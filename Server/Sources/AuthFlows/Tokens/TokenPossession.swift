internal import AuthCore
internal import WalletAuthWire

/// Whether whoever shows an access token may have it: scheme, token and proof have to agree (RFC 9449 §7.1, §7.2).
///
/// A token that is bound to a key is worth nothing without it, and a proof beside an unbound token proves nothing.
struct TokenPossession: Sendable {
    let context: ServerContext

    /// Checks the proof of a token whose claims were verified, and remembers it: it lets one request in.
    /// - Parameters:
    ///   - authorization: the token, under its scheme.
    ///   - claims: the token's.
    ///   - proof: what the request brought.
    ///   - now: the present moment.
    /// - Returns: the proof; `nil` for a bearer token, which has none.
    func check(
        _ authorization: PresentedAccessToken, _ claims: AccessTokenClaims, proof: PresentedProof, now: Timestamp
    ) -> Result<CheckedProof?, OAuthRefusal> {
        switch (authorization, claims.keyThumbprint) {
        case (.bearer, nil): return .success(nil)
        case (.bearer, _?), (.dpop, nil): return .failure(.invalidToken)
        case (.dpop(let token), let bound?):
            switch ProofOfPossession(context: context).check(proof, accessToken: token, now: now) {
            case .failure(let refusal): return .failure(refusal)
            case .success(nil):
                return .failure(
                    .invalidDPoPProof("The token is bound to a key, but the request carries no proof of that key."))
            case .success(let checked?):
                guard checked.thumbprint == bound else { return .failure(.invalidToken) }
                guard context.replays.remember(checked.digest, life: DPoPNonces.life, now: now) else {
                    return .failure(.invalidDPoPProof("The proof was used before."))
                }
                return .success(checked)
            }
        }
    }
}

extension PresentedAccessToken {
    /// The token, whatever its scheme.
    var token: AccessToken {
        switch self {
        case .bearer(let token), .dpop(let token): token
        }
    }
}
