public import WalletAuthWire

/// The proof of how an operation was consented to, verified.
public struct VerifiedEvidence: Hashable, Sendable {
    /// The document, to be kept to the byte: `OperationEvidence.verified(by:)` verifies it again, years later and without
    /// asking anybody.
    public let document: OperationEvidence
    /// What it says.
    public let claims: OperationEvidenceClaims
}

extension WalletOperations {
    /// Gets the proof of how an operation was consented to, or why it needed no consent, and verifies it.
    ///
    /// Get it while the server keeps it (548 days by default), at the latest when somebody contests the payment. It can be had in
    /// every state; what is said of an operation that is not over yet may have more to it later.
    /// - Parameters:
    ///   - id: the operation.
    ///   - keys: the server's audit keys, as `walletauth audit key` printed them on the first day; not the issuer's published
    ///     ones.
    ///   - formerIssuers: what the server was called before, where it got another issuer: the proof of an operation names the one
    ///     that it was asked for under.
    /// - Returns: the document, and what it says.
    /// - Throws: ``OperationRefusal``. ``OperationRefusal/Code/malformedAnswer`` says in its reason why the document proves
    ///   nothing.
    public func evidence(
        of id: WalletOperationID, verifiedBy keys: JWKSet, formerIssuers: Set<Issuer> = []
    ) async throws(OperationRefusal) -> VerifiedEvidence {
        let answer = try await evidenceDocument(of: id)
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
        guard claims.clientID == clientID, claims.operationID == id else { throw refusal("it is of another operation") }
        return VerifiedEvidence(document: document, claims: claims)
    }
}
