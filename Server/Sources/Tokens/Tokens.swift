package import Core
package import Kernel
package import WalletAuthWire

/// The token endpoint and the related endpoints. All tokens come from the grants in this folder.
///
/// This target owns tokens and the sessions behind them. It does not own sign-in, which ends with a code, nor the
/// check of a call with a token (`Kernel/Callers`).
package struct Tokens: Sendable {
    package let context: ServerContext

    package init(context: ServerContext) { self.context = context }

    /// The token endpoint (RFC 6749 §3.2).
    package func token(
        _ request: TokenRequest, proof: PresentedProof, origin: RequestOrigin
    ) async throws -> TokenOutcome {
        let now = context.clock.now()
        // Proof first: an assertion or a code must not be used up for a client that cannot prove its key yet.
        let checked: CheckedProof?
        switch ProofOfPossession(context: context).check(proof, now: now) {
        case .success(let result): checked = result
        case .failure(let refusal): return .failure(refusal)
        }
        let client: RegisteredClient
        switch try await ClientAuthenticator(context: context).authenticate(request.client, now: now) {
        case .success(let result): client = result
        case .failure(let refusal): return .failure(refusal)
        }
        if client.requiresDPoP, checked == nil {
            return .failure(.invalidDPoPProof("The client must send a DPoP proof."))
        }
        let call = TokenCaller(
            client: client, proof: checked, scope: request.scope, resources: request.resources, origin: origin, now: now
        )
        switch request.grant {
        case .authorizationCode(let code, let redirectURI, let verifier):
            return try await CodeGrant(context: context)
                .redeem(code, redirectURI: redirectURI, verifier: verifier, call: call)
        case .refreshToken(let token, let attempt):
            return try await RefreshGrant(context: context).renew(token, attempt: attempt, call: call).map(\.tokens)
        case .clientCredentials:
            return try await ClientCredentialsGrant(context: context).issue(call: call)
        }
    }

    /// The revocation endpoint (RFC 7009). Revoking either token ends the session. It also succeeds if there is none, because the token
    /// is unknown, expired or another client's (§2.2).
    package func revoke(
        _ request: RevocationRequest, proof: PresentedProof, origin: RequestOrigin
    ) async throws -> Result<Void, OAuthRefusal> {
        let now = context.clock.now()
        switch try await ClientAuthenticator(context: context).authenticate(
            request.client, at: Endpoints.revoke, now: now)
        {
        case .failure(let refusal): return .failure(refusal)
        case .success(let client):
            return try await TokenRevocation(context: context)
                .revoke(request.token, client: client, proof: proof, origin: origin, now: now)
        }
    }

    /// The introspection endpoint (RFC 7662). A client may ask about its own tokens, a resource server about all.
    package func introspect(
        _ request: IntrospectionRequest, origin: RequestOrigin
    ) async throws -> Result<IntrospectionResponse, OAuthRefusal> {
        let now = context.clock.now()
        switch try await ClientAuthenticator(context: context).authenticate(
            request.client, at: Endpoints.introspect, now: now)
        {
        case .failure(let refusal): return .failure(refusal)
        case .success(let client):
            // For unauthenticated callers, the endpoint would be an oracle for stolen tokens (RFC 7662 §2.1).
            guard client.kind == .confidential else { return .failure(.invalidClient) }
            return .success(
                try await TokenIntrospection(context: context).introspect(request.token, for: client, now: now))
        }
    }

    /// The userinfo endpoint (OpenID Connect Core §5.3).
    package func userInfo(
        _ authorization: PresentedAccessToken, proof: PresentedProof, origin: RequestOrigin
    ) async throws -> Result<UserInfo, OAuthRefusal> {
        try await UserInfoClaims(context: context).claims(authorization, proof: proof, now: context.clock.now())
    }
}

/// The tokens, or an OAuth error with status, headers and body.
package typealias TokenOutcome = Result<TokenResponse, OAuthRefusal>

/// A client at the token endpoint, or another that tokens are issued to, with verified authentication and proof.
package struct TokenCaller: Sendable {
    package let client: RegisteredClient
    let proof: CheckedProof?
    /// The requested scope; `nil` for all that the client may get.
    let scope: Scope?
    let resources: [String]
    package let origin: RequestOrigin
    package let now: Timestamp

    init(
        client: RegisteredClient, proof: CheckedProof?, scope: Scope?, resources: [String], origin: RequestOrigin,
        now: Timestamp
    ) {
        self.client = client
        self.proof = proof
        self.scope = scope
        self.resources = resources
        self.origin = origin
        self.now = now
    }

    /// A backend that requests a guest's tokens.
    package init(client: RegisteredClient, scope: Scope?, origin: RequestOrigin, now: Timestamp) {
        self.init(client: client, proof: nil, scope: scope, resources: [], origin: origin, now: now)
    }
}
