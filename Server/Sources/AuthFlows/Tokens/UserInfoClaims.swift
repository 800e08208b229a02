internal import AuthCore
internal import AuthStore
internal import WalletAuthWire

/// What a client may learn about the person (OpenID Connect Core §5.3, §5.4).
struct UserInfoClaims: Sendable {
    let context: ServerContext

    func claims(
        _ authorization: PresentedAccessToken, proof: PresentedProof, now: Timestamp
    ) async throws -> UserInfoOutcome {
        let token: AccessToken
        switch authorization {
        case .bearer(let presented), .dpop(let presented): token = presented
        }
        let check = AccessTokenCheck(context: context)
        guard let claims = try await check.claims(of: token, now: now) else { return .refused(.invalidToken) }
        if let refusal = binding(of: claims, to: token, authorization, proof: proof, now: now) {
            return .refused(refusal)
        }
        guard try await check.lives(claims, now: now), let account = UniqueID(uuid: claims.subject) else {
            return .refused(.invalidToken)
        }
        guard claims.scope.contains("openid") else { return .refused(.insufficientScope("openid")) }
        // A token for somebody else's API, which may be anybody's, tells nobody who the person is.
        guard claims.audience.contains(context.settings.issuer.rawValue) else { return .refused(.invalidToken) }
        let found = try await context.database.read { connection in
            (try Accounts.find(account, on: connection), try Accounts.names(of: account, on: connection))
        }
        guard let record = found.0 else { return .refused(.invalidToken) }
        return .claims(
            UserInfo(
                subject: claims.subject,
                claims: AccountVault(context: context).claims(of: record, names: found.1, scope: claims.scope)))
    }

    /// A token that is bound to a key is worth nothing without it, and a proof beside an unbound token proves nothing:
    /// scheme, token and proof have to agree (RFC 9449 §7.1, §7.2).
    private func binding(
        of claims: AccessTokenClaims, to token: AccessToken, _ authorization: PresentedAccessToken,
        proof: PresentedProof, now: Timestamp
    ) -> OAuthRefusal? {
        switch (authorization, claims.keyThumbprint) {
        case (.bearer, nil): return nil
        case (.bearer, _?), (.dpop, nil): return .invalidToken
        case (.dpop, let bound?):
            switch ProofOfPossession(context: context).check(proof, accessToken: token, now: now) {
            case .failure(let refusal): return refusal
            case .success(nil): return .invalidDPoPProof("The token is bound to a key, and no proof of it came along.")
            case .success(let checked?):
                guard checked.thumbprint == bound else { return .invalidToken }
                guard context.replays.remember(checked.digest, life: DPoPNonces.life, now: now) else {
                    return .invalidDPoPProof("The proof was used before.")
                }
                return nil
            }
        }
    }
}
