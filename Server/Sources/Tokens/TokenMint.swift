internal import Core
internal import Crypto
internal import Kernel
internal import Store
internal import WalletAuthWire

/// Creates access, refresh and ID tokens. Only the grants in this folder call it.
struct TokenMint: Sendable {
    let keyRing: KeyRing
    let issuer: Issuer
    let random: any RandomBytes
    let attestations: AttestationClaim
    let vault: SessionVault

    struct SessionTokens: Sendable {
        var session: NewSession
        /// The generation of the refresh token to return.
        var generation: UInt32
        var audience: [String]
        /// The scope of the access token: the session's, or less.
        var scope: Scope
        /// Set if an ID token is needed: when a code with the scope `openid` is redeemed.
        var idToken: IDTokenRequest?
    }

    struct IDTokenRequest: Sendable {
        var nonce: Nonce?
        /// About the person, because the request asked for them.
        var claims = JSONObject()
    }

    /// The secret of a new session, and the key that its refresh tokens are made with.
    func refreshSecret() throws -> (secret: [UInt8], key: KeyID) {
        (random.bytes(16), try keyRing.active(.refresh).id)
    }

    /// The tokens of a person's session.
    func tokens(_ wanted: SessionTokens, call: TokenCaller) async throws -> TokenResponse {
        let session = wanted.session
        let account = try AccountID(bytes: session.accountID.bytes)
        let sessionID = try SessionID(bytes: session.id.bytes)
        // Userinfo is a resource of this server and accepts only tokens with this audience.
        let isForUserInfo = wanted.scope.contains("openid") && !wanted.audience.contains(issuer.rawValue)
        var claims = claims(
            subject: account.rawValue, audience: wanted.audience + (isForUserInfo ? [issuer.rawValue] : []),
            scope: wanted.scope,
            key: try call.key(in: session), call: call)
        let app = try await attestations.attestation(of: session, for: call.client)
        try claims.describe(session, granting: vault.authorizationDetails(of: session), on: app)
        let accessToken = try keyRing.signer(.es256).accessToken(claims)
        guard let kid = UInt32(exactly: session.macKeyID),
            let key = try await keyRing.findKey(.refresh, KeyID(kid), now: call.now)
        else { throw KeyRing.Incomplete(description: "the session's refresh key is gone") }
        let refreshToken = try RefreshToken(
            RefreshTokens.token(
                key: key, session: sessionID, generation: wanted.generation, client: call.client.id,
                account: session.accountID.bytes, rowSecret: session.secret))
        var response = TokenResponse(
            accessToken: accessToken, tokenType: claims.tokenType,
            expiresIn: call.client.accessTokenLifetime.wholeSeconds, refreshToken: refreshToken,
            scope: wanted.scope.isEmpty ? nil : wanted.scope,
            idToken: try wanted.idToken.map { try idToken($0, claims: claims, accessToken: accessToken, call: call) },
            merchantID: claims.merchantID)
        response.authorizationDetails = claims.authorizationDetails
        return response
    }

    /// The access token of a client that acts for itself.
    func token(scope: Scope, audience: [String], call: TokenCaller) throws -> TokenResponse {
        let claims = claims(
            subject: call.client.id.rawValue, audience: audience, scope: scope, key: call.proof?.thumbprint, call: call)
        return TokenResponse(
            accessToken: try keyRing.signer(.es256).accessToken(claims), tokenType: claims.tokenType,
            expiresIn: call.client.accessTokenLifetime.wholeSeconds, scope: scope.isEmpty ? nil : scope)
    }

