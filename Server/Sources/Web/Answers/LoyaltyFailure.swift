package import WalletAuthWire

/// A failure of the loyalty API: `{"result":"failure","errorCode","errorMessage","errorsByField"}`.
package struct LoyaltyFailure: Error, Hashable, Sendable {
    package var code: LoyaltyErrorCode
    /// `errorMessage`: for developers, in English.
    package var message: String
    /// `errorsByField`: the rejected fields, each with its reasons.
    package var fields: [LoyaltyFieldError]
    /// The seconds until another try makes sense, for the `Retry-After` header.
    package var retryAfter: Int64?
    /// The sentence for the log, which may say more than the response.
    package var loggedReason: String

    /// - Parameter message: one sentence; `nil` for the code's own.
    package init(
        _ code: LoyaltyErrorCode, _ message: String? = nil, fields: [LoyaltyFieldError] = [], retryAfter: Int64? = nil
    ) {
        self.code = code
        self.message = message ?? code.explanation
        loggedReason = self.message
        self.fields = fields
        self.retryAfter = retryAfter
    }

    /// The message names each of the rejected fields.
    /// - Parameter fields: at least one.
    package static func fields(_ fields: [LoyaltyFieldError]) -> LoyaltyFailure {
        let faults = fields.map { "\($0.name) \($0.reason.explanation)" }.joined(separator: "; ")
        return LoyaltyFailure(
            .invalidFields, "\(LoyaltyErrorCode.invalidFields.explanation.dropLast()): \(faults).", fields: fields)
    }

    package static func field(_ name: String, _ reason: LoyaltyFieldError.Reason) -> LoyaltyFailure {
        fields([LoyaltyFieldError(name, reason)])
    }

    /// A malformed request.
    package init(_ fault: MalformedValue) { self.init(.invalidRequest, "\(fault.description).") }

    package var json: JSONObject {
        var object = JSONObject()
        object.set("result", "failure")
        object.set("errorCode", code.rawValue)
        object.set("errorMessage", message)
        guard !fields.isEmpty else { return object }
        var byField = JSONObject()
        for field in fields {
            byField[field.name] = .strings((byField[field.name]?.strings ?? []) + [field.reason.rawValue])
        }
        object["errorsByField"] = .object(byField)
        return object
    }
}

/// A rejected field, and the reason.
package struct LoyaltyFieldError: Hashable, Sendable {
    /// The reason a field is rejected.
    package enum Reason: String, Hashable, Sendable, CaseIterable {
        case required
        case invalid
        /// A client may not set it.
        case notAccepted = "not_accepted"
        /// Another account has it.
        case taken
        case tooShort = "too_short"
        case tooLong = "too_long"
        case tooCommon = "too_common"
        /// It is in a list of breached ones.
        case breached
        case exactlyOne = "exactly_one"

        /// The reason in words, after the field's name.
        var explanation: String {
            switch self {
            case .required: "is required"
            case .invalid: "is not valid"
            case .notAccepted: "is not accepted here"
            case .taken: "is taken"
            case .tooShort: "is too short"
            case .tooLong: "is too long"
            case .tooCommon: "is too common"
            case .breached: "is in a list of stolen passwords"
            case .exactlyOne: "must have exactly one value"
            }
        }
    }

    package var name: String
    package var reason: Reason

    package init(_ name: String, _ reason: Reason) {
        self.name = name
        self.reason = reason
    }
}

extension LoyaltyFailure: WireShaped {
    package static let shape = WireShape.answer(
        LoyaltyFailure.self,
        [
            .required("result", .choice(["failure"])),
            .required("errorCode", .choice(LoyaltyErrorCode.allCases.map(\.rawValue))),
            .required("errorMessage", .text(nil)),
            .optional("errorsByField", .names(.array(.choice(LoyaltyFieldError.Reason.allCases.map(\.rawValue))))),
        ])
}
