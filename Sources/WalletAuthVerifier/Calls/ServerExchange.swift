internal import WalletAuthWire

/// Sends a backend's requests to the authorization server, with proofs, nonces and retries.
final class ServerExchange: Sendable {
    /// A request that is built again for each attempt: a proof and an assertion are valid once.
    struct Call: Sendable {
        var method: String
        var url: String
        var headers: [HeaderField] = []
        /// Additional headers, and the body. Called for each attempt.
        var content: @Sendable () async throws -> (headers: [HeaderField], body: [UInt8]?) = { ([], nil) }
        /// The token for the proof's `ath`.
        var token: AccessToken?
        /// The media type to request.
        var accept = "application/json"
        /// Time for the answer in addition to ``ServerExchange/timeout``, because the call waits for an event.
        var wait: Duration = .zero
        /// The longest answer to read, in bytes.
        var maximumAnswer = 1 << 20
    }

    /// The maximum number of attempts if an answer is lost or reports a temporary failure.
    static let sendings = 3
    private static let longestRetryAfter = Duration.seconds(5)

    private let issuer: TrustedIssuer
    private let proofKey: (any AsyncJWSSigner)?
    private let timeout: Duration
    private let nonce = LockedValue<Nonce?>(nil)

    init(issuer: TrustedIssuer, proofKey: (any AsyncJWSSigner)?, timeout: Duration) {
        self.issuer = issuer
        self.proofKey = proofKey
        self.timeout = timeout
    }

    /// Sends a request that may be repeated. Every request that gets here is idempotent, by its method or by its key.
    ///
    /// - Returns: the last answer, whatever its status.
    func send(_ call: Call) async throws(CallFailure) -> OutboundResponse {
        var hasFollowedNonce = false
        var isPossiblyDone = false
        var sending = 1
        while true {
            let request = try await request(of: call)
            let retryAfter: Duration?
            let failure: CallFailure
            do {
                let answer = try await issuer.transport.send(request)
                if let text = answer.header("DPoP-Nonce"), let given = try? Nonce(text) {
                    nonce.withLock { $0 = given }
                    // The server has only checked the proof, so repeating the request once is safe.
                    if Self.asksForNonce(answer), !hasFollowedNonce {
                        hasFollowedNonce = true
                        continue
                    }
                }
                guard answer.status == 429 || (500...599).contains(answer.status) else { return answer }
                // A 429 means that the server did nothing. Any other failure may hide a commit with an unknown outcome.
                isPossiblyDone = isPossiblyDone || answer.status != 429
                retryAfter = answer.retryAfter
                failure = CallFailure(
                    .temporarilyUnavailable, isPossiblyDone ? .unknown : .nothingHappened,
                    retryAfter: answer.retryAfter, traceID: answer.traceID,
                    reason: "the server answered \(answer.status)", problem: answer.object)
            } catch {
                let outbound = OutboundFailure(error)
                isPossiblyDone = isPossiblyDone || outbound.kind == .lost
                retryAfter = nil
                failure = CallFailure(
                    .temporarilyUnavailable, isPossiblyDone ? .unknown : .nothingHappened, reason: outbound.reason)
                guard outbound.kind != .untrusted, !Task.isCancelled else { throw failure }
            }
            guard sending < Self.sendings, (retryAfter ?? .zero) <= Self.longestRetryAfter else { throw failure }
            // "Full jitter": a random pause of up to the doubled base, so that clients don't all come back at once.
            let pause = Duration.milliseconds(200 << (sending - 1)) * Double.random(in: 0...1) + (retryAfter ?? .zero)
            do { try await issuer.clock.sleep(for: pause) } catch { throw failure }
            sending += 1
        }
    }

    private func request(of call: Call) async throws(CallFailure) -> OutboundRequest {
        do {
            let content = try await call.content()
            var request = OutboundRequest(
                method: call.method, url: call.url,
                headers: [HeaderField("Accept", call.accept)] + call.headers + content.headers,
                body: content.body, timeout: timeout + call.wait, maximumAnswer: call.maximumAnswer)
            if let proofKey {
                let proof = DPoPProofEncoder.Content(
                    id: Randomness.token(), method: call.method, target: try HTTPTarget(call.url),
                    issuedAt: issuer.clock.now(), nonce: nonce.withLock { $0 }, accessToken: call.token)
                let encoder = try DPoPProofEncoder(signer: proofKey)
                request.headers.append(HeaderField("DPoP", try await encoder.encode(proof, signer: proofKey)))
            }
            return request
        } catch {
            throw CallFailure(
                .credentialRefused, reason: "the request could not be signed: \(type(of: error))")
        }
    }

    /// Whether the server refused a proof for lack of the nonce in its answer (RFC 9449 sections 8 and 9).
    private static func asksForNonce(_ answer: OutboundResponse) -> Bool {
        guard answer.status == 400 || answer.status == 401 else { return false }
        if answer.header("WWW-Authenticate")?.contains("use_dpop_nonce") ?? false { return true }
        return answer.object?["error"]?.string == "use_dpop_nonce"
    }
}

extension OutboundResponse {
    /// The body as a JSON object, if it is one.
    var object: JSONObject? { try? JSONValue.object(parsing: body, limits: JSONLimits(bytes: 1 << 20)) }

    /// The server's trace id, from `traceparent` (W3C Trace Context).
    var traceID: String? {
        guard let parts = header("traceparent")?.split(separator: "-"), parts.count == 4, parts[1].count == 32,
            parts[1].allSatisfy(\.isHexDigit)
        else { return nil }
        return String(parts[1])
    }
}
