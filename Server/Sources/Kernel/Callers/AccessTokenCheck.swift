package import Core
internal import Store
package import WalletAuthWire

/// Verifies the server's own access tokens, and that the caller may use them.
///
/// A class, because every flow that takes a token has it: one reference to count.
package final class AccessTokenCheck: Sendable {
    private let issuer: Issuer
    private let keyRing: KeyRing
    private let clients: ClientDirectory
    private let database: any Database
    private let proofs: ProofOfPossession
    private let verified = VerifiedTokens()

    init(
        issuer: Issuer, keyRing: KeyRing, clients: ClientDirectory, database: any Database, proofs: ProofOfPossession
    ) {
        self.issuer = issuer
        self.keyRing = keyRing
        self.clients = clients
        self.database = database
        self.proofs = proofs
    }

    /// The claims of an unexpired token that this server signed. Its session may have ended.
    package func claims(of token: AccessToken, now: Timestamp) async throws -> AccessTokenClaims? {
        if case .success(let claims) = try await verify(token, now: now) { claims } else { nil }
    }

    /// The claims of an unexpired token for this server, which signed it. Its session may have ended.
    /// - Parameter isForUserInfo: whether it only says who the person is. For anything else, a token for authorization details is of no use:
    ///   it is for what they say alone.
    /// - Throws: `OAuthRefusal`.
    package func claimsForThisServer(
        of token: AccessToken, toUserInfo isForUserInfo: Bool = false, now: Timestamp
    ) async throws -> AccessTokenClaims {
        let claims = try await verify(token, now: now).get()
        guard claims.audience.contains(issuer.rawValue), isForUserInfo || claims.authorizationDetails == nil else {
            throw OAuthRefusal.unusableToken(.otherAudience)
        }
        return claims
    }

    private func verify(_ token: AccessToken, now: Timestamp) async throws -> Result<AccessTokenClaims, OAuthRefusal> {
        let digest = VerifiedTokens.digest(of: token)
        let date = NumericDate(clamping: now.seconds)
        if let known = verified.find(digest) {
            // The key may have been removed since, and the token may have expired.
            guard keyRing.signingKey(known.keyID) != nil else { return .failure(.unusableToken(.keyWithdrawn)) }
            return isCurrent(known.claims, now: date)
                ? .success(known.claims) : .failure(refusal(of: known.claims, now: date))
        }
        guard let jws = try? CompactJWS(token.reveal()), let id = jws.header.keyID else {
            return .failure(.invalidToken)
        }
        if keyRing.signingKey(id) == nil { try await keyRing.refreshIfStale(now: now) }
        guard let key = keyRing.signingKey(id), key.algorithm == .es256,
            let signed = try? jws.verified(by: [key.verifier], type: .accessToken).claims()
        else { return .failure(.invalidToken) }
        let rules = JWTRules(issuer: issuer.rawValue, leeway: Self.leeway)
        guard let claims = try? AccessTokenClaims(signed.object) else { return .failure(.invalidToken) }
        do { try signed.validate(rules, now: date) } catch { return .failure(refusal(of: claims, now: date)) }
        verified.remember(VerifiedTokens.Entry(claims: claims, keyID: id), digest)
        return .success(claims)
    }

    /// The refusal of a token with this server's signature that its claims make invalid now.
    private func refusal(of claims: AccessTokenClaims, now: NumericDate) -> OAuthRefusal {
        guard claims.issuer == issuer.rawValue, now >= claims.expiresAt.advanced(by: Self.leeway) else {
            return .invalidToken
        }
        return .unusableToken(.expired(ago: now.secondsSince1970 - claims.expiresAt.secondsSince1970))
    }

    /// Tokens are short-lived and issued by the same clock, so the leeway only covers the difference between two processes.
    private static let leeway = Duration.seconds(1)

    /// The time-dependent checks, the same as in the first verification.
    private func isCurrent(_ claims: AccessTokenClaims, now: NumericDate) -> Bool {
        now < claims.expiresAt.advanced(by: Self.leeway) && claims.issuedAt <= now.advanced(by: Self.leeway)
    }

    /// Whether the token's client is still registered and its session still active. A client's own token has no session.
    package func lives(_ claims: AccessTokenClaims, now: Timestamp) async throws -> Bool {
        if claims.sessionID != nil { return try await session(of: claims, now: now) != nil }
        return try await clients.find(claims.clientID, now: now) != nil
    }

    /// The active session of a token whose client is still registered, and whose actors may still act; `nil` also for a client's own
    /// token.
    package func session(of claims: AccessTokenClaims, now: Timestamp) async throws -> SessionRecord? {
        guard let id = claims.sessionID.flatMap({ UniqueID(bytes: $0.bytes) }),
            try await clients.find(claims.clientID, now: now) != nil
        else { return nil }
        // Who has lost the right to act for people acts for no one, with a token from before either.
        for actor in claims.actors {
            guard try await clients.find(actor, now: now)?.mayExchangeTokens == true else { return nil }
        }
        return try await database.read { try Sessions.living(id, now: now, on: $0) }
    }

    /// Checks that scheme, token and proof agree (RFC 9449 §7.1, §7.2), and uses up the proof. A bound token is useless without its key,
    /// and a proof with an unbound token proves nothing.
    /// - Returns: `nil` for a bearer token, which has no proof.
    package func possession(
        of authorization: PresentedAccessToken, _ claims: AccessTokenClaims, proof: PresentedProof, now: Timestamp
    ) async throws -> Result<CheckedProof?, OAuthRefusal> {
        switch (authorization, claims.keyThumbprint) {
        case (.bearer, nil): return .success(nil)
        case (.bearer, _?): return .failure(.unusableToken(.unproved))
        case (.dpop, nil): return .failure(.unusableToken(.unbound))
        case (.dpop(let token), let bound?):
            switch proofs.check(proof, accessToken: token, now: now) {
            case .failure(let refusal): return .failure(refusal)
            case .success(nil):
                return .failure(
                    .invalidDPoPProof("The token is bound to a key, but the request carries no proof of that key."))
            case .success(let checked?):
                guard checked.thumbprint == bound else { return .failure(.unusableToken(.otherKey)) }
                if let refusal = try await proofs.use(checked, now: now) { return .failure(refusal) }
                return .success(checked)
            }
        }
    }
}

/// An access token from the `Authorization` header.
package enum PresentedAccessToken: Sendable {
    /// RFC 6750 §2.1.
    case bearer(AccessToken)
    /// RFC 9449 §7.1.
    case dpop(AccessToken)

    /// The token under either scheme.
    package var token: AccessToken {
        switch self {
        case .bearer(let token), .dpop(let token): token
        }
    }
}
