import WalletAuthWire

/// The judgment on an answer to a refresh, made on the whole answer before any part of it is stored.
enum RenewalVerdict: Sendable {
    /// The session with the new tokens.
    case renewed(Session)
    /// Only the refresh token is usable: the one that was sent may be spent by now. `isUnjudged` if the answer has an
    /// unreadable ID token, so that its owner cannot be determined.
    case flawed(RefreshToken?, isUnjudged: Bool, WalletError)
    /// It belongs to another person, merchant, client or issuer. Nothing in it is ever used.
    case another(StoredSessions.QueuedRevocation?, WalletError)
}

extension SessionGrant {
    /// Judges an answer to a refresh. Ownership comes first, and is read from every readable part of the answer. Any
    /// other fault costs the answer, but never the refresh token.
    /// - Parameters:
    ///   - sent: the refresh token that was sent.
    func judge(
        _ object: JSONObject, renewing session: Session, sent: RefreshToken, at receivedAt: Instant
    ) -> RenewalVerdict {
        let claims = UnverifiedClaims(object["access_token"]?.string ?? "")
        let newest = try? TokenResponse.refreshToken(in: object)
        let idToken = IDTokenFinding(object["id_token"])
        var owner = TokenOwner(merchantID: object["merchant_id"]?.string)
        owner.complete(from: claims)
        // A server may name a person differently in its own tokens and in ID tokens: compare like with like.
        let formerSubject = UnverifiedClaims(session.accessToken.reveal())?.claims.subject ?? session.owner.subject
        if let fault = differs(owner, from: session.owner, formerSubject) ?? differs(idToken, from: session.owner) {
            return .another(
                revocation(of: newest, or: object["access_token"]?.string, sent: sent, sessionID(idToken, claims)),
                WalletError(
                    .malformedAnswer, .misconfigured, during: .refresh, reachedServer: true,
                    reason: "the renewed token belongs to another session: \(fault)"))
        }
        func flawed(isUnjudged: Bool, _ error: WalletError) -> RenewalVerdict {
            .flawed(newest, isUnjudged: isUnjudged, error)
        }
        if case .unreadable(let fault, _) = idToken {
            return flawed(isUnjudged: true, invalidIDToken("the ID token \(fault)", .refresh))
        }
        if session.isRefreshTokenUnjudged {
            let isNamed = idToken.isReadable || (claims?.claims.subject != nil && formerSubject != nil)
            guard isNamed else {
                return flawed(
                    isUnjudged: true,
                    invalidIDToken(
                        "the previous response named no owner, and neither does this one",
                        .refresh))
            }
        }
        let response: TokenResponse
        do { response = try TokenResponse(object, assuming: session.tokenType) } catch {
            return flawed(isUnjudged: false, malformed("the renewed token cannot be used: \(error)"))
        }
        guard response.tokenType == session.tokenType else {
            return flawed(
                isUnjudged: false,
                malformed(
                    "the renewed token has the type \(response.tokenType.rawValue), but the session's has"
                        + " \(session.tokenType.rawValue)"))
        }
        if case .readable(let subject, let sessionID, _) = idToken {
            owner.subject = subject
            owner.sessionID = sessionID ?? owner.sessionID
        }
        return .renewed(renewed(session, response, owner, life(of: response, claims: claims, at: receivedAt)))
    }

    private func renewed(_ session: Session, _ response: TokenResponse, _ owner: TokenOwner, _ life: TokenLifetime)
        -> Session
    {
        var renewed = session
        renewed.owner = session.owner.completed(by: owner)
        renewed.accessToken = response.accessToken
        renewed.life = life
        // A server that does not rotate refresh tokens sends none: keep the former one (RFC 6749 §6).
        renewed.refreshToken = response.refreshToken ?? session.refreshToken
        renewed.idToken = response.idToken ?? session.idToken
        if let scope = response.scope { renewed.scopes = scope.tokens }
        renewed.renewal = .idle
        renewed.unexplainedAnswers = 0
        renewed.isRefreshTokenUnjudged = false
        return renewed
    }

    private func malformed(_ reason: String) -> WalletError {
        WalletError(.malformedAnswer, .misconfigured, during: .refresh, reachedServer: true, reason: reason)
    }

    /// Describes how an answer's access token belongs to another session; nil if nothing says so.
    private func differs(_ new: TokenOwner, from known: TokenOwner, _ formerSubject: String?) -> String? {
        if let new = new.subject, let former = formerSubject, new != former { return "its sub differs" }
        if let new = new.merchantID, let former = known.merchantID, new != former {
            return "its merchant differs"
        }
        return nil
    }

    /// Describes how an answer's ID token belongs to another session (OpenID Connect Core §12.2). Every readable claim
    /// counts, whatever the others are.
    private func differs(_ idToken: IDTokenFinding, from known: TokenOwner) -> String? {
        guard let claims = idToken.claims else { return nil }
        if let name = claims.issuer, name != issuer.rawValue { return "the iss of its ID token differs" }
        if let audience = claims.audience, !audience.contains(clientID.rawValue) {
            return "the aud of its ID token differs"
        }
        if let party = claims.object["azp"]?.string, party != clientID.rawValue {
            return "the azp of its ID token differs"
        }
        if let subject = claims.subject, let former = known.subject, subject != former {
            return "the sub of its ID token differs"
        }
        return nil
    }

    /// The revocation of another owner's token. The refresh token that was sent belongs to this session, even if it
    /// comes back.
    private func revocation(
        of refreshToken: RefreshToken?, or accessToken: String?, sent: RefreshToken, _ sessionID: String?
    ) -> StoredSessions.QueuedRevocation? {
        // The subject differs, or the tokens contradict each other.
        let owner = TokenOwner(subject: nil, merchantID: nil, sessionID: sessionID)
        if let refreshToken, refreshToken != sent {
            return StoredSessions.QueuedRevocation(refreshToken.reveal(), .refreshToken, of: owner)
        }
        return accessToken.flatMap { StoredSessions.QueuedRevocation($0, .accessToken, of: owner) }
    }

    /// The session that an answer names; this issuer's ID token takes precedence.
    private func sessionID(_ idToken: IDTokenFinding, _ claims: UnverifiedClaims?) -> String? {
        guard let named = idToken.claims else { return claims?.claims.object["sid"]?.string }
        return named.issuer == issuer.rawValue ? named.object["sid"]?.string : nil
    }
}
