import Foundation
import WalletAuthTransport
import WalletAuthWire

/// Sends requests with the session of the signed-in account: the app's to any server, and the SDK's to the issuer's protected
/// resources.
struct SessionCalls: Sendable {
    let issuer: Issuer
    let exchange: Exchange
    let discovery: ServerDiscovery
    let tokens: TokenRenewer
    let binding: DeviceBinding
    let destinations: TokenDestinations

    // MARK: To any server

    /// Sends a request with the access token.
    ///
    /// After a 401, it is sent once more with another token, if one would help.
    /// - Parameters:
    ///   - request: the request without its token.
    ///   - session: the session to use; nil for the current one.
    ///   - isIdempotent: whether it may be repeated; nil if its method and `Idempotency-Key` say so.
    ///   - operation: the operation that errors name.
    /// - Returns: the answer, whatever its status.
    func perform(
        _ request: HTTPRequest, in session: SessionGeneration? = nil, isIdempotent: Bool? = nil,
        during operation: WalletError.Operation = .perform
    ) async throws -> ServerAnswer {
        try destinations.check(request.url, operation)
        var session = session
        var attempts = Exchange.Attempts(isIdempotent ?? request.isIdempotent ? .unanswered : .once)
        // A device signature names a challenge that works once, so a request with one is not repeated.
        var mayExpireToken = request.headers[DeviceRequestSignature.headerName] == nil
        while true {
            let ticket = try await tokens.ticket(of: session, during: operation)
            // From here on, everything happens in this session or not at all.
            session = ticket.generation
            // Checked for each attempt, because a renewed token may be of another type.
            try destinations.check(request.url, isBound: ticket.keyThumbprint != nil, operation)
            let credentials = Exchange.Credentials(token: ticket.accessToken, key: try await key(of: ticket))
            guard let answer = try await exchange.attempt(request, with: credentials, isToServer: false, &attempts)
            else { continue }
            guard answer.status == 401, mayExpireToken, expire(ticket, refusedIn: answer) else { return answer }
            mayExpireToken = false
        }
    }

    /// Adds the access token to a request that someone else sends, with a proof for one attempt.
    func authorize(_ request: inout HTTPRequest, during operation: WalletError.Operation = .perform) async throws {
        try destinations.check(request.url, operation)
        let ticket = try await tokens.ticket(of: nil, during: operation)
        try destinations.check(request.url, isBound: ticket.keyThumbprint != nil, operation)
        let credentials = Exchange.Credentials(token: ticket.accessToken, key: try await key(of: ticket))
        try await exchange.authorize(&request, with: credentials)
    }

    private func key(of ticket: LiveSession.Ticket) async throws -> BoundKey? {
        guard let thumbprint = ticket.keyThumbprint else { return nil }
        if let key = try await binding.key(thumbprint: thumbprint) { return key }
        try await tokens.keyLost(ticket.generation)
    }

    /// Expires the token after a 401, unless no other token would help: neither the sign-in behind it (RFC 9470 §6.1) nor a
    /// wrong PIN is changed by a renewal, and the app itself renews what it supplied.
    ///
    /// Without a refresh token, this ends the session, which is the issuer's to say: an API may refuse a good token, for
    /// instance because it expects another audience.
    private func expire(_ ticket: LiveSession.Ticket, refusedIn answer: ServerAnswer) -> Bool {
        guard ticket.origin == .stored, answer.requirements == nil, answer.remainingAttempts == nil else {
            return false
        }
        if let holding = tokens.keeper.snapshot.holding, holding.generation == ticket.generation,
            holding.session.refreshToken == nil, answer.requestURL.origin != destinations.issuer
        {
            return false
        }
        tokens.keeper.expire(ticket.accessToken)
        return true
    }

    // MARK: To the issuer

