internal import Core
package import Kernel
package import WalletAuthWire

/// The pushed authorization request endpoint: checks a request as the authorization endpoint would, before any browser has it.
package struct RequestPushing: Sendable {
    let clock: any Clock
    let clients: ClientAuthenticator
    let proofs: ProofOfPossession
    let keyRing: KeyRing
    let check: AuthorizationCheck
    let pushed: PushedRequests

    package enum Outcome: Sendable {
        case pushed(PushedAuthorizationResponse)
        /// The client or its proof is refused.
        case refused(OAuthRefusal)
        /// The request is.
        case invalid(OAuthError)
        /// Too many requests, in seconds until the next.
        case held(retryAfter: Int64)
    }

    /// The requests of a public client, which proves nothing, from one network in five minutes.
    private static let ofNetwork = AttemptPolicy(
        free: 100, afterwards: .delay(first: .minutes(5), longest: .minutes(5)), forgottenAfter: .minutes(5),
        since: .firstGuess)

    /// - Parameters:
    ///   - form: the parameters of the authorization request; those of the client's authentication count for nothing more.
    ///   - presented: the client's authentication.
    ///   - proof: a proof of the key to which the code is to be bound (RFC 9449 §10.1).
    package func push(
        _ form: FormParameters, from presented: ClientAuthentication, proof: PresentedProof, origin: RequestOrigin
    ) async throws -> Outcome {
        let now = clock.now()
        // Proof first, as at the token endpoint: an assertion must not be used up for a client that cannot prove its key yet.
        let checked: CheckedProof?
        switch proofs.check(proof, now: now) {
        case .success(let result): checked = result
        case .failure(let refusal): return .refused(refusal)
        }
        let client: RegisteredClient
        switch try await clients.authenticate(presented, at: Endpoints.pushedRequests, proof: checked, now: now) {
        case .success(let result): client = result
        case .failure(let refusal): return .refused(refusal)
        }
        if let checked, let refusal = try await proofs.use(checked, now: now) { return .refused(refusal) }
        var request: AuthorizationRequest
        do { request = try self.request(form, of: client, now: now) } catch { return .invalid(error) }
        guard AuthorizationCheck.allows(request.redirectURI, client) else {
            return .invalid(OAuthError(.invalidRequest, "redirect_uri is not registered for the client"))
        }
        if let fault = try await check.fault(in: request, client) { return .invalid(fault) }
        if let checked {
            guard request.dpopKeyThumbprint.map({ $0 == checked.thumbprint }) ?? true else {
                return .refused(.invalidDPoPProof("The DPoP proof is of another key than dpop_jkt."))
            }
            request.dpopKeyThumbprint = checked.thumbprint
        }
        let limit =
            client.kind == .public
            ? SharedCounters(
                "pushed-requests|\(client.id.rawValue)", of: origin, under: Self.ofNetwork,
                key: try keyRing.active(.attempts), now: now)
            : nil
        switch try await pushed.keep(request, under: limit, now: now) {
        case .success(let uri):
            check.logIgnoredScopes(of: request, client)
            return .pushed(
                PushedAuthorizationResponse(requestURI: uri, expiresIn: PushedRequests.lifetime.wholeSeconds))
        case .failure(let held): return .held(retryAfter: RetryAfter.seconds(until: held.until, now: now))
        }
    }

    private func request(
        _ form: FormParameters, of client: RegisteredClient, now: Timestamp
    ) throws(OAuthError) -> AuthorizationRequest {
        // One reference to another would be a request that no one checked (RFC 9126 §2.1).
        guard form["request_uri"] == nil else {
            throw OAuthError(.invalidRequest, "request_uri must not be part of a pushed request")
        }
        let parameters = try AuthorizationParameters(form, of: client, issuer: check.issuer, now: now)
        do { return try AuthorizationRequest(parameters) } catch {
            switch error {
            case .showPage(let fault), .redirect(_, let fault): throw fault
            }
        }
    }
}
