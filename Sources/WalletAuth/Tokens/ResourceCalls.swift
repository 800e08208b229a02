import Foundation
import WalletAuthTransport
import WalletAuthWire

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends the app's own requests with the access token attached.
struct ResourceCalls: Sendable {
    let tokens: TokenSource
    let binding: DeviceBinding
    let renewer: TokenRenewer
    let keeper: SessionKeeper
    let transport: any HTTPTransport
    let time: any TimeSource
    let nonces: DPoPNonceCache
    let security: ConnectionSecurity
    let destinations: TokenDestinations
    /// The operation that errors name.
    var operation = WalletError.Operation.perform

    /// The problems that may still be handled once for a request.
    private struct Allowance {
        var nonce = true
        var renewal = true
        var attempts = 0
    }

    /// The interpretation of a 401.
    enum Unauthorized {
        /// The token: it is renewed once, and the request is sent again.
        case token
        /// A single-use part of the request, such as a device signature: nothing is sent again.
        case request
    }

    /// What became of the attempts of a request before its last one.
    struct EarlierAttempts: Sendable {
        /// Whether the server may have carried one of them out, although no answer said so.
        var mayHaveActed = false
    }

    /// Sends a request with the access token.
    /// - Parameters:
    ///   - original: the request without its token.
    ///   - unauthorized: the interpretation of a 401.
    ///   - session: the session to use; nil for the current one.
    ///   - repeating: the retry policy; nil derives it from the request's method and `Idempotency-Key`.
    func perform(
        _ original: URLRequest, blaming unauthorized: Unauthorized = .token, in session: SessionGeneration? = nil,
        repeating: RetryPolicy? = nil
    ) async throws -> (Data, HTTPURLResponse) {
        var earlier = EarlierAttempts()
        return try await perform(
            original, blaming: unauthorized, in: session, repeating: repeating, noting: &earlier)
    }

    /// Sends a request with the access token.
    /// - Parameter earlier: what became of the earlier attempts, also if this throws.
    func perform(
        _ original: URLRequest, blaming unauthorized: Unauthorized = .token, in session: SessionGeneration? = nil,
        repeating: RetryPolicy? = nil, noting earlier: inout EarlierAttempts
    ) async throws -> (Data, HTTPURLResponse) {
        let request = try prepare(original)
        let policy =
            repeating ?? (Self.isIdempotent(request.method, request.headers.all.map(\.name)) ? .idempotent : .once)
        var allowance = Allowance()
        allowance.renewal = unauthorized == .token
        var ticket = try await tokens.ticket(of: session, during: operation)
        // From here on, everything happens in this session or not at all.
        let generation = ticket.generation
        while true {
            allowance.attempts += 1
            let response: HTTPResponse
            do {
                try check(ticket, mayGoTo: request.url)
                response = try await transport.send(try await attach(ticket, to: request))
            } catch let failure as TransportFailure {
                guard policy.allows(failure), let wait = wait(policy, allowance, nil) else { throw failure }
                if failure.kind == .lost { earlier.mayHaveActed = true }
                try await time.sleep(for: wait)
                ticket = try await tokens.ticket(of: generation, during: operation)
                continue
            }
            nonces.learn(response.headers["DPoP-Nonce"], from: request.url)
            let answer = ServerAnswer(
                from: request.url, status: response.status, headers: response.headers, body: response.body,
                receivedAt: keeper.clock.now)
            if ticket.tokenType == .dpop, allowance.nonce, answer.asksForNonce {
                allowance.nonce = false
                continue
            }
            // A renewal changes neither the sign-in behind the token (RFC 9470 §6.1) nor a wrong PIN.
            if response.status == 401, allowance.renewal, ticket.origin == .stored, answer.requirements == nil,
                answer.remainingAttempts == nil, mayReplaceToken(of: generation, refusedAt: request.url)
            {
                allowance.renewal = false
                keeper.expire(ticket.accessToken)
                ticket = try await tokens.ticket(of: generation, during: operation)
                continue
            }
            if [502, 503, 504].contains(response.status), let wait = wait(policy, allowance, answer.retryAfter) {
                // A 503 too: the database may have committed although its answer was lost.
                earlier.mayHaveActed = true
                try await time.sleep(for: wait)
                ticket = try await tokens.ticket(of: generation, during: operation)
                continue
            }
            return try forApp(response, from: request.url)
        }
    }

