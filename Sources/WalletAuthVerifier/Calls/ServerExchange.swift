internal import WalletAuthWire

/// Sends a backend's requests to the authorization server: proofs, nonces and repetitions in one place.
final class ServerExchange: Sendable {
    /// One request, made anew for each sending: a proof and an assertion are good for one.
    struct Call: Sendable {
        var method: String
        var url: String
        var headers: [HeaderField] = []
        /// Further headers, and the body. Made at each sending.
        var content: @Sendable () async throws -> (headers: [HeaderField], body: [UInt8]?) = { ([], nil) }
        /// The token that the proof names.
        var token: AccessToken?
        /// The media type that is asked for.
        var accept = "application/json"
        /// What the server may take beside ``ServerExchange/timeout``, because the call waits for something.
        var wait: Duration = .zero
        /// The longest answer that is read, in bytes.
        var maximumAnswer = 1 << 20
    }

    /// How often a request is sent at most, where its answer is lost or says that the server cannot now.
    static let sendings = 3
    private static let longestRetryAfter = Duration.seconds(5)

    private let issuer: TrustedIssuer
    private let proofKey: (any AsyncJWSSigner)?
    private let timeout: Duration
    private let nonce = Locked<Nonce?>(nil)

    init(issuer: TrustedIssuer, proofKey: (any AsyncJWSSigner)?, timeout: Duration) {
        self.issuer = issuer
        self.proofKey = proofKey
        self.timeout = timeout
    }

    /// Sends a request that may be repeated: everything that comes through here is idempotent, by its method or by its
    /// key.
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
                    // The server has looked at nothing but the proof: always safe, once.
                    if Self.asksForNonce(answer), !hasFollowedNonce {
                        hasFollowedNonce = true
                        continue
                    }
                }
                guard answer.status == 429 || (500...599).contains(answer.status) else { return answer }
                // A 429 was turned away at the door; behind any other there may be a commit whose outcome is not known.
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
            // "Full jitter": anything between nothing and the doubled base, so that many do not come back as one.
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

    /// Whether a proof was refused for want of the nonce that came along (RFC 9449 sections 8 and 9).
    private static func asksForNonce(_ answer: OutboundResponse) -> Bool {
        guard answer.status == 400 || answer.status == 401 else { return false }
        if answer.header("WWW-Authenticate")?.contains("use_dpop_nonce") ?? false { return true }
        return answer.object?["error"]?.string == "use_dpop_nonce"
    }
}

extension OutboundResponse {
    /// The body as a JSON object, where it is one.
    var object: JSONObject? { try? JSONValue.object(parsing: body, limits: JSONLimits(bytes: 1 << 20)) }

    /// The server's name for the call in its log: the trace id of `traceparent` (W3C Trace Context).
    var traceID: String? {
        guard let parts = header("traceparent")?.split(separator: "-"), parts.count == 4, parts[1].count == 32,
            parts[1].allSatisfy(\.isHexDigit)
        else { return nil }
        return String(parts[1])
    }
}
