package import Core
package import WalletAuthWire

/// Checks that the caller may use an access token: scheme, token and proof have to agree (RFC 9449 §7.1, §7.2).
///
/// A bound token is useless without its key, and a proof with an unbound token proves nothing.
package struct TokenPossession: Sendable {
    package let context: ServerContext

    package init(context: ServerContext) { self.context = context }

    /// Verifies the proof for a token with verified claims, and records it: a proof is good for one request.
    /// - Returns: `nil` for a bearer token, which has no proof.
    package func check(
        _ authorization: PresentedAccessToken, _ claims: AccessTokenClaims, proof: PresentedProof, now: Timestamp
    ) async throws -> Result<CheckedProof?, OAuthRefusal> {
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
                guard try await context.replays.remember(checked.digest, life: DPoPNonces.life, now: now) else {
                    return .failure(.invalidDPoPProof("The proof has already been used."))
                }
                return .success(checked)
            }
        }
    }
}

extension PresentedAccessToken {
    /// The token under either scheme.
    package var token: AccessToken {
        switch self {
        case .bearer(let token), .dpop(let token): token
        }
    }
}
