internal import WalletAuthTransport
internal import WalletAuthWire

/// The reason a wallet operation could not be created or carried out.
public struct OperationRefusal: Error, Hashable, Sendable, CallRefusal {
    /// The stable name of a refusal: one of the server's codes, or one of those below. New ones may be added.
    public struct Code: Hashable, Sendable, RawRepresentable {
        /// The name.
        public let rawValue: String

        /// Creates a code.
        ///
        /// - Parameter rawValue: the name.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// The stable name of the refusal.
    public let code: Code
    /// Whether the call may have taken effect. While it is ``CallCertainty/unknown``, move no money and don't refuse
    /// the payment for good.
    public let certainty: CallCertainty
    /// How long to wait before another attempt, if the server said so.
    public let retryAfter: Duration?
    /// The server's trace id.
    public let traceID: String?
    /// Diagnostic text for the backend's log.
    public let reason: String
    /// The error in the operation, for the app; nil if the app cannot correct it.
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

extension OperationRefusal: CustomStringConvertible {
    /// Code and reason on one line, for the log, with the trace id, and whether the call may have taken effect.
    public var description: String {
        var line = "\(code.rawValue): \(reason)".asServerWords
        if certainty == .unknown { line += " (it may have taken effect)" }
        if let traceID { line += " [trace \(traceID)]" }
        return line
    }
}

extension OperationRefusal.Code {
    /// The operation is invalid: it contradicts its type, or contains text with no visible characters.
    public static let badRequest = Self(rawValue: "bad_request")
    /// The operation was carried out already.
    public static let scaAlreadyUsed = Self(rawValue: "sca_already_used")
    /// The person has not given consent.
    public static let scaNotVerified = Self(rawValue: "sca_not_verified")
    /// The operation differs from the one that the person agreed to, or it is another person's.
    public static let operationChanged = Self(rawValue: "operation_changed")
    /// Too many wrong values were entered for it.
    public static let operationLocked = Self(rawValue: "operation_locked")
    /// The person did not consent in time, or the operation was not carried out in time.
    public static let operationExpired = Self(rawValue: "operation_expired")
    /// The operation was cancelled, or the person declined it.
    public static let operationCancelled = Self(rawValue: "operation_cancelled")
    /// The person's session has ended since.
    public static let sessionNotFound = Self(rawValue: "session_not_found")
    /// The person's account was closed since, or is none of this backend's brand.
    public static let accountNotFound = Self(rawValue: "account_not_found")
    /// The operation needs consent, and the person's app may not ask for it, because the server has it as a third-party app.
    public static let appNotFirstParty = Self(rawValue: "app_not_first_party")
    /// The person has reached the limit of trusted payees.
    public static let trustedPayeesFull = Self(rawValue: "trusted_payees_full")
    /// The payee is not on the person's list of trusted payees, so nothing was removed.
    public static let trustedPayeeNotFound = Self(rawValue: "trusted_payee_not_found")
    /// The person did not start this series.
    public static let seriesNotFound = Self(rawValue: "series_not_found")
    /// The person has ended the payment's series.
    public static let seriesEnded = Self(rawValue: "series_ended")
    /// The exemption that let the payment through no longer applies. Create the operation again.
    public static let exemptionOver = Self(rawValue: "exemption_over")
    /// The server rejects this backend's credential, or doesn't allow it wallet operations.
    public static let credentialRefused = Self(rawValue: "credential_refused")
    /// The server cannot be reached or cannot answer right now, or its answer was lost.
    public static let temporarilyUnavailable = Self(rawValue: "temporarily_unavailable")
    /// The server's answer violates the protocol.
    public static let malformedAnswer = Self(rawValue: "malformed_answer")
}

extension OperationRefusal {
    /// The response for the app: 400 for an operation that cannot be shown for consent, 409 if the person must start
    /// again, or cannot pay with this account or app, 503 if a later attempt may succeed, and 500 for problems of this backend.
    public var answer: ProblemAnswer {
        let conflicts: [Code: String] = [
            .scaAlreadyUsed: "The operation has already been carried out",
            .scaNotVerified: "The person has not agreed to the operation",
            .operationChanged: "The operation is not the one that the person agreed to",
            .operationLocked: "There were too many wrong attempts to approve the operation",
            .operationExpired: "The operation was not approved in time",
            .operationCancelled: "The operation was refused or withdrawn",
            .sessionNotFound: "The person's session has ended since the operation was created",
            .accountNotFound: "The person's account is closed",
            .appNotFirstParty: "The person cannot approve the operation in this app",
            .trustedPayeesFull: "The person has reached the limit of trusted payees",
            .trustedPayeeNotFound: "The payee is not on the person's list of trusted payees",
            .seriesNotFound: "The person did not start this series of payments",
            .seriesEnded: "The person has ended the series of payments",
            .exemptionOver: "The payment now needs the person's consent",
        ]
        if let title = conflicts[code] {
            return ProblemAnswer(Problem(status: 409, code: code.rawValue, title: title))
        }
        if code == .badRequest {
            return ProblemAnswer(
                Problem(
                    status: 400, code: code.rawValue,
                    title: "The operation is invalid and cannot be shown to the person",
                    detail: fault))
        }
        guard code == .temporarilyUnavailable else {
            return ProblemAnswer(
                Problem(status: 500, code: "server_error", title: "The operation could not be checked"))
        }
        let seconds = max(1, retryAfter?.components.seconds ?? 5)
        return ProblemAnswer(
            Problem(status: 503, code: code.rawValue, title: "The operation cannot be checked right now"),
            headers: [HeaderField("Retry-After", String(seconds))])
    }
}

extension OperationRefusal.Code: CustomStringConvertible {
    /// The name.
    public var description: String { rawValue }
}
