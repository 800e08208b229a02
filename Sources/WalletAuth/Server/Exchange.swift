import Foundation
import WalletAuthTransport
import WalletAuthWire

/// Sends the requests of the SDK and of the app, and handles tokens, proofs, nonces, the server's clock and repetitions.
struct Exchange: Sendable {
    /// What is signed over the server's nonce, if that is known, and completes an attempt.
    typealias Signature = @Sendable (inout HTTPRequest, Nonce?) async throws -> Void

    /// What one attempt is sent with. With a key, the token is bound to it.
    struct Credentials: Sendable {
        var token: AccessToken?
        var key: BoundKey?
    }

    /// The attempts of one call so far.
    struct Attempts: Sendable {
        let policy: RetryPolicy
        fileprivate var count = 0
        fileprivate var hasFollowedNonce = false
        fileprivate var hasCorrectedClock = false
        fileprivate var mayHaveActed = false

        init(_ policy: RetryPolicy) { self.policy = policy }

        fileprivate func pause(_ retryAfter: Duration?) -> Duration? {
            policy.wait(afterAttempts: count, retryAfter: retryAfter, jitter: .random(in: 0...1))
        }
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

    /// Sends a request to the authorization server as often as `policy` allows.
    /// - Parameters:
    ///   - token: the access token. With a proof, it is bound to the proof's key.
    ///   - proof: the key that proves each attempt.
    /// - Returns: the last answer, whatever its status.
    /// - Throws: what ``attempt(_:with:isToServer:sign:_:)`` throws.
    func send(
        _ request: HTTPRequest, token: AccessToken? = nil, proof: BoundKey? = nil, policy: RetryPolicy = .once,
        sign: Signature? = nil
    ) async throws -> ServerAnswer {
        let credentials = Credentials(token: token, key: proof)
        var attempts = Attempts(policy)
        while true {
            if let answer = try await attempt(request, with: credentials, isToServer: true, sign: sign, &attempts) {
                return answer
            }
        }
    }

    /// Sends a request once, and pauses if it may be repeated.
    ///
    /// Besides what the policy repeats, two repetitions are always safe, once each, because the server has looked only at
    /// the proof: with the nonce that it asked for, and after the authorization server's `Date` has corrected the clock.
    /// - Parameters:
    ///   - isToServer: whether the answer comes from the authorization server, whose clock counts.
    ///   - attempts: those of the call before this one.
    /// - Returns: the answer, whatever its status; nil if the request is to be sent again.
    /// - Throws: `TransportFailure`, `DeviceKeyFailure`, `CancellationError`; what the signature throws; ``UnprovableURL``.
    func attempt(
        _ request: HTTPRequest, with credentials: Credentials, isToServer: Bool, sign: Signature? = nil,
        _ attempts: inout Attempts
    ) async throws -> ServerAnswer? {
        attempts.count += 1
        let before = clock.now
        let sentAt = time.uptime()
        do {
            var answer = try await sendOnce(request, with: credentials, isToServer: isToServer, sign: sign)
            answer.followsUnknownOutcome = attempts.mayHaveActed
            if credentials.key != nil || sign != nil, answer.asksForNonce, !attempts.hasFollowedNonce {
                attempts.hasFollowedNonce = true
                return nil
            }
            // While a resource answers, other answers may move the clock. Its own `Date` never does.
            if isToServer, credentials.key != nil, !attempts.hasCorrectedClock, !answer.isSuccess,
                answer.oauthError?.code == .invalidDPoPProof
            {
                let moved = clock.now - (before + (time.uptime() - sentAt))
                attempts.hasCorrectedClock = true
                if moved > .seconds(2) || moved < .seconds(-2) { return nil }
            }
            guard attempts.policy.allows(status: answer.status), let pause = attempts.pause(answer.retryAfter) else {
                return answer
            }
            // After a 503 too: the database may have committed although its answer was lost.
            attempts.mayHaveActed = true
            try await time.sleep(for: pause)
        } catch let failure as TransportFailure {
            guard attempts.policy.allows(failure), let pause = attempts.pause(nil) else { throw failure }
            if failure.kind == .lost { attempts.mayHaveActed = true }
            try await time.sleep(for: pause)
        }
        return nil
    }

    /// Adds the token and the proof for one attempt.
    func authorize(_ request: inout HTTPRequest, with credentials: Credentials) async throws {
        try await authorize(&request, with: credentials, nonces[request.url])
    }

    private func authorize(_ request: inout HTTPRequest, with credentials: Credentials, _ nonce: Nonce?) async throws {
        if let token = credentials.token {
            let type: TokenType = credentials.key == nil ? .bearer : .dpop
            request.headers["Authorization"] = "\(type.rawValue) \(token.reveal())"
        }
        request.headers["DPoP"] = try await credentials.key?.proof(
            method: request.method, url: request.url, accessToken: credentials.token, nonce: nonce, at: clock.now)
    }

    private func sendOnce(
        _ request: HTTPRequest, with credentials: Credentials, isToServer: Bool, sign: Signature?
    ) async throws -> ServerAnswer {
        var request = request
        let nonce = nonces[request.url]
        try await sign?(&request, nonce)
        try await authorize(&request, with: credentials, nonce)
        let sentAt = time.uptime()
        let response = try await transport.send(request)
        nonces.learn(response.headers["DPoP-Nonce"], from: request.url)
        let isDoubtful = isToServer && clock.learn(date: response.headers["Date"], sentAt: sentAt)
        var answer = ServerAnswer(response, to: request, receivedAt: clock.now)
        guard isToServer else { return answer }
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
