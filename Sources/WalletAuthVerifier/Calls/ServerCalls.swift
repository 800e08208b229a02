internal import WalletAuthWire

/// A backend's calls with its own access token, for one scope: the token is kept, and renewed once where the server does not take
/// it.
final class ServerCalls: Sendable {
    /// One call below the issuer.
    struct Call: Sendable {
        var method: String
        var path: String
        var query = FormParameters()
        var body: JSONObject?
        var idempotencyKey: String?
        var accept = "application/json"
        /// What the server may take beside the usual time, because the call waits for something.
        var wait: Duration = .zero
        /// The longest answer that is read, in bytes.
        var maximumAnswer = 1 << 20

        init(_ method: String, _ path: String) {
            self.method = method
            self.path = path
        }

        func url(at issuer: Issuer) -> String {
            issuer.url(path: path) + (query.isEmpty ? "" : "?" + query.encoded)
        }
    }

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
            // One token of letters and an underscore is a scope.
            scope: (try? Scope(scope)) ?? .none, tokenType: proofKey == nil ? .bearer : .dpop)
    }

    /// Gets the token unless it is there.
    func prepare() async throws(CallFailure) { _ = try await tokens.current() }

    /// Sends a call that may be repeated.
    /// - Returns: an answer with status 2xx.
    func send(_ call: Call) async throws(CallFailure) -> OutboundResponse {
        var hasRenewed = false
        while true {
            let token = try await tokens.current()
            var headers = [HeaderField("Authorization", "\(token.type.rawValue) \(token.token.reveal())")]
            if let key = call.idempotencyKey { headers.append(HeaderField(IdempotencyKey.headerName, key)) }
            if call.body != nil { headers.append(HeaderField("Content-Type", "application/json")) }
            let bytes = call.body?.bytes
            let answer = try await exchange.send(
                ServerExchange.Call(
                    method: call.method, url: call.url(at: issuer.issuer),
                    headers: headers, content: { ([], bytes) }, token: token.token, accept: call.accept,
                    wait: call.wait, maximumAnswer: call.maximumAnswer))
            if answer.status == 401, !hasRenewed {
                hasRenewed = true
                tokens.drop(token.token)
                continue
            }
            guard (200...299).contains(answer.status) else { throw CallFailure(answer) }
            return answer
        }
    }

    /// Sends a call and reads its answer's JSON.
    func read<Value>(
        _ call: Call, _ reading: (JSONObject) throws(MalformedValue) -> Value
    ) async throws(CallFailure) -> Value {
        let answer = try await send(call)
        do {
            return try reading(
                try JSONValue.object(parsing: answer.body, limits: JSONLimits(bytes: call.maximumAnswer)))
        } catch {
            throw CallFailure(
                .malformedAnswer, .unknown, traceID: answer.traceID, reason: "the server's answer: \(error)")
        }
    }
}

extension Issuer {
    /// Why a proof that names this issuer is refused; nil if it is the expected one, or a former one of the same
    /// server.
    func refusalOfEvidence(expecting issuer: Issuer, formerIssuers: Set<Issuer>) -> String? {
        self == issuer || formerIssuers.contains(self)
            ? nil : "it is of another server, \(self), which is not among the former issuers"
    }
}
