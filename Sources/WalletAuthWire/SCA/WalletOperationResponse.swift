/// The state of an operation.
public enum WalletOperationStatus: String, Hashable, Sendable, Codable, CaseIterable {
    /// The person must agree first.
    case scaRequired = "SCA_REQUIRED"
    /// It may be carried out without SCA.
    case exempt = "EXEMPT"
    /// The person agreed; it may be carried out, once.
    case verified = "VERIFIED"
    /// It was carried out.
    case authorized = "AUTHORIZED"
    /// Too many wrong values.
    case failed = "FAILED"
    /// Its backend withdrew it, or the person refused it.
    case cancelled = "CANCELLED"
    /// The person did not agree in time, or the backend did not use the consent in time.
    case expired = "EXPIRED"
}

/// An exemption from SCA, by its article of Delegated Regulation (EU) 2018/389 (RTS).
public enum SCAExemption: String, Hashable, Sendable, Codable, CaseIterable {
    /// Article 10: access to the account's information.
    case accountInformation = "ACCOUNT_INFORMATION"
    /// Article 13: a trusted beneficiary.
    case trustedBeneficiary = "TRUSTED_BENEFICIARY"
    /// Article 14: a recurring payment.
    case recurring = "RECURRING"
    /// Article 15: between accounts of the same person.
    case ownAccount = "OWN_ACCOUNT"
    /// Article 16: a low value.
    case lowValue = "LOW_VALUE"
    /// Article 18: a low risk by analysis.
    case riskAnalysis = "RISK_ANALYSIS"

    /// The article's number.
    public var article: Int {
        switch self {
        case .accountInformation: 10
        case .trustedBeneficiary: 13
        case .recurring: 14
        case .ownAccount: 15
        case .lowValue: 16
        case .riskAnalysis: 18
        }
    }
}

/// The decision about one exemption.
public struct ExemptionFinding: Hashable, Sendable {
    /// The exemption; nil for the operator's own rule for operations that need no SCA by their kind.
    public var exemption: SCAExemption?
    /// Whether it is granted.
    public var isGranted: Bool
    /// The reason, in words for the backend's developer and for an auditor.
    public var reason: String

    /// Creates a finding.
    /// - Parameters:
    ///   - exemption: the exemption; nil for the operator's own rule.
    ///   - isGranted: whether it is granted.
    ///   - reason: the reason.
    public init(_ exemption: SCAExemption?, isGranted: Bool, reason: String) {
        self.exemption = exemption
        self.isGranted = isGranted
        self.reason = reason
    }

    /// Findings as JSON, for storage.
    /// - Parameter findings: the findings.
    public static func json(_ findings: [ExemptionFinding]) -> JSONValue { .array(findings.map { .object($0.json) }) }

    /// Reads stored findings.
    /// - Parameter bytes: the output of ``json(_:)``.
    public static func list(parsing bytes: [UInt8]) throws(MalformedValue) -> [ExemptionFinding] {
        var object = JSONObject()
        object["findings"] = try JSONValue(parsing: bytes)
        return try list(in: object)
    }

    static func list(in object: JSONObject) throws(MalformedValue) -> [ExemptionFinding] {
        try (object.objects("findings") ?? []).map(ExemptionFinding.init)
    }

    init(_ object: JSONObject) throws(MalformedValue) {
        let name = try object.string("exemption")
        exemption = name.flatMap(SCAExemption.init)
        isGranted = try object.required("granted", object.bool("granted"))
        reason = try object.required("reason", object.string("reason"))
    }

    var json: JSONObject {
        var object = JSONObject()
        object.set("exemption", exemption?.rawValue)
        object.set("article", exemption.map { Int64($0.article) })
        object["granted"] = .bool(isGranted)
        object.set("reason", reason)
        return object
    }
}

