package import Core
package import Kernel
package import WalletAuthWire

/// The token endpoint (RFC 6749 §3.2). All tokens come from the grants in this folder.
package struct TokenGrants: Sendable {
    let clock: any Clock
    let proofs: ProofOfPossession
    let clients: ClientAuthenticator
    let codes: CodeGrant
    let refreshTokens: RefreshGrant
    let clientCredentials: ClientCredentialsGrant
    let foreignTokens: ForeignTokenGrant
    let accessTokens: AccessTokenExchange
    let deviceCodes: DeviceCodeGrant

    package func token(
        _ request: TokenRequest, proof: PresentedProof, origin: RequestOrigin
    ) async throws -> TokenOutcome {
        let now = clock.now()
        // Proof first: an assertion or a code must not be used up for a client that cannot prove its key yet.
        let checked: CheckedProof?
        switch proofs.check(proof, now: now) {
        case .success(let result): checked = result
        case .failure(let refusal): return .failure(refusal)
        }
        let client: RegisteredClient
        switch try await clients.authenticate(request.client, proof: checked, now: now) {
        case .success(let result): client = result
        case .failure(let refusal): return .failure(refusal)
        }
        // First, because a proof would not help.
        switch request.grant {
        case .clientCredentials where client.kind != .confidential: return .failure(.unauthorizedClient)
        case .accessTokenExchange where !client.mayExchangeTokens: return .failure(.unauthorizedClient)
        default: break
        }
        if client.requiresDPoP, checked == nil {
            return .failure(.invalidDPoPProof("The client must send a DPoP proof."))
        }
        var call = TokenCaller(client: client, scope: request.scope, origin: origin, now: now)
        call.proof = checked
        call.resources = request.resources
        switch request.grant {
        case .authorizationCode(let code, let redirectURI, let verifier):
            guard verifier != nil || client.mayOmitPKCE else {
                return .failure(.invalidRequest("code_verifier is missing"))
            }
            return try await codes.redeem(code, redirectURI: redirectURI, verifier: verifier, call: call)
        case .refreshToken(let token, let attempt):
            return try await refreshTokens.renew(token, attempt: attempt, call: call).map(\.tokens)
        case .clientCredentials:
            return try await clientCredentials.issue(call: call)
        case .tokenExchange(let token):
            return try await foreignTokens.exchange(token, call: call)
        case .accessTokenExchange(let token, let audiences):
            return try await accessTokens.exchange(token, for: request.resources + audiences, call: call)
        case .deviceCode(let code):
            return try await deviceCodes.redeem(code, call: call)
        case .backchannel(let id):
            return try await deviceCodes.redeem(id, call: call)
        }
    }
}

/// The tokens, or an OAuth error with status, headers and body.
package typealias TokenOutcome = Result<TokenResponse, OAuthRefusal>

/// A client at the token endpoint, or another that tokens are issued to, with verified authentication and proof.
package struct TokenCaller: Sendable {
    package let client: RegisteredClient
    var proof: CheckedProof?
    /// The requested scope; `nil` for all that the client may get.
    let scope: Scope?
    var resources: [String] = []
    package let origin: RequestOrigin
    package let now: Timestamp

    /// Whether the person's own program calls. A confidential client calls from its backend's network.
    var isOfPerson: Bool { client.kind == .public }

    package init(client: RegisteredClient, scope: Scope?, origin: RequestOrigin, now: Timestamp) {
        self.client = client
        self.scope = scope
        self.origin = origin
        self.now = now
    }
}