    /// The access token with which a client acts for a person whose token was presented to it. It says of the sign-in what that token says.
    func token(
        actingFor subject: AccessTokenClaims, scope: Scope, audience: [String], until end: Timestamp, call: TokenCaller
    ) throws -> TokenResponse {
        var claims = subject
        claims.audience = audience
        claims.clientID = call.client.id
        claims.issuedAt = NumericDate(clamping: call.now.seconds)
        claims.expiresAt = NumericDate(clamping: end.seconds)
        claims.id = Base64URL.encode(random.bytes(16))
        claims.scope = scope
        claims.actors = [call.client.id] + subject.actors
        claims.keyThumbprint = call.proof?.thumbprint
        var response = TokenResponse(
            accessToken: try keyRing.signer(.es256).accessToken(claims), tokenType: claims.tokenType,
            expiresIn: end.seconds - call.now.seconds, scope: scope.isEmpty ? nil : scope)
        response.authorizationDetails = claims.authorizationDetails
        response.issuedTokenType = TokenResponse.accessTokenType
        return response
    }

    private func claims(
        subject: String, audience: [String], scope: Scope, key: JWKThumbprint?, call: TokenCaller
    ) -> AccessTokenClaims {
        var claims = AccessTokenClaims(
            issuer: issuer.rawValue, subject: subject, audience: audience, clientID: call.client.id,
            expiresAt: NumericDate(clamping: (call.now + call.client.accessTokenLifetime).seconds),
            issuedAt: NumericDate(clamping: call.now.seconds), id: Base64URL.encode(random.bytes(16)),
            scope: scope)
        claims.keyThumbprint = key
        return claims
    }

    private func idToken(
        _ request: IDTokenRequest, claims: AccessTokenClaims, accessToken: AccessToken, call: TokenCaller
    ) throws -> IDToken {
        let algorithm = call.client.idTokenAlgorithm
        // The ID token informs the client about the sign-in and is no credential, so an hour is enough for any client's clock.
        var idToken = IDTokenClaims(
            issuer: claims.issuer, subject: claims.subject, audience: [call.client.id.rawValue],
            expiresAt: claims.issuedAt.advanced(by: .hours(1)), issuedAt: claims.issuedAt)
        idToken.nonce = request.nonce
        idToken.person = request.claims
        idToken.authenticatedAt = claims.authenticatedAt
        idToken.acr = claims.acr
        idToken.amr = claims.amr
        idToken.sessionID = claims.sessionID?.rawValue
        idToken.accessTokenHash = Self.hash(of: accessToken, for: algorithm)
        return try keyRing.signer(algorithm).idToken(idToken)
    }

    /// The digest for `at_hash` depends on the signature algorithm (OpenID Connect Core §3.1.3.6): SHA-512 for Ed25519.
    private static func hash(of token: AccessToken, for algorithm: SigningAlgorithm) -> String {
        guard algorithm == .edDSA else { return IDTokenClaims.hash(of: token) }
        return Base64URL.encode(Array(SHA512.hash(data: Array(token.reveal().utf8))).prefix(32))
    }
}

extension TokenCaller {
    /// The key that an access token of a session is bound to.
    ///
    /// For a public client it is the key that the session was opened with, or none. A thief of such a session needs only its refresh
    /// token, so a key in a later request may be the thief's. A confidential client authenticates every request and may change its
    /// keys (RFC 9449 §5).
    fileprivate func key(in session: NewSession) throws -> JWKThumbprint? {
        switch client.kind {
        case .public: try session.dpopThumbprint.map { try JWKThumbprint(bytes: $0) }
        case .confidential: proof?.thumbprint
        }
    }
}

extension AccessTokenClaims {
    /// Adds the session and its sign-in: the same in its access tokens and at introspection, since a client may decide by either.
    /// - Parameters:
    ///   - details: what the person granted besides scopes.
    ///   - app: the attested app on its device, if the client wants it in its tokens.
    mutating func describe(
        _ session: NewSession, granting details: AuthorizationDetails?, on app: AppAttestation?
    ) throws {
        sessionID = try SessionID(bytes: session.id.bytes)
        authenticatedAt = NumericDate(clamping: session.authTime.seconds)
        acr = session.acr
        amr = session.methods
        merchantID = try session.merchantID.map { try MerchantID($0) }
        authorizationDetails = details
        attestation = app
    }

    var tokenType: TokenType { keyThumbprint == nil ? .bearer : .dpop }
}
