internal import WalletAuthWire

/// A call to a path below the issuer.
struct BackendCall: Sendable {
    var method: String
    var path: String
    var query = FormParameters()
    var body: JSONObject?
    var idempotencyKey: String?
    var accept = "application/json"
    /// Additional time for the answer, because the call waits for an event.
    var wait: Duration = .zero
    /// The longest answer to read, in bytes.
    var maximumAnswer = 1 << 20

    init(_ method: String, _ path: String, _ body: JSONObject? = nil, idempotencyKey: String? = nil) {
        self.method = method
        self.path = path
        self.body = body
        self.idempotencyKey = idempotencyKey
    }

    fileprivate func request(at issuer: Issuer, within timeout: Duration) -> OutboundRequest {
        var headers = [HeaderField("Accept", accept)]
        if let idempotencyKey { headers.append(HeaderField(IdempotencyKey.headerName, idempotencyKey)) }
        if body != nil { headers.append(HeaderField("Content-Type", "application/json")) }
        return OutboundRequest(
            method: method, url: issuer.url(path: path) + (query.isEmpty ? "" : "?" + query.encoded),
            headers: headers, body: body?.bytes, timeout: timeout + wait, maximumAnswer: maximumAnswer)
    }
}

/// The error of one API's calls.
protocol CallRefusal: Error {
    init(_ failure: CallFailure)
}

/// A backend's calls with its own access token for one scope. If the server rejects the cached token, it is renewed
/// once.
final class ServerCalls<Refusal: CallRefusal>: Sendable {
    let issuer: TrustedIssuer
    let credential: BackendCredential
    private let exchange: ServerExchange
    private let tokens: BackendTokens

    init(
        issuer: TrustedIssuer, credential: BackendCredential, scope: String, proofKey: (any AsyncJWSSigner)?,
        timeout: Duration
    ) {
        self.issuer = issuer
        self.credential = credential
        exchange = ServerExchange(issuer: issuer, proofKey: proofKey, timeout: timeout)
        tokens = BackendTokens(
            issuer: issuer, credential: credential, exchange: exchange,
            // A scope of letters and an underscore is always valid.
            scope: (try? Scope(scope)) ?? .none, tokenType: proofKey == nil ? .bearer : .dpop)
    }

    /// Fetches the token if there is none.
    func prepare() async throws(Refusal) {
        do { _ = try await tokens.current() } catch { throw Refusal(error) }
    }

    /// Sends a call that may be repeated.
    ///
    /// - Returns: an answer with status 2xx.
    func send(_ call: BackendCall) async throws(Refusal) -> OutboundResponse {
        do { return try await answer(to: call) } catch { throw Refusal(error) }
    }

    /// Sends a call and decodes the JSON in its answer.
    func read<Value>(
        _ call: BackendCall, _ reading: (JSONObject) throws(MalformedValue) -> Value
    ) async throws(Refusal) -> Value {
        let answer = try await send(call)
        do {
            return try reading(
                try JSONValue.object(parsing: answer.body, limits: JSONLimits(bytes: call.maximumAnswer)))
        } catch {
            throw Refusal(
                CallFailure(
                    .malformedAnswer, .unknown, traceID: answer.traceID, reason: "the server's response: \(error)"))
        }
    }

    private func answer(to call: BackendCall) async throws(CallFailure) -> OutboundResponse {
        var hasRenewed = false
        var certainty = CallCertainty.nothingHappened
        while true {
            let token: BackendTokens.Kept
            do { token = try await tokens.current() } catch {
                // The request for a token changes nothing.
                var failure = error
                failure.certainty = certainty
                throw failure
            }
            var request = call.request(at: issuer.issuer, within: exchange.timeout)
            request.headers.append(HeaderField("Authorization", "\(token.type.rawValue) \(token.token.reveal())"))
            let answer = try await exchange.send(request, token: token.token, &certainty)
            if answer.status == 401, !hasRenewed {
                hasRenewed = true
                tokens.drop(token.token)
                continue
            }
            guard (200...299).contains(answer.status) else { throw CallFailure(answer).after(certainty) }
            return answer
        }
    }
}