/// A backend's view of its operation.
public struct WalletOperationResponse: Hashable, Sendable {
    /// The operation's name.
    public var id: WalletOperationID
    /// Its state.
    public var status: WalletOperationStatus
    /// The event of the consent, if SCA is required.
    public var eventID: SCAEventID?
    /// The ways to agree.
    public var availableVerifications: [AvailableVerification]
    /// The granted exemption; nil together with ``WalletOperationStatus/exempt`` for the operator's own rule.
    public var exemption: SCAExemption?
    /// The decisions about all enabled exemptions.
    public var findings: [ExemptionFinding]
    /// Until when the person may agree and the backend may carry it out.
    public var expiresAt: NumericDate

    /// Creates a value. Each parameter sets the property of the same name.
    public init(
        id: WalletOperationID, status: WalletOperationStatus, eventID: SCAEventID?,
        availableVerifications: [AvailableVerification], exemption: SCAExemption?, findings: [ExemptionFinding],
        expiresAt: NumericDate
    ) {
        self.id = id
        self.status = status
        self.eventID = eventID
        self.availableVerifications = availableVerifications
        self.exemption = exemption
        self.findings = findings
        self.expiresAt = expiresAt
    }

    /// Reads an answer's JSON.
    /// - Parameter object: the body.
    public init(_ object: JSONObject) throws(MalformedValue) {
        id = try object.required("walletOperationId", object.value("walletOperationId"))
        status = try object.required("status", object.named("status"))
        eventID = try object.value("eventId")
        availableVerifications = try AvailableVerification.list(in: object)
        exemption = try object.string("exemption").flatMap(SCAExemption.init)
        findings = try ExemptionFinding.list(in: object)
        expiresAt = try object.required("expiresAt", object.date("expiresAt"))
    }

    /// The answer's JSON.
    public var json: JSONObject {
        var object = JSONObject()
        object.set("walletOperationId", id)
        object.set("status", status.rawValue)
        object.set("eventId", eventID)
        if eventID != nil {
            object["availableVerifications"] = .array(availableVerifications.map { .object($0.json) })
        }
        object.set("exemption", exemption?.rawValue)
        if !findings.isEmpty { object["findings"] = .array(findings.map { .object($0.json) }) }
        object.set("expiresAt", expiresAt)
        return object
    }
}

extension AvailableVerification {
    /// The member `availableVerifications`. Unknown ways are left out: an app cannot offer them, and newer servers may
    /// add some.
    static func list(in object: JSONObject) throws(MalformedValue) -> [AvailableVerification] {
        try (object.objects("availableVerifications") ?? []).compactMap { try? AvailableVerification($0) }
    }
}

/// The authorization to carry out an operation.
public struct OperationAuthorization: WireMessage {
    private var status = WalletOperationStatus.authorized
    /// The proof that this operation was authorized: a JWS over it (``AuthenticationCodeClaims``). Keep it.
    public var authenticationCode: AuthenticationCode

    /// Creates an authorization.
    /// - Parameter authenticationCode: the proof.
    public init(authenticationCode: AuthenticationCode) { self.authenticationCode = authenticationCode }

    /// Refuses any other status.
    public func validate() throws(MalformedValue) {
        guard status == .authorized else { throw MalformedValue(field: "status", reason: "is not AUTHORIZED") }
    }
}

extension ExemptionFinding: WireShaped {
    /// Its members.
    public static let shape = WireShape.answer(
        ExemptionFinding.self,
        [
            .optional("exemption", .of(SCAExemption.self)), .optional("article", .integer(1...40)),
            .required("granted", .truth), .required("reason", .text(nil)),
        ])
}

extension WalletOperationResponse: WireShaped {
    /// Its members.
    public static let shape = WireShape.answer(
        WalletOperationResponse.self,
        [
            .required("walletOperationId", .of(WalletOperationID.self)),
            .required("status", .of(WalletOperationStatus.self)), .optional("eventId", .of(SCAEventID.self)),
            .optional("availableVerifications", .array(AvailableVerification.shape)),
            .optional("exemption", .of(SCAExemption.self)), .optional("findings", .array(ExemptionFinding.shape)),
            .required("expiresAt", .date),
        ])
}
