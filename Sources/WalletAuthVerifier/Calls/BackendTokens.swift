internal import WalletAuthTransport
internal import WalletAuthWire

/// The backend's own access token from the client credentials grant (RFC 6749 §4.4). It is cached until shortly before
/// it expires; concurrent callers share one request.
struct BackendTokens: Sendable {
    /// A cached token.
    struct Kept: Sendable {
        var token: AccessToken
        var type: TokenType
        var usedUntil: Duration
    }

    let issuer: TrustedIssuer
    let credential: BackendCredential
    let exchange: ServerExchange
    let scope: Scope
    let tokenType: TokenType
    private let kept = LockedValue<Kept?>(nil)
    private let flight = SingleFlight<Kept>(.outlivesItsCallers)

    /// Creates the cache.
    ///
    /// - Parameters:
    ///   - issuer: the server.
    ///   - credential: authenticates the backend.
    ///   - exchange: sends requests.
    ///   - scope: the token's scope.
    ///   - tokenType: `DPoP` if the requests carry proofs of a key.
    /// A token that is valid for a while.
    func current() async throws(CallFailure) -> Kept {
        if let kept = atHand { return kept }
        do {
            return try await flight.run { [self] in
                // Another run may have ended since the check above.
                if let kept = atHand { return kept }
                let fetched = try await fetch()
                kept.withLock { $0 = fetched }
                return fetched
            }
        } catch {
            throw error as? CallFailure
                ?? CallFailure(.temporarilyUnavailable, reason: "no token: \(type(of: error))")
        }
    }

    /// Drops a token that the server rejected, unless another has replaced it.
    func drop(_ token: AccessToken) { kept.withLock { if $0?.token == token { $0 = nil } } }

    private var atHand: Kept? {
        kept.withLock { $0 }.flatMap { issuer.clock.uptime() < $0.usedUntil ? $0 : nil }
    }

    private func fetch() async throws -> Kept {
        let endpoint: WebURL
        do { endpoint = try await issuer.tokenEndpoint() } catch {
            throw CallFailure(.temporarilyUnavailable, reason: error.reason)
        }
        let asked = issuer.clock.uptime()
        let request = OutboundRequest(
            method: "POST", url: endpoint.rawValue,
            headers: [
                HeaderField("Accept", "application/json"),
                HeaderField("Content-Type", "application/x-www-form-urlencoded"),
            ], timeout: exchange.timeout, maximumAnswer: 1 << 20)
        var certainty = CallCertainty.nothingHappened
        let answer = try await exchange.send(request, &certainty, sign: authenticate)
        guard answer.status == 200 else {
            let error = answer.object.flatMap { try? OAuthError($0) }
            // Without an OAuth error, anything else may have answered: a proxy, or a page at a wrong URL.
            let isRefusal = error != nil || answer.status == 401 || answer.status == 403
            throw CallFailure(
                isRefusal ? .credentialRefused : .malformedAnswer, traceID: answer.traceID,
                reason: "the token endpoint returned \(answer.status) \(error?.code.rawValue ?? "")")
        }
        guard let response = try? TokenResponse(answer.object ?? JSONObject()),
            // A bearer token in answer to a proof would not be bound to the key.
            response.tokenType == tokenType
        else {
            throw CallFailure(
                .malformedAnswer, traceID: answer.traceID, reason: "the token endpoint's response has no such token")
        }
        let life = Duration.seconds(min(response.expiresIn ?? 60, 86_400))
        return Kept(
            token: response.accessToken, type: response.tokenType, usedUntil: asked + life - min(.seconds(30), life / 5)
        )
    }

    /// An assertion is valid once.
    @Sendable private func authenticate(_ request: inout OutboundRequest) async throws {
        let authentication = try await credential.authentication(at: issuer.issuer, now: issuer.clock.now())
        // The server accepts tokens for itself only. A client with resources of its own must name it.
        let form = TokenRequest(
            client: authentication, grant: .clientCredentials, scope: scope, resources: [issuer.issuer.rawValue]
        ).form
        if let header = authentication.authorizationHeader {
            request.headers.append(HeaderField("Authorization", header))
        }
        request.body = Array(form.encoded.utf8)
    }
}
