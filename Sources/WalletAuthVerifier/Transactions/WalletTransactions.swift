public import WalletAuthWire

/// A backend's transactions: it shows a QR code or a link, and a person signs on their phone (protocol, section 6).
/// Create one per process and share it.
///
/// For each transaction: call ``create(_:idempotencyKey:)``, show ``qrCode(of:format:)`` or `link.reveal()`, wait with
/// ``outcome(of:)``, and deliver if ``signedEvidence(of:for:verifiedBy:formerIssuers:)`` succeeds.
///
/// Every call is idempotent, by its method or by its `Idempotency-Key`. It is sent at most three times if its answer is
/// lost or is 429 or 5xx, as in ``WalletOperations``.
public final class WalletTransactions: Sendable {
    /// The scope that the client needs.
    public static let scope = "transactions"
    /// The longest time that one call waits for a change.
    public static let longestWait = Duration.seconds(30)

    /// The server.
    public let issuer: TrustedIssuer
    /// This backend's client.
    public var clientID: ClientID { calls.credential.clientID }

    let calls: ServerCalls<TransactionCallError>

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - issuer: the server.
    ///   - credential: authenticates this backend.
    ///   - proofKey: the key that this backend's tokens are bound to (DPoP); nil for bearer tokens.
    ///   - timeout: the time limit of one request, in addition to the time it waits for a change.
    public init(
        issuer: TrustedIssuer, credential: BackendCredential, proofKey: (any AsyncJWSSigner)? = nil,
        timeout: Duration = .seconds(10)
    ) {
        self.issuer = issuer
        calls = ServerCalls(
            issuer: issuer, credential: credential, scope: Self.scope, proofKey: proofKey, timeout: timeout)
    }

    /// Fetches this backend's token if there is none. Call it at startup, so that an invalid credential shows before
    /// the first transaction.
    ///
    /// - Throws: ``TransactionCallError``: ``TransactionCallError/Cause/credentialRefused`` if the server does not
    ///   accept the client, its secret or its use of transactions.
    public func prepare() async throws(TransactionCallError) {
        try await calls.prepare()
    }

    /// Creates a transaction for a person to sign.
    ///
    /// - Parameters:
    ///   - request: the content to sign, the account, and the time limit. Keep it, to compare with the evidence.
    ///   - idempotencyKey: names this transaction. Store it in your own record before the call: the same key with the
    ///     same request gets the same transaction, even after a restart.
    /// - Returns: the id, and the link, which is both the QR code's content and the deep link. The link holds a secret:
    ///   show it to the person and keep it out of logs.
    /// - Throws: ``TransactionCallError``: `accountRequired`, `accountNotFound`, `idempotencyMismatch`,
    ///   `tooManyTransactions` and others.
    public func create(
        _ request: TransactionRequest, idempotencyKey: IdempotencyKey
    ) async throws(TransactionCallError) -> TransactionCreated {
        let call = BackendCall(
            "POST", Endpoints.transactions.path, request.json, idempotencyKey: idempotencyKey.rawValue)
        let created = try await calls.read(call, TransactionCreated.init)
        // People scan this link, so it must not lead elsewhere.
        guard created.link.transactionID == created.transactionID, created.link.leads(to: issuer.issuer) else {
            throw TransactionCallError(
                .malformedAnswer, .unknown, reason: "the new transaction's link leads to another server or transaction")
        }
        return created
    }

    /// Reads a transaction.
    ///
    /// - Parameters:
    ///   - id: the transaction.
    ///   - wait: how long to wait for the next change, in whole seconds: at most ``longestWait``. Each waiting call
    ///     occupies one request of the transport.
    /// - Returns: the server's report of the transaction. Never deliver because of a report:
    ///   ``signedEvidence(of:for:verifiedBy:formerIssuers:)`` has the proof.
    /// - Throws: ``TransactionCallError``: `transactionNotFound` and others.
    public func find(
        _ id: TransactionID, wait: Duration = .zero
    ) async throws(TransactionCallError) -> TransactionReport {
        let wait = min(max(wait, .zero), Self.longestWait)
        var call = BackendCall("GET", Endpoints.transaction.path(id))
        let seconds = wait.components.seconds + (wait.components.attoseconds > 0 ? 1 : 0)
        if seconds > 0 { call.query.append("wait", String(seconds)) }
        call.wait = .seconds(seconds)
        let report = try await calls.read(call, TransactionReport.init)
        guard report.transactionID == id else {
            throw TransactionCallError(.malformedAnswer, reason: "the server reported another transaction")
        }
        return report
    }

    /// Cancels an open transaction. Repeating the call is harmless.
    ///
    /// - Parameter id: the transaction.
    /// - Throws: ``TransactionCallError``: `transactionOver` with the final state if the person was faster.
    public func cancel(_ id: TransactionID) async throws(TransactionCallError) {
        _ = try await calls.send(BackendCall("DELETE", Endpoints.transaction.path(id)))
    }

    /// The formats of a QR code.
    public enum QRCodeFormat: Hashable, Sendable {
        /// An SVG drawing, which scales to any size and can be inserted into a page's HTML.
        case svg
        /// A PNG image.
        case png

        /// The media type.
        public var mediaType: String {
            switch self {
            case .svg: "image/svg+xml"
            case .png: "image/png"
            }
        }
    }

    /// Draws the QR code of an open transaction. It contains the transaction's secret, so it must not be cached.
    ///
    /// - Parameters:
    ///   - id: the transaction.
    ///   - format: SVG or PNG.
    /// - Returns: the file's bytes. They were checked to be a drawing of rectangles and paths, or an image, exactly as
    ///   the server makes them, with nothing that a page would run or load.
    /// - Throws: ``TransactionCallError``: `transactionOver` once there is nothing to scan.
    public func qrCode(
        of id: TransactionID, format: QRCodeFormat = .svg
    ) async throws(TransactionCallError) -> [UInt8] {
        let path =
            switch format {
            case .svg: Endpoints.transactionQRCodeSVG.path(id)
            case .png: Endpoints.transactionQRCodePNG.path(id)
            }
        var call = BackendCall("GET", path)
        call.accept = format.mediaType
        let answer = try await calls.send(call)
        guard format.isDrawing(answer.body) else {
            throw TransactionCallError(
                .malformedAnswer, traceID: answer.traceID,
                reason: "the server's QR code is not a plain \(format.mediaType)")
        }
        return answer.body
    }
}
