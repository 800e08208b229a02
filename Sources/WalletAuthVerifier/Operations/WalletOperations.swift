internal import Crypto
public import WalletAuthWire

/// A backend's wallet operations at the authorization server: it asks before it moves money, and carries out, once, what
/// the person agreed to. Make one per process and share it.
///
/// ``authorize(_:by:scaDetails:id:grounds:attempt:)`` does the whole dance; the other calls are its steps.
///
/// Retries: every call is idempotent, by its method or by its `Idempotency-Key`, and is sent at most three times where its
/// answer is lost or is 429 or 5xx, with jittered waits of up to 0.2 and 0.4 seconds besides a `Retry-After` of up to five.
/// A 401 is followed once with a new token, and a nonce that is asked for once. What is then still not known is said by
/// ``OperationRefusal/certainty``.
public final class WalletOperations: Sendable {
    /// The scope that the client needs.
    public static let scope = "wallet_operations"

    /// The server.
    public let issuer: TrustedIssuer
    /// This backend's client.
    public var clientID: ClientID { calls.credential.clientID }

    let calls: ServerCalls

    /// Creates a client.
    /// - Parameters:
    ///   - issuer: the server.
    ///   - credential: how this backend proves who it is.
    ///   - proofKey: the key that this backend's tokens are bound to (DPoP); nil for bearer tokens.
    ///   - timeout: how long one request may take.
    public init(
        issuer: TrustedIssuer, credential: BackendCredential, proofKey: (any AsyncJWSSigner)? = nil,
        timeout: Duration = .seconds(10)
    ) {
        self.issuer = issuer
        calls = ServerCalls(
            issuer: issuer, credential: credential, scope: Self.scope, proofKey: proofKey, timeout: timeout)
    }

    /// Gets this backend's token unless it is there: worth calling while a backend starts, so that a credential that the server
    /// does not take is told then, and not by the first payment.
    /// - Throws: ``OperationRefusal``: `credential_refused` where the server does not know the client, its secret or its right to
    ///   wallet operations; `temporarily_unavailable` where the server cannot be asked.
    public func prepare() async throws(OperationRefusal) {
        do { try await calls.prepare() } catch { throw OperationRefusal(error) }
    }

    /// Asks whether an operation needs the person's consent.
    ///
    /// Asking again for the same operation under the same name is harmless; for another one it is refused.
    /// - Parameter request: whose operation it is, and what it does.
    /// - Returns: the answer: `EXEMPT`, or `SCA_REQUIRED` with the event.
    /// - Throws: ``OperationRefusal``: `bad_request`, before anything is sent, for an operation that contradicts its type or has
    ///   text with nothing to see (`WalletOperation.refuseContradictions()`).
    public func create(_ request: WalletOperationRequest) async throws(OperationRefusal) -> WalletOperationResponse {
        do { try request.operation.refuseContradictions() } catch {
            throw OperationRefusal(.badRequest, reason: error.description, fault: error.description)
        }
        return try await read(
            "POST", Endpoints.walletOperations.path, request.json, key: Self.creationKey(request.id),
            WalletOperationResponse.init)
    }

    /// Carries an operation out, which can be done once.
    /// - Parameters:
    ///   - id: the operation.
    ///   - consumption: what is carried out.
    ///   - attempt: names this one carrying out. The same key gets the same answer, also after a restart: so keep it with the
    ///     payment's record, made before the call, and **never** use it for two carryings out. Nil makes a random one,
    ///     which is safe and cannot be repeated after this call has failed.
    /// - Returns: the authentication code, to be kept as evidence. Hold it against the operation and its payer
    ///   (`AuthenticationCodeClaims`) before money moves.
    /// - Throws: ``OperationRefusal``: `sca_already_used`, `sca_not_verified`, `operation_changed` and others.
    public func consume(
        _ id: WalletOperationID, _ consumption: OperationConsumption, attempt: IdempotencyKey? = nil
    ) async throws(OperationRefusal) -> AuthenticationCode {
        return try await read(
            "POST", Endpoints.walletOperationConsumption.path(id), consumption.json,
            key: attempt?.rawValue ?? Randomness.token(), OperationAuthorization.init
        ).authenticationCode
    }

    /// Takes an operation back that was not carried out.
    /// - Parameter id: the operation.
    /// - Throws: ``OperationRefusal``.
    public func cancel(_ id: WalletOperationID) async throws(OperationRefusal) {
        _ = try await send("DELETE", Endpoints.walletOperation.path(id))
    }

    /// Where an operation stands.
    /// - Parameter id: the operation.
    /// - Throws: ``OperationRefusal``.
    public func status(of id: WalletOperationID) async throws(OperationRefusal) -> WalletOperationResponse {
        try await read("GET", Endpoints.walletOperation.path(id), nil, WalletOperationResponse.init)
    }

    /// The proof of an operation as it came, which ``evidence(of:verifiedBy:formerIssuers:)`` verifies.
    func evidenceDocument(of id: WalletOperationID) async throws(OperationRefusal) -> OutboundResponse {
        try await send("GET", Endpoints.walletOperationEvidence.path(id))
    }

    /// The same for the same name: a lost answer is asked for again by whoever asks again.
    private static func creationKey(_ id: WalletOperationID) -> String {
        Base64URL.encode(Array(SHA256.hash(data: Array("create\0\(id)".utf8))))
    }

    private func send(_ method: String, _ path: String) async throws(OperationRefusal) -> OutboundResponse {
        do { return try await calls.send(ServerCalls.Call(method, path)) } catch { throw OperationRefusal(error) }
    }

    private func read<Value>(
        _ method: String, _ path: String, _ body: JSONObject? = nil, key: String? = nil,
        _ reading: (JSONObject) throws(MalformedValue) -> Value
    ) async throws(OperationRefusal) -> Value {
        var call = ServerCalls.Call(method, path)
        call.body = body
        call.idempotencyKey = key
        do { return try await calls.read(call, reading) } catch { throw OperationRefusal(error) }
    }
}
