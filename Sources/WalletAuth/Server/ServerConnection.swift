import Foundation
import WalletAuthTransport
import WalletAuthWire

/// Sends requests to the authorization server, and handles proofs, nonces, the server's clock and repetitions.
struct ServerConnection: Sendable {
    /// One request, created for each attempt because a proof works once.
    struct Call: Sendable {
        var method = "POST"
        var url: URL
        var body: Body = .none
        /// The access token. With a proof, it is bound to the proof's key.
        var token: AccessToken?
        var proof: BoundKey?
        /// Additional headers, created for each attempt with the server's current nonce, if known.
        var headersMadeForNonce: (@Sendable (Nonce?) async throws -> [String: String])?
        var policy: RetryPolicy = .once
        var timeout: Duration = .seconds(20)

        enum Body: Sendable {
            case none
            case form(FormParameters)
            /// A form created for each attempt with the server's current nonce, if known.
            case formMadeForNonce(@Sendable (Nonce?) async throws -> FormParameters)
            case json(JSONObject)
        }

        /// Whether a part of it is signed over the server's nonce.
        fileprivate var isSigned: Bool { proof != nil || headersMadeForNonce != nil }
    }

    let transport: any HTTPTransport
    let time: any TimeSource
    let clock: ServerClock
    let nonces: DPoPNonceCache
    /// Whether the server identifies itself as one of this project's, according to discovery.
    let isOwnKind = LockedValue(false)

    /// Sends `call` as often as its policy allows.
    ///
    /// Two further repetitions are always safe, once each, because the server has looked only at the proof: with the
    /// nonce that it asked for, and after its `Date` has corrected the clock.
    /// - Returns: the last answer, whatever its status.
    /// - Throws: `TransportFailure`, `DeviceKeyFailure`, `CancellationError`.
    func send(_ call: Call) async throws -> ServerAnswer {
        var attempts = 0
        var hasFollowedNonce = false
        var hasCorrectedClock = false
        while true {
            attempts += 1
            let before = clock.now
            let sentAt = time.uptime()
            do {
                let answer = try await sendOnce(call)
                if call.isSigned, answer.asksForNonce, !hasFollowedNonce {
                    hasFollowedNonce = true
                    continue
                }
                if call.proof != nil, answer.oauthError?.code == .invalidDPoPProof, !hasCorrectedClock {
                    let moved = clock.now - (before + (time.uptime() - sentAt))
                    hasCorrectedClock = true
                    if moved > .seconds(2) || moved < .seconds(-2) { continue }
                }
                guard call.policy.allows(status: answer.status),
                    let wait = call.policy.wait(
                        afterAttempts: attempts, retryAfter: answer.retryAfter, jitter: .random(in: 0...1))
                else { return answer }
                try await time.sleep(for: wait)
            } catch let failure as TransportFailure {
                guard call.policy.allows(failure),
                    let wait = call.policy.wait(afterAttempts: attempts, retryAfter: nil, jitter: .random(in: 0...1))
                else { throw failure }
                try await time.sleep(for: wait)
            }
        }
    }

    private func sendOnce(_ call: Call) async throws -> ServerAnswer {
        var request = HTTPRequest(method: call.method, url: call.url, timeout: call.timeout)
        request.headers["Accept"] = "application/json"
        switch call.body {
        case .none: break
        case .form(let form): request.set(form)
        case .formMadeForNonce(let make): request.set(try await make(nonces[call.url]))
        case .json(let object):
            request.headers["Content-Type"] = "application/json"
            request.body = Data(object.bytes)
        }
        if let token = call.token {
            let type: TokenType = call.proof == nil ? .bearer : .dpop
            request.headers["Authorization"] = "\(type.rawValue) \(token.reveal())"
        }
        for (name, value) in try await call.headersMadeForNonce?(nonces[call.url]) ?? [:] {
            request.headers[name] = value
        }
        if let key = call.proof {
            request.headers["DPoP"] = try await key.proof(
                method: call.method, url: call.url, accessToken: call.token, nonce: nonces[call.url], at: clock.now)
        }
        let sentAt = time.uptime()
        let response = try await transport.send(request)
        let isDoubtful = clock.learn(date: response.headers["Date"], sentAt: sentAt)
        nonces.learn(response.headers["DPoP-Nonce"], from: call.url)
        var answer = ServerAnswer(
            from: call.url, status: response.status, headers: response.headers, body: response.body,
            receivedAt: clock.now, isOwnKind: isOwnKind.withLock { $0 })
        answer.isTimeDoubtful = isDoubtful
        // Metadata is no success: any server has it.
        if isDoubtful, answer.isSuccess, call.method != "GET" { clock.believe() }
        return answer
    }
}

extension RetryPolicy {
    /// Whether the policy repeats after this failure.
    func allows(_ failure: TransportFailure) -> Bool {
        switch (repeats, failure.kind) {
        case (_, .untrusted), (.unsent, .lost), (.notActedOn, .lost): false
        case (.anything, _), (_, .offline), (_, .unreachable): true
        }
    }
}

extension HTTPRequest {
    fileprivate mutating func set(_ form: FormParameters) {
        headers["Content-Type"] = "application/x-www-form-urlencoded"
        body = Data(form.encoded.utf8)
    }
}
