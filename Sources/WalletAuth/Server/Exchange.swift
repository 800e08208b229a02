import Foundation
import WalletAuthTransport
import WalletAuthWire

/// Sends the requests of the SDK and of the app, and handles tokens, proofs, nonces, the server's clock and repetitions.
struct Exchange: Sendable {
    /// One request.
    struct Call: Sendable {
        var request: HTTPRequest
        var policy: RetryPolicy
        /// Whether the answer comes from the authorization server, whose clock counts.
        var isToServer = true
        /// Completes each attempt with what is signed over the server's nonce, if known.
        var sign: (@Sendable (inout HTTPRequest, Nonce?) async throws -> Void)?
        /// Returns the credentials of the next attempt.
        var credentials: @Sendable () async throws -> Credentials

        /// A request to the authorization server.
        /// - Parameters:
        ///   - token: the access token. With a proof, it is bound to the proof's key.
        ///   - proof: the key that proves each attempt.
        init(
            _ request: HTTPRequest, token: AccessToken? = nil, proof: BoundKey? = nil, policy: RetryPolicy = .once,
            sign: (@Sendable (inout HTTPRequest, Nonce?) async throws -> Void)? = nil
        ) {
            self.request = request
            self.policy = policy
            self.sign = sign
            credentials = { Credentials(token: token, key: proof) }
        }

        /// A request with a session's token.
        init(
            _ request: HTTPRequest, policy: RetryPolicy,
            credentials: @escaping @Sendable () async throws -> Credentials
        ) {
            self.request = request
            self.policy = policy
            self.credentials = credentials
            isToServer = false
        }
    }

    /// What one attempt is sent with.
    struct Credentials: Sendable {
        var token: AccessToken?
        var key: BoundKey?
        /// Expires the token after a 401, and returns whether another may replace it.
        var expire: @Sendable (ServerAnswer) -> Bool = { _ in false }
    }

    let transport: any HTTPTransport
    let time: any TimeSource
    let clock: ServerClock
    private let nonces = DPoPNonceCache()
    /// Whether the server identifies itself as one of this project's, according to discovery.
    let isOwnKind = LockedValue(false)

    init(transport: any HTTPTransport, time: any TimeSource, clock: ServerClock) {
        self.transport = transport
        self.time = time
        self.clock = clock
    }

    /// Sends `call` as often as its policy allows.
    ///
    /// Three further repetitions are always safe, once each, because the server has looked only at the proof or the token:
    /// with the nonce that it asked for, after the authorization server's `Date` has corrected the clock, and with another
    /// token.
    /// - Returns: the last answer, whatever its status.
    /// - Throws: `TransportFailure`, `DeviceKeyFailure`, `CancellationError`; what the credentials and the signature throw;
    ///   ``UnprovableURL``.
    func send(_ call: Call) async throws -> ServerAnswer {
        var attempts = 0
        var hasFollowedNonce = false
        var hasCorrectedClock = false
        var hasExpiredToken = false
        var mayHaveActed = false
        func pause(_ retryAfter: Duration?) -> Duration? {
            call.policy.wait(afterAttempts: attempts, retryAfter: retryAfter, jitter: .random(in: 0...1))
        }
        while true {
            attempts += 1
            let credentials = try await call.credentials()
            let before = clock.now
            let sentAt = time.uptime()
            do {
                var answer = try await sendOnce(call, credentials)
                answer.followsUnknownOutcome = mayHaveActed
                if credentials.key != nil || call.sign != nil, answer.asksForNonce, !hasFollowedNonce {
                    hasFollowedNonce = true
                    continue
                }
                // While a resource answers, other answers may move the clock. Its own `Date` never does.
                if call.isToServer, credentials.key != nil, !hasCorrectedClock, !answer.isSuccess,
                    answer.oauthError?.code == .invalidDPoPProof
                {
                    let moved = clock.now - (before + (time.uptime() - sentAt))
                    hasCorrectedClock = true
                    if moved > .seconds(2) || moved < .seconds(-2) { continue }
                }
                if answer.status == 401, !hasExpiredToken, credentials.expire(answer) {
                    hasExpiredToken = true
                    continue
                }
                guard call.policy.allows(status: answer.status), let pause = pause(answer.retryAfter) else {
                    return answer
                }
                // After a 503 too: the database may have committed although its answer was lost.
                mayHaveActed = true
                try await time.sleep(for: pause)
            } catch let failure as TransportFailure {
                guard call.policy.allows(failure), let pause = pause(nil) else { throw failure }
                if failure.kind == .lost { mayHaveActed = true }
                try await time.sleep(for: pause)
            }
        }
    }

