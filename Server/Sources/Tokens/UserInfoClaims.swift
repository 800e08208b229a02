internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// The claims about a person that a client may learn (OpenID Connect Core §5.3, §5.4).
struct UserInfoClaims: Sendable {
    let context: ServerContext

    func claims(
        _ authorization: PresentedAccessToken, proof: PresentedProof, now: Timestamp
    ) async throws -> Result<UserInfo, OAuthRefusal> {
        let check = AccessTokenCheck(context: context)
        guard let claims = try await check.claims(of: authorization.token, now: now) else {
            return .failure(.invalidToken)
        }
        let possession = try await TokenPossession(context: context)
            .check(authorization, claims, proof: proof, now: now)
        if case .failure(let refusal) = possession { return .failure(refusal) }
        guard try await check.lives(claims, now: now), let account = UniqueID(uuid: claims.subject) else {
            return .failure(.invalidToken)
        }
        guard claims.scope.contains("openid") else { return .failure(.insufficientScope("openid")) }
        // A token for another API, possibly a stranger's, must not reveal the person's identity.
        guard claims.audience.contains(context.settings.issuer.rawValue) else { return .failure(.invalidToken) }
        let (record, names) = try await context.database.read { connection in
            (try Accounts.find(account, on: connection), try Accounts.names(of: account, on: connection))
        }
        guard let record else { return .failure(.invalidToken) }
        return .success(
            UserInfo(
                subject: claims.subject,
                claims: AccountVault(context.sealing).claims(of: record, names: names, scope: claims.scope)))
    }
}
