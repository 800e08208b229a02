/// The app's answer to a challenge (`POST /v1/sca/events/{eventId}/attempts`).
public struct SCAAttemptRequest: Hashable, Sendable {
    /// The operation; must be the event's.
    public var operationID: WalletOperationID
    /// The way that was challenged.
    public var verification: SCAVerification
    /// A code, or a device's assertion; nil for ``SCAChannel/redirect`` and ``SCAChannel/pushNotification``, when the app asks
    /// for the result of the hosted page or of the other device.
    public var value: SCAValue?

    /// Creates an answer. Each parameter sets the property of the same name.
    public init(operationID: WalletOperationID, verification: SCAVerification, value: SCAValue?) {
        self.operationID = operationID
        self.verification = verification
        self.value = value
    }

    /// Reads a request's JSON. Unknown members are refused.
    /// - Parameter object: the body.
    public init(_ object: JSONObject) throws(MalformedValue) {
        try object.refuseMembers(otherThan: Self.shape)
        operationID = try object.required("walletOperationId", object.value("walletOperationId"))
        verification = try .member(of: object)
        let text = try object.string("value") ?? ""
        value = try text.isEmpty ? nil : SCAValue(text, by: verification)
        guard (value == nil) == verification.isProvedElsewhere else {
            throw MalformedValue(
                field: "value",
                reason: value == nil ? "is missing" : "belongs on the hosted page or the other device, not here")
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

/// The status of an attempt.
public enum SCAAttemptStatus: String, Hashable, Sendable, Codable, CaseIterable {
    /// The consent is complete: the operation can be repeated.
    case verified = "VERIFIED"
    /// The consent is not complete; the reason says why.
    case failed = "FAILED"
}

/// The reason for an attempt's status.
public enum SCAAttemptReason: String, Hashable, Sendable, Codable, CaseIterable {
    /// The value was right, and nothing is missing.
    case valid = "VALID"
    /// The value was right, and a factor of another category is still needed: challenge another verification.
    case additionalFactorRequired = "ADDITIONAL_FACTOR_REQUIRED"
    /// The value was wrong. It cost one try, except for a passkey of another account.
    case invalidValue = "INVALID_VALUE"
    /// The code has expired: send another. It cost nothing.
    case codeExpired = "CODE_EXPIRED"
    /// The code of the authenticator app was used before: wait until the app shows the next one. It cost nothing.
    case codeUsed = "CODE_USED"
    /// This way was not challenged. It cost nothing.
    case notChallenged = "NOT_CHALLENGED"
}

/// The result of an attempt for the app.
public struct SCAAttemptResponse: WireMessage {
    /// The status.
    public var status: SCAAttemptStatus
    /// The reason.
    public var reason: SCAAttemptReason
    /// How many wrong values the event still allows.
    public var remainingAttempts: Int64
    /// The ways that would complete the consent, with ``SCAAttemptReason/additionalFactorRequired``.
    public var availableVerifications: [AvailableVerification]

    /// Creates a value. Each parameter sets the property of the same name.
    public init(
        status: SCAAttemptStatus, reason: SCAAttemptReason, remainingAttempts: Int64,
        availableVerifications: [AvailableVerification] = []
    ) {
        self.status = status
        self.reason = reason
        self.remainingAttempts = remainingAttempts
        self.availableVerifications = availableVerifications
    }

    enum CodingKeys: String, CodingKey {
        case status
        case reason = "statusReason"
        case remainingAttempts, availableVerifications
    }

    /// No further verification.
    public static var defaults: [String: JSONValue] { ["availableVerifications": []] }
}

/// An answer to an SCA challenge: a typed code, or a ``SignedAssertion``.
public typealias SCAValue = Secret<SecretKinds.SCAValue>

extension Secret where Kind == SecretKinds.SCAValue {
    /// Validates an answer. A code is read as people type codes; an assertion stays as it is.
    /// - Parameters:
    ///   - text: the received text.
    ///   - verification: the way that was challenged.
    /// - Throws: ``MalformedValue`` with the rule, never the text.
    public init(_ text: String, by verification: SCAVerification) throws(MalformedValue) {
        let code = verification.method == .otp ? TypedCode.normalized(text) : text
        try self.init(code.isEmpty ? text : code)
    }
}

extension SecretKinds {
    /// ``WalletAuthWire/SCAValue``.
    public enum SCAValue: SecretKind {
        /// `value`.
        public static let field = "value"
        /// An assertion is the longest; people type spaces into codes.
        public static var form: TextForm { .visible(1...8192, spaces: true) }
    }
}

extension SCAAttemptRequest: WireShaped {
    /// Its members.
    public static let shape = WireShape.request(
        SCAAttemptRequest.self,
        [
            .required("walletOperationId", .of(WalletOperationID.self)),
            .required("verification", SCAVerification.shape),
            .optional("value", .text(.printable(0...8192))),
        ])
}
