public import WalletAuthWire

/// The verified evidence of a transaction.
public struct VerifiedTransactionEvidence: Hashable, Sendable {
    /// The document. Keep it byte for byte: `TransactionEvidence.verified(by:)` can verify it again years later,
    /// without the server.
    public let document: TransactionEvidence
    /// The document's claims.
    public let claims: TransactionEvidenceClaims
}

extension WalletTransactions {
    /// Fetches the evidence of a transaction in any state and verifies it: the server's signature, the device's
    /// signature over the payload, all statements against each other, and that it is for the requested transaction.
    ///
    /// The evidence reports the state, whatever it is. Before you deliver, use
    /// ``signedEvidence(of:for:verifiedBy:formerIssuers:)``.
    ///
    /// - Parameters:
    ///   - id: the transaction.
    ///   - keys: the server's audit keys, as printed by `walletauth audit key` when you set up the backend, and again
    ///     after `walletauth keys rotate audit`; not the issuer's published keys.
    ///   - formerIssuers: former issuer identifiers of the same server, if it has been renamed. The evidence names the
    ///     issuer at the time the transaction was created.
    /// - Returns: the document and its claims.
    /// - Throws: ``TransactionCallError``: `worthlessEvidence` with the reason the document is invalid, and others.
    public func evidence(
        of id: TransactionID, verifiedBy keys: JWKSet, formerIssuers: Set<Issuer> = []
    ) async throws(TransactionCallError) -> VerifiedTransactionEvidence {
        var call = BackendCall("GET", Endpoints.transactionEvidence.path(id))
        call.accept = TransactionEvidence.mediaType
        let answer = try await calls.send(call)
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

    /// Fetches the evidence that a person signed exactly what this backend requested. Deliver only with this evidence.
    ///
    /// - Parameters:
    ///   - id: the transaction.
    ///   - request: the request passed to ``create(_:idempotencyKey:)``, from your own records and not from a report.
    ///   - keys: the server's audit keys, as in ``evidence(of:verifiedBy:formerIssuers:)``.
    ///   - formerIssuers: former issuer identifiers of the same server.
    /// - Returns: the document, to keep, and its claims: `claims.account` is the account that signed.
    /// - Throws: ``TransactionCallError``: `notSigned` with the state in the evidence; `otherContent` if amount, payee,
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
    /// Compares verified evidence with the backend's own record of the transaction, offline: for evidence from your
    /// archive or from another party.
    ///
    /// Two requests may be identical. The transaction's id tells their evidence apart, so that one signature pays once.
    ///
    /// - Parameters:
    ///   - request: the request passed to ``WalletTransactions/create(_:idempotencyKey:)``.
    ///   - transactionID: the id that it returned.
    ///   - clientID: this backend's client id at that time.
    ///   - issuer: the server.
    ///   - formerIssuers: former issuer identifiers of the same server, if it has been renamed.
    /// - Throws: ``TransactionCallError``: `worthlessEvidence` if the evidence is for another transaction or client, or
    ///   from another server; `notSigned`, `otherContent`.
    public func requireSigned(
        _ request: TransactionRequest, transactionID: TransactionID, clientID: ClientID, issuer: Issuer,
        formerIssuers: Set<Issuer> = []
    ) throws(TransactionCallError) {
        if let reason = refusal(as: transactionID, of: clientID, at: issuer, formerIssuers: formerIssuers) {
            throw TransactionCallError(.worthlessEvidence(reason), reason: "the evidence: \(reason)")
        }
        guard status == .signed else {
            throw TransactionCallError(
                .notSigned(status), reason: "according to the evidence the transaction is \(status.rawValue)")
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

    /// The reason this is not the evidence of a backend's transaction; nil if it is.
    fileprivate func refusal(
        as id: TransactionID, of clientID: ClientID, at issuer: Issuer, formerIssuers: Set<Issuer>
    ) -> String? {
        if let reason = self.issuer.refusalOfEvidence(expecting: issuer, formerIssuers: formerIssuers) { return reason }
        guard transactionID == id else { return "it is for another transaction" }
        // A transaction that an app of the brand started names the app's client.
        return origin == .client || self.clientID == clientID ? nil : "it is for another client's transaction"
    }

    private static func require(_ isSame: Bool, _ member: String) throws(TransactionCallError) {
        guard isSame else { throw differs(member) }
    }

    private static func differs(_ member: String) -> TransactionCallError {
        TransactionCallError(.otherContent(member), reason: "the signed \(member) is not the requested one")
    }
}
