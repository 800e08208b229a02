internal import Core
internal import Kernel
internal import WalletAuthWire

/// Exchanges a person's access token that was presented to a service for one with which the service calls another on the person's behalf
/// (RFC 8693, decision 203). It reads the session, and writes nothing unless several processes have to know a proof.
struct AccessTokenExchange: Sendable {
    let proofs: ProofOfPossession
    let accessTokens: AccessTokenCheck
    let mint: TokenMint

    /// How many services may pass a call on. Each makes the token longer, and more would rather be a loop.
    static let mostActors = 4

    /// - Parameter targets: the resources and audiences that the client names.
    func exchange(_ token: AccessToken, for targets: [String], call: TokenCaller) async throws -> TokenOutcome {
        guard let subject = try await accessTokens.claims(of: token, now: call.now) else {
            return .failure(.unusableSubject("is malformed, expired or no access token of this server"))
        }
        // Otherwise a service could use what was meant for another one. Every token with `openid` is for this server too, which says
        // nothing of a service.
        guard subject.audience.contains(where: { $0 != mint.issuer.rawValue && call.client.answersTo($0) }) else {
            return .failure(.unusableSubject("is meant for another audience than the client and its resources"))
        }
        guard subject.sessionID != nil else {
            return .failure(.unusableSubject("is a client's own: only a person's can be exchanged"))
        }
        guard subject.actors.count < Self.mostActors else {
            return .failure(.unusableSubject("was exchanged \(subject.actors.count) times, which is the limit"))
        }
        guard let session = try await accessTokens.session(of: subject, now: call.now)?.facts else {
            return .failure(.unusableSubject("was revoked: its session has ended, or its account or client is gone"))
        }
        // The app's key cannot be proved here: the service had its proof, which named the service's own URL. But what only the holder
        // of a key could use must not become what any holder can use.
        guard subject.keyThumbprint == nil || call.proof != nil else {
            return .failure(
                .invalidDPoPProof("The subject_token is bound to a key: send a DPoP proof of the client's own key."))
        }
        let audience: [String]
        switch self.audience(targets, of: call.client) {
        case .success(let found): audience = found
        case .failure(let refusal): return .failure(refusal)
        }
        let widest = subject.scope.intersection(call.client.scope)
        let scope = call.scope ?? widest
        guard scope.isSubset(of: widest), !scope.isEmpty || subject.scope.isEmpty else {
            return .failure(.invalidScope(scope.tokens.filter { !widest.contains($0) }))
        }
        let end = min(
            call.now + call.client.accessTokenLifetime, Timestamp(seconds: subject.expiresAt.secondsSince1970),
            session.expiresAt, session.absoluteExpiresAt)
        guard end.seconds > call.now.seconds else {
            return .failure(.unusableSubject("expires this second"))
        }
        if let proof = call.proof, let refusal = try await proofs.use(proof, now: call.now) { return .failure(refusal) }
        return .success(
            try mint.token(actingFor: subject, scope: scope, audience: audience, until: end, call: call))
    }

    /// The audience of the new token: the named resources of the client, each once. None is this server itself, where a service could
    /// otherwise change the person's account.
    private func audience(_ targets: [String], of client: RegisteredClient) -> Result<[String], OAuthRefusal> {
        guard !targets.isEmpty else {
            return .failure(.invalidRequest("Name what the token is for, with resource or audience."))
        }
        var audience: [String] = []
        for target in targets {
            guard client.settings.resources.contains(target), target != mint.issuer.rawValue else {
                return .failure(.invalidTarget)
            }
            if !audience.contains(target) { audience.append(target) }
        }
        return .success(audience)
    }
}

extension RegisteredClient {
    /// Whether a token with this audience was meant for it.
    fileprivate func answersTo(_ audience: String) -> Bool {
        audience == id.rawValue || settings.resources.contains(audience)
    }
}

extension OAuthRefusal {
    /// RFC 8693 §2.2.2: whatever is wrong with the token, the request is.
    fileprivate static func unusableSubject(_ fault: String) -> OAuthRefusal {
        .invalidRequest("The subject_token \(fault).")
    }
}
