public import WalletAuthWire

/// Why a call about a transaction did not succeed.
public struct TransactionCallError: Error, Hashable, Sendable {
    /// What happened. New cases may be added.
    public enum Cause: Hashable, Sendable {
        /// The server does not accept the request (`bad_request`): what is wrong with it.
        case badRequest(String)
        /// The request names no account, and the client may not leave it out (`account_required`).
        case accountRequired
        /// The brand has no such open account (`account_not_found`).
        case accountNotFound
        /// There is no such transaction, or it is another client's (`transaction_not_found`).
        case transactionNotFound
        /// The transaction has reached a final state (`transaction_over`), which is nil if the server names one that is
        /// not known here.
        case transactionOver(TransactionStatus?)
        /// The idempotency key was used for another transaction (`idempotency_mismatch`).
        case idempotencyMismatch
        /// The account has too many open transactions of this backend (`too_many_transactions`), and after how long another
        /// attempt makes sense.
        case tooManyTransactions(retryAfter: Duration?)
        /// The server does not take this backend's credential, or not for transactions.
        case credentialRefused
        /// The server cannot be reached, cannot answer now, or its answer was lost; and after how long another attempt makes
        /// sense, where the server said.
        case temporarilyUnavailable(retryAfter: Duration?)
        /// The task that waited was cancelled. The transaction goes on.
        case waitingCancelled
        /// The transaction is not signed: its state by the proof.
        case notSigned(TransactionStatus)
        /// What was signed is not what was asked for: what differs.
        case otherContent(String)
        /// The document proves nothing: why.
        case worthlessEvidence(String)
        /// The server answered something that is not of the contract.
        case malformedAnswer
        /// The server refused with a code that is not known here.
        case refused(code: String)
    }

    /// What happened.
    public let cause: Cause
    /// What is known of the server's state.
    public let certainty: CallCertainty
    /// The server's name for the call in its log.
    public let traceID: String?
    /// For the backend's log.
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
            // A 429 is sent again by the exchange, and what it was for is read when it gives up.
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
    /// What to do about it, for the developer who reads it.
    public var advice: String {
        switch cause {
        case .badRequest(let detail): "Change the request: \(detail)"
        case .accountRequired:
            "Name the account, or allow the client codes without one (walletauth client create --unaddressed-transactions)."
        case .accountNotFound: "Check the account: it has to be open, and of this client's brand."
        case .transactionNotFound: "Check the id: it has to be a transaction of this very client."
        case .transactionOver: "Read the transaction to learn how it ended. Create another one if it is still wanted."
        case .idempotencyMismatch: "Use a new idempotency key for each transaction, and the same for its repetitions."
        case .tooManyTransactions: "Cancel transactions that nobody waits for, or wait until they expire."
        case .credentialRefused:
            "Check client id, secret and the client's scope “\(WalletTransactions.scope)” (walletauth client show)."
        case .temporarilyUnavailable: "Repeat the call later, with the same idempotency key."
        case .waitingCancelled: "Read the transaction again when its state matters."
        case .notSigned: "Deliver nothing. Wait for the signature, or create another transaction."
        case .otherContent: "Deliver nothing, and find out why the request and the signed payload differ."
        case .worthlessEvidence:
            "Deliver nothing. Check the audit keys (walletauth audit key) and where the document is from."
        case .malformedAnswer: "Check the issuer's URL, and what stands between this backend and the server."
        case .refused: "See the code in the protocol's section on transactions."
        }
    }

    /// The reason, and what to do about it.
    public var description: String { "\(reason). \(advice)" }
}

extension TransactionCallError {
    /// What to answer an app or a page with: 404, 409 and 429 for what it can do something about, 503 for what may be tried later,
    /// and 500 for what is this backend's own affair.
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
            var json = Problem(status: 409, code: "transaction_over", title: "The transaction is over").json
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
                503, "temporarily_unavailable", "The transaction cannot be looked at now",
                retryAfter: retryAfter ?? .seconds(5))
        default: return problem(500, "server_error", "The transaction could not be handled")
        }
    }
}