    private func sendOnce(_ call: Call, _ credentials: Credentials) async throws -> ServerAnswer {
        var request = call.request
        let nonce = nonces[request.url]
        try await call.sign?(&request, nonce)
        if let token = credentials.token {
            let type: TokenType = credentials.key == nil ? .bearer : .dpop
            request.headers["Authorization"] = "\(type.rawValue) \(token.reveal())"
        }
        request.headers["DPoP"] = try await credentials.key?.proof(
            method: request.method, url: request.url, accessToken: credentials.token, nonce: nonce, at: clock.now)
        let sentAt = time.uptime()
        let response = try await transport.send(request)
        nonces.learn(response.headers["DPoP-Nonce"], from: request.url)
        let isDoubtful = call.isToServer && clock.learn(date: response.headers["Date"], sentAt: sentAt)
        var answer = ServerAnswer(response, to: request, receivedAt: clock.now)
        guard call.isToServer else { return answer }
        answer.isOwnKind = isOwnKind.withLock { $0 }
        answer.isTimeDoubtful = isDoubtful
        // Metadata is no success: any server has it.
        if isDoubtful, answer.isSuccess, request.method != "GET" { clock.believe() }
        return answer
    }
}

/// The newest DPoP nonce of each server (RFC 9449 §8): the authorization server and each resource server issue their
/// own.
final class DPoPNonceCache: Sendable {
    private let nonces = LockedValue<[(origin: String, nonce: Nonce)]>([])

    subscript(url: URL) -> Nonce? {
        let origin = url.origin
        return nonces.withLock { $0.last { $0.origin == origin }?.nonce }
    }

    /// Stores the nonce in a response from `url`, for up to 32 servers.
    func learn(_ header: String?, from url: URL) {
        guard let nonce = header.flatMap({ try? Nonce($0) }) else { return }
        let origin = url.origin
        nonces.withLock { nonces in
            nonces.removeAll { $0.origin == origin }
            nonces.append((origin: origin, nonce: nonce))
            nonces.removeFirst(max(0, nonces.count - 32))
        }
    }
}

extension RetryPolicy {
    /// Whether the policy repeats after this failure.
    func allows(_ failure: TransportFailure) -> Bool {
        switch (repeats, failure.kind) {
        case (_, .untrusted), (.unsent, .lost), (.notActedOn, .lost): false
        case (.anything, _), (.unanswered, _), (_, .offline), (_, .unreachable): true
        }
    }
}

extension HTTPRequest {
    /// The content of a request of the SDK's own.
    enum Content {
        case none
        case form(FormParameters)
        case json(JSONObject)
    }

    /// A request of the SDK's own, which expects JSON.
    init(
        _ url: URL, _ content: Content = .none, method: String = "POST", within timeout: Duration = .seconds(20)
    ) {
        self.init(method: method, url: url, headers: ["Accept": "application/json"], timeout: timeout)
        set(content)
    }

    mutating func set(_ content: Content) {
        switch content {
        case .none: break
        case .form(let form):
            headers["Content-Type"] = "application/x-www-form-urlencoded"
            body = Data(form.encoded.utf8)
        case .json(let object):
            headers["Content-Type"] = "application/json"
            body = Data(object.bytes)
        }
    }
}
