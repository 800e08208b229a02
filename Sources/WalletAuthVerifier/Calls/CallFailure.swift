internal import WalletAuthWire

/// What a failed call to the authorization server says about the server's state.
public enum CallCertainty: Hashable, Sendable {
    /// The server said no, or nothing was sent: nothing has happened.
    case nothingHappened
    /// It may have happened. The same call with the same idempotency key tells.
    case unknown
}

/// A backend's call that did not succeed, before it is put in the words of an API.
struct CallFailure: Error {
    enum Kind: Hashable {
        /// The server refused the call and named a code.
        case refused(code: String)
        /// The server does not take this backend's credential, or not for this.
        case credentialRefused
        /// The server cannot be reached, cannot answer now, or its answer was lost.
        case temporarilyUnavailable
        /// The server answered something that is not of the contract.
        case malformedAnswer
    }

    let kind: Kind
    let certainty: CallCertainty
    let retryAfter: Duration?
    let traceID: String?
    /// For the backend's log.
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

    /// What an answer refuses.
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
            reason: "the server answered \(answer.status) \(problem?.code ?? "") \(problem?.detail ?? "")",
            problem: object)
    }
}
