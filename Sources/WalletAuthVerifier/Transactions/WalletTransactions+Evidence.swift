public import WalletAuthWire

/// The proof of a transaction, verified.
public struct VerifiedTransactionEvidence: Hashable, Sendable {
    /// The document, to be kept to the byte: `TransactionEvidence.verified(by:)` verifies it again, years later and without the
    /// server.
    public let document: TransactionEvidence
    /// What it says.
    public let claims: TransactionEvidenceClaims
}

extension WalletTransactions {
    /// Gets the proof of a transaction in any state, and verifies it: the server's signature, the device's own signature over
    /// the payload, every statement against the others, and that it is the transaction that was asked for.
    ///
    /// It says what is so. Before you deliver anything, use ``signedEvidence(of:for:verifiedBy:formerIssuers:)``.
    /// - Parameters:
    ///   - id: the transaction.
    ///   - keys: the server's audit keys, as `walletauth audit key` printed them on the first day; not the issuer's published
    ///     ones.
    ///   - formerIssuers: earlier issuers of the same server, where it got another one: a proof names the issuer under which the
    ///     transaction was created.
    /// - Returns: the document, and what it says.
    /// - Throws: ``TransactionCallError``: `worthlessEvidence` with what is wrong with the document, and others.
    public func evidence(
        of id: TransactionID, verifiedBy keys: JWKSet, formerIssuers: Set<Issuer> = []
    ) async throws(TransactionCallError) -> VerifiedTransactionEvidence {
        var call = ServerCalls.Call("GET", Endpoints.transactionEvidence.path(id))
        call.accept = TransactionEvidence.mediaType
        let answer = try await send(call)
        func worthless(_ reason: String) -> TransactionCallError {
            TransactionCallError(.worthlessEvidence(reason), traceID: answer.traceID, reason: "the evidence: \(reason)")
        }
        let document: TransactionEvidence
        do { document = try TransactionEvidence(String(decoding: answer.body, as: UTF8.self)) } catch {
            throw worthless(error.description)
        }
        let claims: TransactionEvidenceClaims
        do { claims = try document.verified(by: keys) } catch { throw worthless(error.description) }
        if let reason = claims.refusal(as: id, of: clientID, at: issuer.issuer, formerIssuers: formerIssuers) {
            throw worthless(reason)
        }
        return VerifiedTransactionEvidence(document: document, claims: claims)
    }

    /// Gets the proof that a person signed exactly what this backend asked for. Deliver on nothing less.
    /// - Parameters:
    ///   - id: the transaction.
    ///   - request: what ``create(_:idempotencyKey:)`` asked for, from your own record and not from a report.
    ///   - keys: the server's audit keys, as in ``evidence(of:verifiedBy:formerIssuers:)``.
    ///   - formerIssuers: earlier issuers of the same server.
    /// - Returns: the document, to be kept, and what it says: `claims.account` is who signed.
    /// - Throws: ``TransactionCallError``: `notSigned` with the state that the proof names; `otherContent` where amount, payee,
    ///   lines, data, reference, account or second factor differ from the request; `worthlessEvidence`, and others.
    public func signedEvidence(
        of id: TransactionID, for request: TransactionRequest, verifiedBy keys: JWKSet, formerIssuers: Set<Issuer> = []
    ) async throws(TransactionCallError) -> VerifiedTransactionEvidence {
        let evidence = try await evidence(of: id, verifiedBy: keys, formerIssuers: formerIssuers)
        try evidence.claims.requireSigned(
            request, transactionID: id, clientID: clientID, issuer: issuer.issuer, formerIssuers: formerIssuers)
        return evidence
    }
}

extension TransactionEvidenceClaims {
    /// Compares a verified proof with the backend's own record of the transaction, without the server: for a proof that was kept,
    /// or that somebody hands in.
    ///
    /// Requests may be alike to the byte. The transaction's id tells their proofs apart, so that one signature pays once.
    /// - Parameters:
    ///   - request: what ``WalletTransactions/create(_:idempotencyKey:)`` asked for.
    ///   - transactionID: what it returned.
    ///   - clientID: the client that this backend was then.
    ///   - issuer: the server.
    ///   - formerIssuers: earlier issuers of the same server, where it got another one.
    /// - Throws: ``TransactionCallError``: `worthlessEvidence` where the proof is of another transaction, client or server;
    ///   `notSigned`, `otherContent`.
    public func requireSigned(
        _ request: TransactionRequest, transactionID: TransactionID, clientID: ClientID, issuer: Issuer,
        formerIssuers: Set<Issuer> = []
    ) throws(TransactionCallError) {
        if let reason = refusal(as: transactionID, of: clientID, at: issuer, formerIssuers: formerIssuers) {
            throw TransactionCallError(.worthlessEvidence(reason), reason: "the evidence: \(reason)")
        }
        guard status == .signed else {
            throw TransactionCallError(
                .notSigned(status), reason: "by its proof the transaction is \(status.rawValue)")
        }
        guard origin == .server, let bytes = payload,
            let payload = try? TransactionPayload(recorded: bytes)
        else { throw Self.differs("origin") }
        try Self.require(payload.content.type == request.content.type, "type")
        try Self.require(payload.content.amount == request.content.amount, "amount")
        try Self.require(payload.content.payee == request.content.payee, "payee")
        try Self.require(payload.content.lines == request.content.lines, "lines")
        try Self.require(payload.content.dataHash == request.content.dataHash, "data")
        try Self.require(payload.content == request.content, "reference")
        try Self.require(request.account == nil || payload.account == request.account, "account")
        try Self.require(payload.requiredSecondFactor == request.requiredSecondFactor, "second factor")
    }

    /// Why this is not the proof of a backend's transaction; nil if it is.
    fileprivate func refusal(
        as id: TransactionID, of clientID: ClientID, at issuer: Issuer, formerIssuers: Set<Issuer>
    ) -> String? {
        if let reason = self.issuer.refusalOfEvidence(expecting: issuer, formerIssuers: formerIssuers) { return reason }
        guard transactionID == id else { return "it is of another transaction" }
        // What an app of the brand began names the app's client.
        return origin == .client || self.clientID == clientID ? nil : "it is of another client's transaction"
    }

    private static func require(_ isSame: Bool, _ member: String) throws(TransactionCallError) {
        guard isSame else { throw differs(member) }
    }

    private static func differs(_ member: String) -> TransactionCallError {
        TransactionCallError(.otherContent(member), reason: "the signed \(member) is not the one that was asked for")
    }
}
