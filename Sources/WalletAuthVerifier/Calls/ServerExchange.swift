internal import WalletAuthTransport
internal import WalletAuthWire

/// Sends a backend's requests to the authorization server, with proofs, nonces and retries.
struct ServerExchange: Sendable {
    private static let policy = RetryPolicy.idempotent

    let issuer: TrustedIssuer
    let proofKey: (any AsyncJWSSigner)?
    let timeout: Duration
    private let nonce = LockedValue<Nonce?>(nil)

    /// Sends a request that may be repeated. Every request that gets here is idempotent, by its method or by its key.
    /// - Parameters:
    ///   - token: the token for the proof's `ath`.
    ///   - certainty: whether the requests before may have taken effect: earlier ones of the same call, and in the end
    ///     those before the answered one.
    ///   - sign: adds what is signed. Called for each attempt, since a proof and an assertion are valid once.
    /// - Returns: the last answer, whatever its status.
    func send(
        _ request: OutboundRequest, token: AccessToken? = nil, _ certainty: inout CallCertainty,
        sign: (inout OutboundRequest) async throws -> Void = { _ in }
    ) async throws(CallFailure) -> OutboundResponse {
        var hasFollowedNonce = false
        var attempts = 1
        while true {
            let request = try await signed(request, token, certainty, sign)
            let retryAfter: Duration?
            let failure: CallFailure
            do {
                let answer = try await issuer.transport.send(request)
                if let text = answer.header("DPoP-Nonce"), let given = try? Nonce(text) {
                    nonce.withLock { $0 = given }
                    // The server has only checked the proof, so repeating the request once is safe.
                    if answer.asksForNonce, !hasFollowedNonce {
                        hasFollowedNonce = true
                        continue
                    }
                }
                guard Self.policy.allows(status: answer.status) else { return answer }
                // A 429 means that the server did nothing. Any other failure may hide a commit with an unknown outcome.
                if answer.status != 429 { certainty = .unknown }
                retryAfter = answer.retryAfter
                failure = CallFailure(
                    .temporarilyUnavailable, certainty, retryAfter: answer.retryAfter, traceID: answer.traceID,
                    reason: "the server returned \(answer.status)", problem: answer.object)
            } catch {
                let outbound = OutboundFailure(error)
                if outbound.kind == .lost { certainty = .unknown }
                retryAfter = nil
                failure = CallFailure(.temporarilyUnavailable, certainty, reason: outbound.reason)
                guard outbound.kind != .untrusted, !Task.isCancelled else { throw failure }
            }
            guard
                let pause = Self.policy.wait(
                    afterAttempts: attempts, retryAfter: retryAfter, jitter: .random(in: 0...1))
            else { throw failure }
            do { try await issuer.clock.sleep(for: pause) } catch { throw failure }
            attempts += 1
        }
    }

    private func signed(
        _ unsigned: OutboundRequest, _ token: AccessToken?, _ certainty: CallCertainty,
        _ sign: (inout OutboundRequest) async throws -> Void
    ) async throws(CallFailure) -> OutboundRequest {
        do {
            var request = unsigned
            try await sign(&request)
            if let proofKey {
                let proof = DPoPProofContent(
                    id: Randomness.token(), method: request.method, target: try HTTPTarget(request.url),
                    issuedAt: issuer.clock.now(), nonce: nonce.withLock { $0 }, accessToken: token)
                request.headers.append(HeaderField("DPoP", try await proof.signed(by: proofKey)))
            }
            return request
        } catch {
            throw CallFailure(
                .credentialRefused, certainty, reason: "the request could not be signed: \(type(of: error))")
        }
    }
}

extension OutboundResponse {
    /// The body as a JSON object, if it is one.
    var object: JSONObject? { try? JSONValue.object(parsing: body, limits: JSONLimits(bytes: 1 << 20)) }

    /// The server's trace id, from `traceparent` (W3C Trace Context).
    var traceID: String? { AnswerHeaders.traceID(in: header("traceparent")) }

    /// Whether a proof was refused for lack of the nonce that came with the answer.
    fileprivate var asksForNonce: Bool {
        AnswerHeaders.asksForNonce(
            status: status, wwwAuthenticate: header("WWW-Authenticate").map { [$0] } ?? [],
            error: { object?["error"]?.string })
    }
}
