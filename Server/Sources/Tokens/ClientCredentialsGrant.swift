internal import Kernel
internal import WalletAuthWire

/// The grant of a client that acts for itself (RFC 6749 §4.4). It reads no row, because the client comes from memory and the
/// token names no session. It writes none either, unless several processes have to know a proof.
struct ClientCredentialsGrant: Sendable {
    let proofs: ProofOfPossession
    let mint: TokenMint

    func issue(call: TokenCaller) async throws -> TokenOutcome {
        guard call.client.kind == .confidential else { return .failure(.unauthorizedClient) }
        // The standard scopes are about a person: a client cannot have them for itself.
        let own = try Scope(tokens: call.client.scope.tokens.filter { !Scope.standard.contains($0) })
        // At a resource server of its own, the token says who calls. Here it would open nothing.
        guard !own.tokens.isEmpty || !call.client.settings.resources.isEmpty else { return .failure(.noOwnScope) }
        if let proof = call.proof, let refusal = try await proofs.use(proof, now: call.now) { return .failure(refusal) }
        guard let audience = call.client.audience(for: call.resources, issuer: mint.issuer) else {
            return .failure(.invalidTarget)
        }
        let scope = call.scope ?? own
        guard scope.isSubset(of: own) else {
            return .failure(.invalidScope(scope.tokens.filter { !own.contains($0) }))
        }
        return .success(try mint.token(scope: scope, audience: audience, call: call))
    }
}