    /// Whether a 401 makes the token unusable. Without a refresh token that ends the session, which is the issuer's to say:
    /// an API may refuse a good token, for instance because it expects another audience.
    private func mayReplaceToken(of generation: SessionGeneration, refusedAt url: URL) -> Bool {
        guard let holding = keeper.snapshot.holding, holding.generation == generation else { return true }
        return holding.session.refreshToken != nil || url.origin == destinations.issuer
    }

    private func wait(_ policy: RetryPolicy, _ allowance: Allowance, _ retryAfter: Duration?) -> Duration? {
        policy.wait(afterAttempts: allowance.attempts, retryAfter: retryAfter, jitter: .random(in: 0...1))
    }

    /// RFC 9110 §9.2.2, and requests that the app marked with an `Idempotency-Key`.
    static func isIdempotent(_ method: String, _ headerNames: some Sequence<String>) -> Bool {
        ["GET", "HEAD", "OPTIONS", "PUT", "DELETE"].contains(method)
            || headerNames.contains { $0.lowercased() == "idempotency-key" }
    }

    private func attach(_ ticket: LiveSession.Ticket, to request: HTTPRequest) async throws -> HTTPRequest {
        var request = request
        request.headers["Authorization"] = "\(ticket.tokenType.rawValue) \(ticket.accessToken.reveal())"
        request.headers["DPoP"] = nil
        guard let thumbprint = ticket.keyThumbprint else { return request }
        guard let key = try await binding.key(thumbprint: thumbprint) else {
            try await renewer.keyLost(ticket.generation)
        }
        do {
            request.headers["DPoP"] = try await key.proof(
                method: request.method, url: request.url, accessToken: ticket.accessToken, nonce: nonces[request.url],
                at: keeper.clock.now)
        } catch let malformed as MalformedValue {
            throw refusal("no DPoP proof can name the request's URL, which \(malformed.reason)")
        }
        return request
    }

    /// Anyone who obtains a bearer token can use it, so it goes only where the app allows. Checked before each attempt,
    /// because a renewed token may be of another type.
    private func check(_ ticket: LiveSession.Ticket, mayGoTo url: URL) throws {
        guard !destinations.allows(url, isBound: ticket.keyThumbprint != nil) else { return }
        throw refusal(
            "a bearer token is sent only to the issuer's origin and to listed ones; if \(url.origin) is meant to have"
                + " it, list it in the configuration, as in resources: .only([URL(string: \"\(url.origin)\")])")
    }

    private func refusal(_ reason: String) -> WalletError {
        WalletError(.requestRefused, .misconfigured, during: operation, reason: reason)
    }

    private func prepare(_ original: URLRequest) throws -> HTTPRequest {
        guard let url = original.url, security.allows(url) else {
            throw refusal("a token is sent over https only (in the sandbox also over http to a loopback address)")
        }
        if destinations.listed != nil, !destinations.allows(url, isBound: false) {
            throw refusal("a token is not meant for \(url.origin): the configuration's resources do not list it")
        }
        guard original.httpBodyStream == nil else { throw refusal("a body stream could not be sent a second time") }
        var request = HTTPRequest(method: original.httpMethod?.uppercased() ?? "GET", url: url)
        for (name, value) in original.allHTTPHeaderFields ?? [:] { request.headers.add(name, value) }
        request.body = original.httpBody
        request.timeout = .milliseconds(Int64(min(max(original.timeoutInterval, 1), 600) * 1000))
        return request
    }

    private func forApp(_ response: HTTPResponse, from url: URL) throws -> (Data, HTTPURLResponse) {
        var fields: [String: String] = [:]
        for (name, value) in response.headers.all { fields[name] = fields[name].map { "\($0), \(value)" } ?? value }
        guard
            let answer = HTTPURLResponse(
                url: url, statusCode: response.status, httpVersion: "HTTP/1.1", headerFields: fields)
        else {
            throw WalletError(
                .malformedAnswer, .temporarilyUnavailable(retryAfter: nil), during: operation, reachedServer: true,
                reason: "the answer is not an HTTP response")
        }
        return (response.body, answer)
    }
}
