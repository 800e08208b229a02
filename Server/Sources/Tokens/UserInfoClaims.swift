internal import Core
package import Kernel
internal import Store
package import WalletAuthWire

/// The claims about a person that a client may learn (OpenID Connect Core §5.3, §5.4).
package struct UserInfoClaims: Sendable {
    let clock: any Clock
    let accessTokens: AccessTokenCheck
    let database: any Database
    let sealing: SealingKeys
    let issuer: Issuer

    package func claims(
        _ authorization: PresentedAccessToken, proof: PresentedProof
    ) async throws -> Result<UserInfo, OAuthRefusal> {
        let now = clock.now()
        // A token for another API, possibly a stranger's, must not reveal the person's identity.
        let claims: AccessTokenClaims
        do {
            claims = try await accessTokens.claimsForThisServer(of: authorization.token, toUserInfo: true, now: now)
        } catch let refusal as OAuthRefusal { return .failure(refusal) }
        let possession = try await accessTokens.possession(
            of: authorization, claims, proof: proof, now: now)
        if case .failure(let refusal) = possession { return .failure(refusal) }
        guard claims.sessionID != nil else { return .failure(.unusableToken(.ofClient)) }
        guard try await accessTokens.lives(claims, now: now), let account = UniqueID(uuid: claims.subject) else {
            return .failure(.unusableToken(.ended))
        }
        guard claims.scope.contains("openid") else { return .failure(.insufficientScope("openid")) }
        let (record, names) = try await database.read { connection in
            (try Accounts.find(account, on: connection), try Accounts.names(of: account, on: connection))
        }
        guard let record else { return .failure(.unusableToken(.ended)) }
        return .success(
            UserInfo(
                subject: claims.subject,
                claims: AccountVault(sealing).claims(of: record, names: names, scope: claims.scope)))
    }
}