    /// Sends one call.
    /// - Parameters:
    ///   - method: the method.
    ///   - path: the path below the issuer.
    ///   - body: the body.
    ///   - idempotencyKey: marks a call that may be repeated after a lost response.
    ///   - deviceSignature: the device's signature over the request, if it needs one.
    ///   - session: the session to use; nil for the current one.
    ///   - operation: the operation this is part of.
    /// - Returns: the answer, whatever its status.
    func answer(
        _ method: Endpoint.Method, _ path: String, _ body: JSONObject? = nil, idempotencyKey: String? = nil,
        deviceSignature: String? = nil, in session: SessionGeneration? = nil, during operation: WalletError.Operation
    ) async throws -> ServerAnswer {
        var request = HTTPRequest(
            try issuer.url(of: path, during: operation), body.map { .json($0) } ?? .none, method: method.rawValue,
            within: .seconds(60))
        request.headers[IdempotencyKey.headerName] = idempotencyKey
        request.headers[DeviceRequestSignature.headerName] = deviceSignature
        return try await perform(request, in: session, during: operation)
    }

    /// Sends one call: see ``answer(_:_:_:idempotencyKey:deviceSignature:in:during:)``.
    /// - Returns: the members of the response; empty if it has no body.
    /// - Throws: ``WalletError`` for every response other than success.
    func send(
        _ method: Endpoint.Method, _ path: String, _ body: JSONObject? = nil, idempotencyKey: String? = nil,
        deviceSignature: String? = nil, during operation: WalletError.Operation
    ) async throws -> JSONObject {
        try await members(
            of: try await answer(
                method, path, body, idempotencyKey: idempotencyKey, deviceSignature: deviceSignature,
                during: operation),
            during: operation)
    }

    /// Removes something at the server. After an attempt that may have removed it, although its answer was lost, the
    /// repetition that finds nothing is a success.
    /// - Parameters:
    ///   - path: the path of what is removed, below the issuer.
    ///   - missing: the code of a refusal because there is nothing to remove.
    ///   - session: the session to use; nil for the current one.
    ///   - operation: the operation this is part of.
    /// - Throws: ``WalletError`` for every other response.
    func remove(
        _ path: String, missing: WalletError.Code, in session: SessionGeneration? = nil,
        during operation: WalletError.Operation
    ) async throws {
        let answer = try await answer(.delete, path, in: session, during: operation)
        do { _ = try await members(of: answer, during: operation) } catch let error as WalletError {
            guard answer.followsUnknownOutcome, error.code == missing else { throw error }
        }
    }

    private func members(of answer: ServerAnswer, during operation: WalletError.Operation) async throws -> JSONObject {
        guard answer.isSuccess, let object = answer.body.isEmpty ? JSONObject() : try? answer.object() else {
            throw await failure(of: answer, during: operation)
        }
        return object
    }

    /// An answer that is no success, or has nothing to read, as a failure.
    ///
    /// Standard servers have none of these resources. What they answer instead is anything from 404 to a sign-in page, so it is
    /// their metadata that says so.
    func failure(of answer: ServerAnswer, during operation: WalletError.Operation) async -> WalletError {
        let error = answer.failure(during: operation)
        let hasReason = error.code != .malformedAnswer && ![404, 405].contains(answer.status)
        guard !hasReason, let server = try? await discovery.metadata(), !server.isProvisional,
            !server.keepsRefreshAttempts
        else { return error }
        return error.turned(
            into: .unsupportedByServer, .misconfigured,
            reason: "the server lacks the account endpoints of a walletauth server: \(error.reason)")
    }
}

extension Wallet {
    /// Runs one call to the issuer's resources for the signed-in account.
    /// - Parameters:
    ///   - isRepeatable: marks a call that may be repeated after a lost response.
    ///   - body: the body, checked before anything is sent.
    ///   - read: reads the members of the response.
    func call<Answer>(
        _ operation: WalletError.Operation, _ method: Endpoint.Method, _ path: String,
        _ body: @autoclosure () throws -> JSONObject? = nil, isRepeatable: Bool = false,
        _ read: (JSONObject) throws -> Answer = { _ in }
    ) async throws -> Answer {
        try await log.during(operation) {
            try read(
                try await calls.send(
                    method, path, try body(), idempotencyKey: isRepeatable ? Randomness.token() : nil,
                    during: operation))
        }
    }

