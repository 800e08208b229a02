public import WalletAuthWire

/// The error of a failed call about a transaction.
public struct TransactionCallError: Error, Hashable, Sendable, CallRefusal {
    /// The cause of the failure. New cases may be added.
    public enum Cause: Hashable, Sendable {
        /// The server does not accept the request (`bad_request`), with a description of the error.
        case badRequest(String)
        /// The request names no account, and this client must name one (`account_required`).
        case accountRequired
        /// The brand has no such open account (`account_not_found`).
        case accountNotFound
        /// There is no such transaction, or it belongs to another client (`transaction_not_found`).
        case transactionNotFound
        /// The transaction has reached a final state (`transaction_over`); nil if this version does not know the state.
        case transactionOver(TransactionStatus?)
        /// The idempotency key was used for another transaction (`idempotency_mismatch`).
        case idempotencyMismatch
        /// The account has too many open transactions of this backend (`too_many_transactions`), with the time to wait
        /// before another attempt.
        case tooManyTransactions(retryAfter: Duration?)
        /// The server rejects this backend's credential, or doesn't allow it transactions.
        case credentialRefused
        /// The server cannot be reached or cannot answer right now, or its answer was lost; with the time to wait
        /// before another attempt, if the server said so.
        case temporarilyUnavailable(retryAfter: Duration?)
        /// The waiting task was cancelled. The transaction continues.
        case waitingCancelled
        /// The transaction is not signed, with its state according to the evidence.
        case notSigned(TransactionStatus)
        /// The signed content differs from the request, with the name of the part that differs.
        case otherContent(String)
        /// The document is invalid, with the reason.
        case worthlessEvidence(String)
        /// The server's answer violates the protocol.
        case malformedAnswer
        /// The server refused with a code that this version does not know.
        case refused(code: String)
    }

    /// The cause of the failure.
    public let cause: Cause
    /// Whether the call may have taken effect.
    public let certainty: CallCertainty
    /// The server's trace id.
    public let traceID: String?
    /// Diagnostic text for the backend's log.
    public let reason: String

    init(_ cause: Cause, _ certainty: CallCertainty = .nothingHappened, traceID: String? = nil, reason: String) {
        self.cause = cause
        self.certainty = certainty
        self.traceID = traceID
        self.reason = reason
    }

    init(_ failure: CallFailure) {
        self.init(
            Cause(failure), failure.certainty, traceID: failure.traceID, reason: failure.reason)
    }
}

extension TransactionCallError.Cause {
    init(_ failure: CallFailure) {
        let detail = failure.problem?["detail"]?.string
        self =
            switch failure.kind {
            case .credentialRefused: .credentialRefused
            case .malformedAnswer: .malformedAnswer
            // The exchange retries a 429. Its code is read once the exchange gives up.
            case .temporarilyUnavailable where failure.problem?["code"]?.string == "too_many_transactions":
                .tooManyTransactions(retryAfter: failure.retryAfter)
            case .temporarilyUnavailable: .temporarilyUnavailable(retryAfter: failure.retryAfter)
            case .refused("bad_request"): .badRequest(detail ?? failure.reason)
            case .refused("account_required"): .accountRequired
            case .refused("account_not_found"): .accountNotFound
            case .refused("transaction_not_found"): .transactionNotFound
            case .refused("transaction_over"):
                .transactionOver(failure.problem?["state"]?.string.flatMap(TransactionStatus.init(rawValue:)))
            case .refused("idempotency_mismatch"): .idempotencyMismatch
            case .refused(let code): .refused(code: code)
            }
    }
}

extension TransactionCallError: CustomStringConvertible {
    /// Advice for the developer.
    public var advice: String {
        switch cause {
        case .badRequest(let detail): "Change the request: \(detail)"
        case .accountRequired:
            "Name the account, or allow the client codes without one (walletauth client create --transactions-without-account)."
        case .accountNotFound: "Check the account: it must be open and belong to this client's brand."
        case .transactionNotFound: "Check the id: the transaction must belong to this client."
        case .transactionOver: "Read the transaction to learn how it ended. Create another one if it is still wanted."
        case .idempotencyMismatch:
            "Use a new idempotency key for each transaction, and the same one to repeat a request."
        case .tooManyTransactions: "Cancel transactions that are no longer needed, or wait until they expire."
        case .credentialRefused:
            "Check the client id, its secret and its scope “\(WalletTransactions.scope)” (walletauth client show)."
        case .temporarilyUnavailable: "Repeat the call later, with the same idempotency key."
        case .waitingCancelled: "Read the transaction again when its state matters."
        case .notSigned: "Deliver nothing. Wait for the signature, or create another transaction."
        case .otherContent: "Deliver nothing, and find out why the request and the signed payload differ."
        case .worthlessEvidence:
            "Deliver nothing. Check the audit keys (walletauth audit key) and the document's origin."
        case .malformedAnswer: "Check the issuer's URL, and any proxy between this backend and the server."
        case .refused: "Look up the code in the protocol's section on transactions."
        }
    }

    /// The reason, followed by the advice.
    public var description: String { "\(reason). \(advice)" }
}

extension TransactionCallError {
    /// The response for an app or a page: 404, 409 and 429 for errors that it can handle, 503 if a later attempt may
    /// succeed, and 500 for problems of this backend.
    public var answer: ProblemAnswer {
        func problem(_ status: Int, _ code: String, _ title: String, retryAfter: Duration? = nil) -> ProblemAnswer {
            let seconds = retryAfter.map { max(1, $0.components.seconds) }
            return ProblemAnswer(
                Problem(status: status, code: code, title: title),
                headers: seconds.map { [HeaderField("Retry-After", String($0))] } ?? [])
        }
        switch cause {
        case .transactionNotFound: return problem(404, "transaction_not_found", "There is no such transaction")
        case .accountNotFound: return problem(404, "account_not_found", "There is no such account")
        case .transactionOver(let state):
            var json = Problem(status: 409, code: "transaction_over", title: "The transaction has ended").json
            json.set("state", state?.rawValue)
            return ProblemAnswer(status: 409, json: json)
        case .notSigned(let state):
            var json = Problem(status: 409, code: "not_signed", title: "The transaction is not signed").json
            json.set("state", state.rawValue)
            return ProblemAnswer(status: 409, json: json)
        case .tooManyTransactions(let retryAfter):
            return problem(429, "too_many_transactions", "Too many transactions are open", retryAfter: retryAfter)
        case .temporarilyUnavailable(let retryAfter):
            return problem(
                503, "temporarily_unavailable", "The transaction cannot be read right now",
                retryAfter: retryAfter ?? .seconds(5))
        default: return problem(500, "server_error", "The transaction could not be processed")
        }
    }
}
