import Foundation
import WalletAuth
import WalletAuthWire

extension ServerCore {
    /// The token endpoint.
    mutating func token(_ request: HTTPRequest, now: NumericDate) throws -> HTTPResponse {
        let form = try FormParameters(parsing: request.bytes)
        let parsed = try TokenRequest(form: form, authorization: request.headers["Authorization"])
        guard parsed.client.clientID.rawValue == clientID else { throw OAuthError(.invalidClient) }
        let thumbprint = try proof(of: request, now: now)
        if settings.dpop == .required, thumbprint == nil { throw OAuthError(.invalidDPoPProof, "a proof is required") }
        let answer: TokenResponse
        switch parsed.grant {
        case .authorizationCode(let code, let redirectURI, let verifier):
            guard let verifier else { throw OAuthError(.invalidRequest, "code_verifier is missing") }
            answer = try redeem(code, redirectURI, verifier, thumbprint, now: now)
        case .refreshToken(let token, let attempt):
            answer = try refresh(token, settings.keepsRefreshAttempts ? attempt : nil, thumbprint, now: now)
        case .clientCredentials, .tokenExchange, .accessTokenExchange, .deviceCode, .backchannel:
            throw OAuthError(.unauthorizedClient)
        }
        return HTTPResponse(
            status: 200, headers: ["Content-Type": "application/json", "Cache-Control": "no-store"],
            body: Data(answer.bytes))
    }

    mutating func issueCode(_ code: Code) -> AuthorizationCode? {
        let text = "code-" + Self.randomText()
        codes[text] = code
        return try? AuthorizationCode(text)
    }

    private mutating func redeem(
        _ code: AuthorizationCode, _ redirectURI: RedirectURI?, _ verifier: CodeVerifier, _ thumbprint: JWKThumbprint?,
        now: NumericDate
    ) throws -> TokenResponse {
        guard let kept = codes[code.reveal()], redirectURI == nil || kept.redirectURI == redirectURI,
            kept.challenge.verify(verifier), kept.thumbprint == nil || kept.thumbprint == thumbprint
        else { throw OAuthError(.invalidGrant, "the code does not match the request") }
        guard !kept.isUsed else {
            if let session = kept.session { end(session, because: .reuse) }
            throw OAuthError(.invalidGrant, "the code was used before")
        }
        guard now < kept.issuedAt.advanced(by: settings.codeLifetime) else {
            throw OAuthError(.invalidGrant, "the code has expired")
        }
        let id = try SessionID(UUID().uuidString.lowercased())
        let scope = try Scope(tokens: kept.scope.tokens.filter(settings.scopes.contains))
        sessions[id] = Session(
            number: sessions.count, person: kept.person, scope: scope, thumbprint: thumbprint,
            merchantID: kept.merchantID, secret: Self.randomText(), device: kept.device)
        codes[code.reveal()]?.isUsed = true
        codes[code.reveal()]?.session = id
        var answer = try answer(for: id, now: now)
        answer.refreshToken = try refreshToken(of: id)
        if scope.contains("openid") { answer.idToken = try idToken(for: id, answer.accessToken, kept.nonce, now: now) }
        return answer
    }

    /// Rotates, repeats, or ends the session: the three cases of a known refresh token.
    private mutating func refresh(
        _ token: RefreshToken, _ attempt: RefreshAttempt?, _ thumbprint: JWKThumbprint?, now: NumericDate
    ) throws -> TokenResponse {
        guard let (id, generation) = parse(token), let session = sessions[id], session.endedBecause == nil else {
            throw OAuthError(.invalidGrant, "the session has ended")
        }
        // A wrong key is refused and changes nothing: a thief with the token alone cannot end the session. A key that
        // appears later binds nothing: without one at the start, the tokens remain bearer tokens.
        guard session.thumbprint == nil || session.thumbprint == thumbprint else {
            throw OAuthError(.invalidDPoPProof, "the session is bound to another key")
        }
        if settings.rotation == .never { return try answer(for: id, now: now) }
        switch session.generation - generation {
        case 0:
            sessions[id]?.generation += 1
            sessions[id]?.rotatedAt = now
            sessions[id]?.attempt = attempt
        case 1 where isRepetition(attempt, of: session, now: now): break
        case 1...:
            end(id, because: .reuse)
            throw OAuthError(.invalidGrant, "the refresh token was used before")
        default: throw OAuthError(.invalidGrant, "the refresh token is unknown")
        }
        var answer = try answer(for: id, now: now)
        answer.refreshToken = try refreshToken(of: id)
        return answer
    }

    private func isRepetition(_ attempt: RefreshAttempt?, of session: Session, now: NumericDate) -> Bool {
        switch (attempt, session.attempt) {
        case (let attempt?, let former?): attempt == former
        case (nil, nil): session.rotatedAt.map { now <= $0.advanced(by: settings.repetitionTime) } ?? false
        case (_?, nil), (nil, _?): false
        }
    }