    /// Removes something of the signed-in account at the server.
    /// - Parameter missing: the code of a refusal because there is nothing to remove.
    func remove(_ operation: WalletError.Operation, _ path: String, missing: WalletError.Code) async throws {
        try await log.during(operation) { try await calls.remove(path, missing: missing, during: operation) }
    }
}

/// Where an access token may go.
struct TokenDestinations: Sendable {
    let environment: Wallet.Environment
    /// In addition to the issuer's origin. Nil allows a bound token to go to any, and a bearer token to the issuer's only.
    let listed: [String]?

    var issuer: String { environment.issuer.origin }

    /// - Parameter isBound: whether a proof by a key of this device goes with the token.
    func allows(_ url: URL, isBound: Bool) -> Bool {
        url.origin == issuer || (listed.map { $0.contains(url.origin) } ?? isBound)
    }

    /// Checks what does not depend on the token.
    /// - Throws: ``WalletError`` `request_refused`.
    fileprivate func check(_ url: URL, _ operation: WalletError.Operation) throws {
        guard environment.allows(url) else {
            throw Self.refusal(
                "a token is sent over https only (in the sandbox also over http to a loopback address)", operation)
        }
        guard listed == nil || allows(url, isBound: false) else {
            throw Self.refusal(
                "a token is not meant for \(url.origin): the configuration's resources do not list it", operation)
        }
    }

    /// Anyone who obtains a bearer token can use it, so it goes only where the app allows.
    /// - Throws: ``WalletError`` `request_refused`.
    fileprivate func check(_ url: URL, isBound: Bool, _ operation: WalletError.Operation) throws {
        guard !allows(url, isBound: isBound) else { return }
        throw Self.refusal(
            "a bearer token is sent only to the issuer's origin and to listed ones; if \(url.origin) is meant to have"
                + " it, list it in the configuration, as in resources: .only([URL(string: \"\(url.origin)\")])",
            operation)
    }

    private static func refusal(_ reason: String, _ operation: WalletError.Operation) -> WalletError {
        WalletError(.requestRefused, .misconfigured, during: operation, reason: reason)
    }
}

extension Wallet.Environment {
    /// Whether sensitive data may be sent there: over https, and in a sandbox also over http to this device.
    func allows(_ url: URL) -> Bool {
        guard url.user() == nil, url.password() == nil, let host = url.host()?.lowercased() else { return false }
        switch (url.scheme?.lowercased(), self) {
        case ("https", _): return true
        case ("http", .sandbox): return ["127.0.0.1", "::1", "[::1]", "localhost"].contains(host)
        default: return false
        }
    }
}

extension URL {
    /// Scheme, host and port, as RFC 6454 compares them.
    var origin: String {
        let scheme = scheme?.lowercased() ?? ""
        let standardPort = scheme == "https" ? 443 : scheme == "http" ? 80 : -1
        return "\(scheme)://\(bracketedHost?.lowercased() ?? ""):\(port ?? standardPort)"
    }
}

extension Issuer {
    /// The URL of a path below the issuer.
    /// - Throws: ``WalletError`` `invalid_configuration` if the issuer is not a URL.
    func url(of path: String, during operation: WalletError.Operation) throws -> URL {
        guard let url = URL(string: self.url(path: path)) else {
            throw WalletError(
                .invalidConfiguration, .misconfigured, during: operation, reason: "the issuer is not a URL")
        }
        return url
    }
}

extension HTTPRequest {
    /// RFC 9110 §9.2.2, and requests that the app marked with an `Idempotency-Key`.
    var isIdempotent: Bool {
        ["GET", "HEAD", "OPTIONS", "PUT", "DELETE"].contains(method) || headers[IdempotencyKey.headerName] != nil
    }
}
