internal import WalletAuthWire

/// Why a wallet operation could not be asked for or carried out.
public struct OperationRefusal: Error, Hashable, Sendable {
    /// The stable name of what happened: a code of the server's, or one of those below. New ones may be added.
    public struct Code: Hashable, Sendable, RawRepresentable {
        /// The name.
        public let rawValue: String

        /// Names what happened.
        /// - Parameter rawValue: the name.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// The stable name of what happened.
    public let code: Code
    /// What is known of the server's state. While it is ``CallCertainty/unknown`` no money may move, and none may be refused
    /// for good.
    public let certainty: CallCertainty
    /// After how long another attempt makes sense, where the server said.
    public let retryAfter: Duration?
    /// The server's name for the call in its log.
    public let traceID: String?
    /// For the backend's log.
    public let reason: String
    /// What is wrong with the operation, for the app; nil if it cannot do anything about it.
    let fault: String?

    init(
        _ code: Code, _ certainty: CallCertainty = .nothingHappened, retryAfter: Duration? = nil,
        traceID: String? = nil,
        reason: String, fault: String? = nil
    ) {
        self.code = code
        self.certainty = certainty
        self.retryAfter = retryAfter
        self.traceID = traceID
        self.reason = reason
        self.fault = fault
    }

    init(_ failure: CallFailure) {
        let code: Code =
            switch failure.kind {
            case .refused(let code): Code(rawValue: code)
            case .credentialRefused: .credentialRefused
            case .temporarilyUnavailable: .temporarilyUnavailable
            case .malformedAnswer: .malformedAnswer
            }
        self.init(
            code, failure.certainty, retryAfter: failure.retryAfter, traceID: failure.traceID, reason: failure.reason,
            fault: code == .badRequest ? failure.problem?["detail"]?.string : nil)
    }
}

extension OperationRefusal.Code {
    /// It is no operation that can be asked for: it contradicts its type, or has text with nothing to see.
    public static let badRequest = Self(rawValue: "bad_request")
    /// The operation was carried out already.
    public static let scaAlreadyUsed = Self(rawValue: "sca_already_used")
    /// Nobody has agreed to it, or the event is over.
    public static let scaNotVerified = Self(rawValue: "sca_not_verified")
    /// What is to be carried out is not what the person agreed to, or the person is another.
    public static let operationChanged = Self(rawValue: "operation_changed")
    /// Too many wrong values were given for it.
    public static let operationLocked = Self(rawValue: "operation_locked")
    /// Nobody agreed to it, or carried it out, in time.
    public static let operationExpired = Self(rawValue: "operation_expired")
    /// It was taken back, or the person refused it.
    public static let operationCancelled = Self(rawValue: "operation_cancelled")
    /// The person's session has ended since.
    public static let sessionNotFound = Self(rawValue: "session_not_found")
    /// The person trusts as many payees as they can.
    public static let trustedPayeesFull = Self(rawValue: "trusted_payees_full")
    /// The payee is not on the person's list of trusted payees: nothing was taken off it.
    public static let trustedPayeeNotFound = Self(rawValue: "trusted_payee_not_found")
    /// The person began no such series.
    public static let seriesNotFound = Self(rawValue: "series_not_found")
    /// The person has ended the series that the payment was of.
    public static let seriesEnded = Self(rawValue: "series_ended")
    /// The exemption by which the payment had passed applies no more: it has to be asked for anew.
    public static let exemptionOver = Self(rawValue: "exemption_over")
    /// The server does not take this backend's credential, or not for this.
    public static let credentialRefused = Self(rawValue: "credential_refused")
    /// The server cannot be reached, cannot answer now, or its answer was lost.
    public static let temporarilyUnavailable = Self(rawValue: "temporarily_unavailable")
    /// The server answered something that is not of the contract.
    public static let malformedAnswer = Self(rawValue: "malformed_answer")
}

extension OperationRefusal {
    /// What to answer the app with: 400 for what nobody can be asked to agree to, 409 for what the person has to begin again, 503
    /// for what may be tried later, and 500 for what is this backend's own affair.
    public var answer: ProblemAnswer {
        let conflicts: [Code: String] = [
            .scaAlreadyUsed: "The operation was carried out already",
            .scaNotVerified: "The person has not agreed to the operation",
            .operationChanged: "The operation is not the one that the person agreed to",
            .operationLocked: "Too many wrong values were given for the operation",
            .operationExpired: "The time to agree to the operation is over",
            .operationCancelled: "The operation was taken back",
            .sessionNotFound: "The person's session has ended since the operation was asked for",
            .trustedPayeesFull: "The person trusts as many payees as they can",
            .trustedPayeeNotFound: "The payee is not on the person's list of trusted payees",
            .seriesNotFound: "The person began no such series of payments",
            .seriesEnded: "The person has ended the series of payments",
            .exemptionOver: "The payment needs the person's consent by now",
        ]
        if let title = conflicts[code] {
            return ProblemAnswer(Problem(status: 409, code: code.rawValue, title: title))
        }
        if code == .badRequest {
            return ProblemAnswer(
                Problem(
                    status: 400, code: code.rawValue, title: "Nobody can be asked to agree to this operation",
                    detail: fault))
        }
        guard code == .temporarilyUnavailable else {
            return ProblemAnswer(
                Problem(status: 500, code: "server_error", title: "The operation could not be checked"))
        }
        let seconds = max(1, retryAfter?.components.seconds ?? 5)
        return ProblemAnswer(
            Problem(status: 503, code: code.rawValue, title: "The operation cannot be checked now"),
            headers: [HeaderField("Retry-After", String(seconds))])
    }
}
