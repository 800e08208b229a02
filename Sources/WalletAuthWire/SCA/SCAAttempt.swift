/// The app answers a challenge (`POST /v1/sca/events/{eventId}/attempts`).
public struct SCAAttemptRequest: Hashable, Sendable {
    /// The operation, which has to be the event's.
    public var operationID: WalletOperationID
    /// The way that was challenged.
    public var verification: SCAVerification
    /// A code, or a device's assertion; nil for ``SCAChannel/redirect``, where the hosted page was answered and the app asks
    /// what came of it.
    public var value: SCAValue?

    /// Answers. Each parameter is the property of its name.
    public init(operationID: WalletOperationID, verification: SCAVerification, value: SCAValue?) {
        self.operationID = operationID
        self.verification = verification
        self.value = value
    }

    /// Reads a request's JSON. Members that are not known are refused.
    /// - Parameter object: the body.
    public init(_ object: JSONObject) throws(MalformedValue) {
        try object.refuseMembers(otherThan: ["walletOperationId", "verification", "value"])
        operationID = try object.required("walletOperationId", object.value("walletOperationId"))
        verification = try .member(of: object)
        value = try object.string("value") == "" ? nil : object.secret("value")
        guard (value == nil) == (verification.channel == .redirect) else {
            throw MalformedValue(
                field: "value", reason: value == nil ? "is missing" : "belongs on the hosted page, not here")
        }
    }

    /// The request's JSON.
    public var json: JSONObject {
        var object = JSONObject()
        object.set("walletOperationId", operationID)
        object["verification"] = .object(verification.json)
        object.set("value", value?.reveal() ?? "")
        return object
    }
}

/// What came of an attempt.
public enum SCAAttemptStatus: String, Hashable, Sendable, Codable, CaseIterable {
    /// The consent is complete: the operation can be repeated.
    case verified = "VERIFIED"
    /// It is not, for the reason beside.
    case failed = "FAILED"
}

/// Why an attempt came out as it did.
public enum SCAAttemptReason: String, Hashable, Sendable, Codable, CaseIterable {
    /// The value was right, and nothing is missing.
    case valid = "VALID"
    /// The value was right, and a factor of another category is needed as well: challenge another verification.
    case additionalFactorRequired = "ADDITIONAL_FACTOR_REQUIRED"
    /// The value was wrong. It cost one of the tries.
    case invalidValue = "INVALID_VALUE"
    /// The code is too old: have another one sent. It cost nothing.
    case codeExpired = "CODE_EXPIRED"
    /// This way was not challenged. It cost nothing.
    case notChallenged = "NOT_CHALLENGED"
}

/// What the app is told of an attempt.
public struct SCAAttemptResponse: Hashable, Sendable {
    /// What came of it.
    public var status: SCAAttemptStatus
    /// Why.
    public var reason: SCAAttemptReason
    /// How many wrong values the event still bears.
    public var remainingAttempts: Int64
    /// What is still needed, beside ``SCAAttemptReason/additionalFactorRequired``.
    public var availableVerifications: [AvailableVerification]

    /// Each parameter is the property of its name.
    public init(
        status: SCAAttemptStatus, reason: SCAAttemptReason, remainingAttempts: Int64,
        availableVerifications: [AvailableVerification] = []
    ) {
        self.status = status
        self.reason = reason
        self.remainingAttempts = remainingAttempts
        self.availableVerifications = availableVerifications
    }

    /// Reads an answer's JSON.
    /// - Parameter object: the body.
    public init(_ object: JSONObject) throws(MalformedValue) {
        guard let status = SCAAttemptStatus(rawValue: try object.required("status", object.string("status"))),
            let reason = SCAAttemptReason(rawValue: try object.required("statusReason", object.string("statusReason")))
        else { throw MalformedValue(field: "status", reason: "is not known here") }
        self.status = status
        self.reason = reason
        remainingAttempts = try object.required("remainingAttempts", object.integer("remainingAttempts"))
        availableVerifications = try AvailableVerification.list(in: object)
    }

    /// The answer's JSON.
    public var json: JSONObject {
        var object = JSONObject()
        object.set("status", status.rawValue)
        object.set("statusReason", reason.rawValue)
        object.set("remainingAttempts", remainingAttempts)
        if !availableVerifications.isEmpty {
            object["availableVerifications"] = .array(availableVerifications.map { .object($0.json) })
        }
        return object
    }
}
