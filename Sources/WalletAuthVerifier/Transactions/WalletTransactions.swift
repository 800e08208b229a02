public import WalletAuthWire

/// A backend's transactions: it shows a QR code or a link, and a person signs on their phone (protocol, section 6). Make one per
/// process and share it.
///
/// The way of one transaction: ``create(_:idempotencyKey:)``, show ``qrCode(of:format:)`` or `link.reveal()`, wait by
/// ``outcome(of:)``, and deliver what ``signedEvidence(of:for:verifiedBy:formerIssuers:)`` proves.
///
/// Retries: every call is idempotent, by its method or by its `Idempotency-Key`, and is sent at most three times where its
/// answer is lost or is 429 or 5xx, as those of ``WalletOperations`` are.
public final class WalletTransactions: Sendable {
    /// The scope that the client needs.
    public static let scope = "transactions"
    /// The longest time that the server waits for a change within one call.
    public static let longestWait = Duration.seconds(30)

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
    ///   - timeout: how long one request may take, besides the time for which it waits for a change.
    public init(
        issuer: TrustedIssuer, credential: BackendCredential, proofKey: (any AsyncJWSSigner)? = nil,
        timeout: Duration = .seconds(10)
    ) {
        self.issuer = issuer
        calls = ServerCalls(
            issuer: issuer, credential: credential, scope: Self.scope, proofKey: proofKey, timeout: timeout)
    }

    /// Gets this backend's token unless it is there: a credential that the server does not take shows when the backend starts,
    /// and not at the first transaction.
    /// - Throws: ``TransactionCallError``: ``TransactionCallError/Cause/credentialRefused`` where the server does not know the
    ///   client, its secret or its right to transactions.
    public func prepare() async throws(TransactionCallError) {
        do { try await calls.prepare() } catch { throw TransactionCallError(error) }
    }

    /// Creates a transaction for a person to sign.
    /// - Parameters:
    ///   - request: what is to be signed, by which account and in which time. Keep it: a proof is held against it.
    ///   - idempotencyKey: names this transaction. Keep it with your own record, made before the call: the same key with the same
    ///     request gets the same transaction, also after a restart.
    /// - Returns: the id, and the link that is both the QR code's content and the deep link. The link holds a secret: show it to
    ///   the person and keep it out of logs.
    /// - Throws: ``TransactionCallError``: `accountRequired`, `accountNotFound`, `idempotencyMismatch`, `tooManyTransactions` and
    ///   others.
    public func create(
        _ request: TransactionRequest, idempotencyKey: IdempotencyKey
    ) async throws(TransactionCallError) -> TransactionCreated {
        var call = ServerCalls.Call("POST", Endpoints.transactions.path)
        call.body = request.json
        call.idempotencyKey = idempotencyKey.rawValue
        let created = try await read(call, TransactionCreated.init)
        // The link goes into a code that people scan: one that leads elsewhere would be this backend's.
        guard created.link.transactionID == created.transactionID, created.link.leads(to: issuer.issuer) else {
            throw TransactionCallError(
                .malformedAnswer, .unknown, reason: "the new transaction's link leads to another server or transaction")
        }
        return created
    }

    /// Reads a transaction.
    /// - Parameters:
    ///   - id: the transaction.
    ///   - wait: how long to wait for the next change, in whole seconds: at most ``longestWait``. Each waiting call occupies one
    ///     request of the transport.
    /// - Returns: the transaction as the server reports it. Deliver nothing for a report:
    ///   ``signedEvidence(of:for:verifiedBy:formerIssuers:)`` has the proof.
    /// - Throws: ``TransactionCallError``: `transactionNotFound` and others.
    public func find(
        _ id: TransactionID, wait: Duration = .zero
    ) async throws(TransactionCallError) -> TransactionReport {
        let wait = min(max(wait, .zero), Self.longestWait)
        var call = ServerCalls.Call("GET", Endpoints.transaction.path(id))
        let seconds = wait.components.seconds + (wait.components.attoseconds > 0 ? 1 : 0)
        if seconds > 0 { call.query.append("wait", String(seconds)) }
        call.wait = .seconds(seconds)
        let report = try await read(call, TransactionReport.init)
        guard report.transactionID == id else {
            throw TransactionCallError(.malformedAnswer, reason: "the server reported another transaction")
        }
        return report
    }

    /// Cancels a transaction that is open; repeating it is harmless.
    /// - Parameter id: the transaction.
    /// - Throws: ``TransactionCallError``: `transactionOver` with the final state, where the person was faster.
    public func cancel(_ id: TransactionID) async throws(TransactionCallError) {
        _ = try await send(ServerCalls.Call("DELETE", Endpoints.transaction.path(id)))
    }

    /// The formats of a QR code.
    public enum QRCodeFormat: Hashable, Sendable {
        /// A drawing, which fits any size and goes into a page's HTML as it is.
        case svg
        /// A picture.
        case png

        /// The media type.
        public var mediaType: String {
            switch self {
            case .svg: "image/svg+xml"
            case .png: "image/png"
            }
        }
    }

    /// Draws the QR code of a transaction while it is open. It holds the transaction's secret: let nothing cache it.
    /// - Parameters:
    ///   - id: the transaction.
    ///   - format: a drawing or a picture.
    /// - Returns: the file's bytes. They were checked to be a drawing of rectangles and paths, or a picture, as this server makes
    ///   them, with nothing that a page would run or load.
    /// - Throws: ``TransactionCallError``: `transactionOver` once there is nothing to scan.
    public func qrCode(
        of id: TransactionID, format: QRCodeFormat = .svg
    ) async throws(TransactionCallError) -> [UInt8] {
        let path =
            switch format {
            case .svg: Endpoints.transactionQRCodeSVG.path(id)
            case .png: Endpoints.transactionQRCodePNG.path(id)
            }
        var call = ServerCalls.Call("GET", path)
        call.accept = format.mediaType
        let answer = try await send(call)
        guard format.isDrawing(answer.body) else {
            throw TransactionCallError(
                .malformedAnswer, traceID: answer.traceID,
                reason: "the server's QR code is no plain \(format.mediaType)")
        }
        return answer.body
    }

    func send(_ call: ServerCalls.Call) async throws(TransactionCallError) -> OutboundResponse {
        do { return try await calls.send(call) } catch { throw TransactionCallError(error) }
    }

    func read<Value>(
        _ call: ServerCalls.Call, _ reading: (JSONObject) throws(MalformedValue) -> Value
    ) async throws(TransactionCallError) -> Value {
        do { return try await calls.read(call, reading) } catch { throw TransactionCallError(error) }
    }
}
