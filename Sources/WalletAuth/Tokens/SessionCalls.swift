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
    let security: ConnectionSecurity
    let destinations: TokenDestinations

    // MARK: To any server

    /// Sends a request with the access token.
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
        let url = request.url
        guard security.allows(url) else {
            throw refusal(
                "a token is sent over https only (in the sandbox also over http to a loopback address)", operation)
        }
        if destinations.listed != nil, !destinations.allows(url, isBound: false) {
            throw refusal(
                "a token is not meant for \(url.origin): the configuration's resources do not list it", operation)
        }
        let policy = isIdempotent ?? request.isIdempotent ? RetryPolicy.unanswered : .once
        // A device signature names a challenge that works once, so a request with one is not repeated.
        let isRepeatable = request.headers[DeviceRequestSignature.headerName] == nil
        let generation = LockedValue(session)
        return try await exchange.send(
            Exchange.Call(request, policy: policy) {
                let ticket = try await tokens.ticket(of: generation.withLock { $0 }, during: operation)
                // From here on, everything happens in this session or not at all.
                generation.withLock { $0 = ticket.generation }
                var credentials = try await credentials(of: ticket, for: url, operation)
                if isRepeatable { credentials.expire = { expire(ticket, refusedIn: $0) } }
                return credentials
            })
    }

    /// Anyone who obtains a bearer token can use it, so it goes only where the app allows. Checked for each attempt, because
    /// a renewed token may be of another type.
    private func credentials(
        of ticket: LiveSession.Ticket, for url: URL, _ operation: WalletError.Operation
    ) async throws -> Exchange.Credentials {
        guard destinations.allows(url, isBound: ticket.keyThumbprint != nil) else {
            throw refusal(
                "a bearer token is sent only to the issuer's origin and to listed ones; if \(url.origin) is meant to have"
                    + " it, list it in the configuration, as in resources: .only([URL(string: \"\(url.origin)\")])",
                operation)
        }
        var credentials = Exchange.Credentials(token: ticket.accessToken)
        if let thumbprint = ticket.keyThumbprint {
            credentials.key = try await binding.key(thumbprint: thumbprint)
            if credentials.key == nil { try await tokens.keyLost(ticket.generation) }
        }
        return credentials
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

    private func refusal(_ reason: String, _ operation: WalletError.Operation) -> WalletError {
        WalletError(.requestRefused, .misconfigured, during: operation, reason: reason)
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

extension HTTPRequest {
    /// RFC 9110 §9.2.2, and requests that the app marked with an `Idempotency-Key`.
    var isIdempotent: Bool {
        ["GET", "HEAD", "OPTIONS", "PUT", "DELETE"].contains(method) || headers[IdempotencyKey.headerName] != nil
    }
}