    mutating func end(_ session: SessionID, because reason: ScriptedServer.EndReason) {
        if sessions[session]?.endedBecause == nil { sessions[session]?.endedBecause = reason }
    }

    /// The revocation endpoint: either token ends its session, an access token that is bound to a key with a proof of that key. Any
    /// text that is no token gets the same answer (RFC 7009 §2.2).
    mutating func revoke(_ request: HTTPRequest, now: NumericDate) throws -> HTTPResponse {
        let form = try FormParameters(parsing: request.bytes)
        let parsed = try TokenStateRequest(form: form, authorization: request.headers["Authorization"])
        guard parsed.client.clientID.rawValue == clientID else { throw OAuthError(.invalidClient) }
        if let token = try? RefreshToken(parsed.token.reveal()), let (id, _) = parse(token) {
            end(id, because: .revoked)
        } else if let key = signer.publicJWK, let token = try? AccessToken(parsed.token.reveal()),
            let claims = try? AccessTokenClaims.verified(
                token, by: [key.verifier()], rules: JWTRules(issuer: issuer, leeway: .zero), now: now),
            let id = claims.sessionID
        {
            if let bound = claims.keyThumbprint {
                guard let thumbprint = try proof(of: request, now: now) else {
                    throw OAuthError(.unsupportedTokenType, "the token is bound to a key, and there is no proof of it")
                }
                guard thumbprint == bound else {
                    throw OAuthError(.invalidDPoPProof, "the token is bound to another key")
                }
            }
            end(id, because: .revoked)
        }
        return HTTPResponse(status: 200)
    }

    // MARK: Minting

    /// The refresh token of the session's generation. It is always the same text.
    private func refreshToken(of id: SessionID) throws -> RefreshToken? {
        guard let session = sessions[id] else { return nil }
        return try RefreshToken("srt.\(id.rawValue).\(session.generation).\(session.secret)")
    }

    private func parse(_ token: RefreshToken) -> (SessionID, generation: Int)? {
        let parts = token.reveal().split(separator: ".").map(String.init)
        guard parts.count == 4, parts[0] == "srt", let id = try? SessionID(parts[1]), let generation = Int(parts[2]),
            sessions[id]?.secret == parts[3]
        else { return nil }
        return (id, generation)
    }

    private func answer(for id: SessionID, now: NumericDate) throws -> TokenResponse {
        guard let session = sessions[id] else { throw OAuthError(.invalidGrant) }
        let lifetime = settings.accessTokenLifetime
        var claims = AccessTokenClaims(
            issuer: issuer, subject: session.person, audience: [issuer], clientID: try ClientID(clientID),
            expiresAt: now.advanced(by: lifetime), issuedAt: now, id: Self.randomText(), scope: session.scope)
        claims.sessionID = id
        claims.merchantID = session.merchantID
        claims.keyThumbprint = session.thumbprint
        return TokenResponse(
            accessToken: try sign(claims), tokenType: session.thumbprint == nil ? .bearer : .dpop,
            expiresIn: lifetime.components.seconds, scope: session.scope, merchantID: session.merchantID)
    }

    func backendToken(
        for username: String, lifetime: Duration, merchantID: MerchantID?, now: NumericDate
    ) throws -> AccessToken {
        guard let person = people[username] else { throw OAuthError(.accessDenied, "no account has this username") }
        var claims = AccessTokenClaims(
            issuer: issuer, subject: person.subject, audience: [issuer], clientID: try ClientID(clientID),
            expiresAt: now.advanced(by: lifetime), issuedAt: now, id: Self.randomText(), scope: .none)
        claims.merchantID = merchantID
        return try sign(claims)
    }

    private func sign(_ claims: AccessTokenClaims) throws -> AccessToken {
        let encoder = try CompactJWSEncoder(signer: signer, type: .accessToken)
        return try AccessToken(encoder.encode(claims.bytes, signer: signer))
    }

    private func idToken(
        for id: SessionID, _ token: AccessToken, _ nonce: Nonce?, now: NumericDate
    ) throws -> IDToken? {
        guard let session = sessions[id] else { return nil }
        var claims = IDTokenClaims(
            issuer: issuer, subject: session.person, audience: [clientID],
            expiresAt: now.advanced(by: .seconds(300)), issuedAt: now)
        claims.nonce = nonce
        claims.authenticatedAt = now
        claims.accessTokenHash = IDTokenClaims.hash(of: token)
        claims.sessionID = id.rawValue
        let encoder = try CompactJWSEncoder(signer: signer, type: nil)
        return try IDToken(encoder.encode(claims.json.bytes, signer: signer))
    }
}
