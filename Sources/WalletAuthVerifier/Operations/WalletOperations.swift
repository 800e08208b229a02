internal import Crypto
internal import WalletAuthTransport
public import WalletAuthWire

/// A backend's wallet operations at the authorization server. The backend asks before it moves money and carries out,
/// once, the operation that the person agreed to. Create one per process and share it.
///
/// ``authorize(_:by:scaDetails:id:grounds:attempt:)`` runs the whole exchange; the other calls are its steps.
///
/// Every call is idempotent, by its method or by its `Idempotency-Key`. It is sent at most three times if its answer is
/// lost or is 429 or 5xx, with random pauses of up to 0.2 and 0.4 seconds plus a `Retry-After` of up to five. After a
/// 401 it is repeated once with a new token, and once with a nonce if the server requires one. If the outcome is still
/// unknown, ``OperationRefusal/certainty`` says so.
public final class WalletOperations: Sendable {
    /// The scope that the client needs.
    public static let scope = "wallet_operations"

    /// The server.
    public let issuer: TrustedIssuer
    /// This backend's client.
    public var clientID: ClientID { calls.credential.clientID }

    let calls: ServerCalls<OperationRefusal>

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - issuer: the server.
    ///   - credential: authenticates this backend.
    ///   - proofKey: the key that this backend's tokens are bound to (DPoP); nil for bearer tokens.
    ///   - timeout: the time limit of one request.
    public init(
        issuer: TrustedIssuer, credential: BackendCredential, proofKey: (any AsyncJWSSigner)? = nil,
        timeout: Duration = .seconds(10)
    ) {
        self.issuer = issuer
        calls = ServerCalls(
            issuer: issuer, credential: credential, scope: Self.scope, proofKey: proofKey, timeout: timeout)
    }

    /// Fetches this backend's token if there is none. Call it at startup, so that an invalid credential shows before
    /// the first payment.
    ///
    /// - Throws: ``OperationRefusal``: `credential_refused` if the server does not accept the client, its secret or its
    ///   use of wallet operations; `temporarily_unavailable` if the server cannot be reached.
    public func prepare() async throws(OperationRefusal) {
        try await calls.prepare()
    }

    /// Creates an operation and asks whether it needs the person's consent.
    ///
    /// Repeating the call with the same id and the same operation is harmless. With a different operation it is
    /// refused.
    ///
    /// - Parameter request: the account and the operation.
    /// - Returns: the answer: `EXEMPT`, or `SCA_REQUIRED` with the event.
    /// - Throws: ``OperationRefusal``: `bad_request`, before anything is sent, for an operation that contradicts its
    ///   type or contains text with no visible characters (`WalletOperation.refuseContradictions()`).
    public func create(_ request: WalletOperationRequest) async throws(OperationRefusal) -> WalletOperationResponse {
        do { try request.operation.refuseContradictions() } catch {
            throw OperationRefusal(.badRequest, reason: error.description, fault: error.description)
        }
        return try await calls.read(
            BackendCall(
                "POST", Endpoints.walletOperations.path, request.json, idempotencyKey: Self.creationKey(request.id)),
            WalletOperationResponse.init)
    }

    /// Consumes an operation's consent, which succeeds once.
    ///
    /// - Parameters:
    ///   - id: the operation.
    ///   - consumption: the operation as you will carry it out.
    ///   - attempt: names this execution. The same key gets the same answer, even after a restart: store it in the
    ///     payment's record before the call, and **never** use it for two executions. Nil creates a random key, which
    ///     is safe but cannot be repeated after the call has failed.
    /// - Returns: the authentication code, to keep as evidence. Compare it with the operation and its payer
    ///   (`AuthenticationCodeClaims`) before money moves.
    /// - Throws: ``OperationRefusal``: `sca_already_used`, `sca_not_verified`, `operation_changed` and others.
    public func consume(
        _ id: WalletOperationID, _ consumption: OperationConsumption, attempt: IdempotencyKey? = nil
    ) async throws(OperationRefusal) -> AuthenticationCode {
        try await calls.read(
            BackendCall(
                "POST", Endpoints.walletOperationConsumption.path(id), consumption.json,
                idempotencyKey: attempt?.rawValue ?? Randomness.token()),
            OperationAuthorization.init
        ).authenticationCode
    }

    /// Cancels an operation that was not carried out.
    ///
    /// - Parameter id: the operation.
    public func cancel(_ id: WalletOperationID) async throws(OperationRefusal) {
        _ = try await calls.send(BackendCall("DELETE", Endpoints.walletOperation.path(id)))
    }

    /// The state of an operation.
    ///
    /// - Parameter id: the operation.
    public func status(of id: WalletOperationID) async throws(OperationRefusal) -> WalletOperationResponse {
        try await calls.read(BackendCall("GET", Endpoints.walletOperation.path(id)), WalletOperationResponse.init)
    }

    /// The same key for the same id, so that a repeated call gets a lost answer.
    private static func creationKey(_ id: WalletOperationID) -> String {
        Base64URL.encode(Array(SHA256.hash(data: Array("create\0\(id)".utf8))))
    }
}
