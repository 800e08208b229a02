internal import WalletAuthWire

/// Whether a failed call may have changed anything at the authorization server.
public enum CallCertainty: Hashable, Sendable {
    /// The server refused, or nothing was sent: nothing has changed.
    case nothingHappened
    /// The call may have taken effect. Repeat it with the same idempotency key to find out.
    case unknown
}

/// A failed backend call, before it becomes an error of a public API.
struct CallFailure: Error {
    enum Kind: Hashable {
        /// The server refused the call and named a code.
        case refused(code: String)
        /// The server rejects this backend's credential, or doesn't allow it this call.
        case credentialRefused
        /// The server cannot be reached or cannot answer right now, or its answer was lost.
        case temporarilyUnavailable
        /// The server's answer violates the protocol.
        case malformedAnswer
    }

    let kind: Kind
    var certainty: CallCertainty
    let retryAfter: Duration?
    let traceID: String?
    /// Diagnostic text for the backend's log.
    let reason: String
    /// The problem document of a refusal.
    let problem: JSONObject?

    init(
        _ kind: Kind, _ certainty: CallCertainty = .nothingHappened, retryAfter: Duration? = nil,
        traceID: String? = nil, reason: String, problem: JSONObject? = nil
    ) {
        self.kind = kind
        self.certainty = certainty
        self.retryAfter = retryAfter
        self.traceID = traceID
        self.reason = reason
        self.problem = problem
    }

    /// Creates the failure for a refusal.
    ///
    /// - Parameter answer: an answer whose status is not 2xx.
    init(_ answer: OutboundResponse) {
        let object = answer.object
        let problem = object.map { Problem($0) }
        let kind: Kind =
            switch (answer.status, problem?.code) {
            case (401, _): .credentialRefused
            case (400...499, let named?) where !named.isEmpty: .refused(code: named)
            case (403, _): .credentialRefused
            default: .malformedAnswer
            }
        self.init(
            kind, retryAfter: answer.retryAfter, traceID: answer.traceID,
            reason: "the server returned \(answer.status) \(problem?.code ?? "") \(problem?.detail ?? "")",
            problem: object)
    }

    /// The same failure of a call whose earlier attempts have this certainty.
    ///
    /// A refusal that names a code answers them too: the server repeats the answer to a call that took effect. A
    /// rejected credential does not, and neither does a missing answer.
    func after(_ earlier: CallCertainty) -> CallFailure {
        if case .refused = kind { return self }
        var failure = self
        if earlier == .unknown { failure.certainty = .unknown }
        return failure
    }
}
