public import WalletAuthWire

/// The verified evidence of how the person agreed to an operation.
public struct VerifiedEvidence: Hashable, Sendable {
    /// The document. Keep it byte for byte: `OperationEvidence.verified(by:)` can verify it again years later, without
    /// the server.
    public let document: OperationEvidence
    /// The document's claims.
    public let claims: OperationEvidenceClaims
}

extension WalletOperations {
    /// Fetches and verifies the evidence of how the person agreed to an operation, or why it needed no consent.
    ///
    /// Fetch it while the server keeps it (548 days by default), at the latest when a payment is disputed. It is
    /// available in every state; while an operation is in progress, a later document may contain more.
    ///
    /// - Parameters:
    ///   - id: the operation.
    ///   - keys: the server's audit keys, as printed by `walletauth audit key` when you set up the backend, and again
    ///     after `walletauth keys rotate audit`; not the issuer's published keys.
    ///   - formerIssuers: former issuer identifiers of the same server, if it has been renamed. The evidence names the
    ///     issuer at the time the operation was created.
    /// - Returns: the document and its claims.
    /// - Throws: ``OperationRefusal``. For ``OperationRefusal/Code/malformedAnswer``, its reason says why the document
    ///   is invalid.
    public func evidence(
        of id: WalletOperationID, verifiedBy keys: JWKSet, formerIssuers: Set<Issuer> = []
    ) async throws(OperationRefusal) -> VerifiedEvidence {
        let answer = try await calls.send(BackendCall("GET", Endpoints.walletOperationEvidence.path(id)))
        func refusal(_ reason: String) -> OperationRefusal {
            OperationRefusal(.malformedAnswer, traceID: answer.traceID, reason: "the evidence: \(reason)")
        }
        let document: OperationEvidence
        do { document = try OperationEvidence(String(decoding: answer.body, as: UTF8.self)) } catch {
            throw refusal(error.description)
        }
        let claims: OperationEvidenceClaims
        do { claims = try document.verified(by: keys) } catch { throw refusal(error.description) }
        if let reason = claims.issuer.refusalOfEvidence(expecting: issuer.issuer, formerIssuers: formerIssuers) {
            throw refusal(reason)
        }
        guard claims.clientID == clientID, claims.operationID == id else {
            throw refusal("it is for another operation")
        }
        return VerifiedEvidence(document: document, claims: claims)
    }
}
