/// A failure of the loyalty API: `{"result":"failure","errorCode","errorMessage","errorsByField"}`.
public struct LoyaltyFailure: Error, Hashable, Sendable {
    /// The reason.
    public var code: LoyaltyErrorCode
    /// `errorMessage`: for developers, in English.
    public var message: String
    /// `errorsByField`: the rejected fields, each with its reasons.
    public var fields: [LoyaltyFieldError]
    /// The seconds until another try makes sense, for the `Retry-After` header.
    public var retryAfter: Int64?

    /// Creates a failure.
    /// - Parameters:
    ///   - code: the reason.
    ///   - message: one sentence; nil for the code's own.
    ///   - fields: the rejected fields.
    ///   - retryAfter: seconds.
    public init(
        _ code: LoyaltyErrorCode, _ message: String? = nil, fields: [LoyaltyFieldError] = [], retryAfter: Int64? = nil
    ) {
        self.code = code
        self.message = message ?? code.explanation
        self.fields = fields
        self.retryAfter = retryAfter
    }

    /// Creates a failure for rejected fields, whose message names each of them.
    /// - Parameter fields: at least one.
    public static func fields(_ fields: [LoyaltyFieldError]) -> LoyaltyFailure {
        let faults = fields.map { "\($0.name) \($0.reason.explanation)" }.joined(separator: "; ")
        return LoyaltyFailure(
            .invalidFields, "\(LoyaltyErrorCode.invalidFields.explanation.dropLast()): \(faults).", fields: fields)
    }

    /// Creates a failure for one rejected field.
    public static func field(_ name: String, _ reason: LoyaltyFieldError.Reason) -> LoyaltyFailure {
        fields([LoyaltyFieldError(name, reason)])
    }

    /// A malformed request.
    init(_ fault: MalformedValue) { self.init(.invalidRequest, "\(fault.description).") }

    /// `result` of every failure.
    public static let result = "failure"

    /// Reads an answer.
    /// - Parameter object: the body.
    /// - Throws: ``MalformedValue`` if it is not a failure, or an unknown one.
    public init(_ object: JSONObject) throws(MalformedValue) {
        guard object["result"]?.string == Self.result else {
            throw MalformedValue(field: "result", reason: "is not failure")
        }
        code = try object.required("errorCode", object.named("errorCode"))
        message = try object.string("errorMessage") ?? code.explanation
        fields =
            try object.object("errorsByField")?.members.flatMap { member in
                (member.value.strings ?? []).compactMap(LoyaltyFieldError.Reason.init).map {
                    LoyaltyFieldError(member.name, $0)
                }
            } ?? []
    }

    /// The answer's members.
    public var json: JSONObject {
        var object = JSONObject()
        object.set("result", Self.result)
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
public struct LoyaltyFieldError: Hashable, Sendable {
    /// The reason a field is rejected.
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        /// It is required.
        case required
        /// Its form is wrong.
        case invalid
        /// A client may not set it.
        case notAccepted = "not_accepted"
        /// Another account has it.
        case taken
        /// It is too short.
        case tooShort = "too_short"
        /// It is too long.
        case tooLong = "too_long"
        /// It is too easy to guess.
        case tooCommon = "too_common"
        /// It is in a list of breached ones.
        case breached
        /// There must be exactly one.
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

    /// The field's name.
    public var name: String
    /// The reason.
    public var reason: Reason

    /// Creates a field error.
    /// - Parameters:
    ///   - name: the field's name.
    ///   - reason: the reason.
    public init(_ name: String, _ reason: Reason) {
        self.name = name
        self.reason = reason
    }
}

/// How a set of fields writes its values.
enum FieldStyle: String {
    /// In their JSON types, or as an array of one.
    case typed
    /// Each as a string.
    case string
}

/// Typed access to the loyalty API's members. Every fault is a ``LoyaltyFailure``.
extension JSONObject {
    /// Runs a reader; its fault is a malformed request.
    func reading<Value>(_ read: (JSONObject) throws(MalformedValue) -> Value) throws(LoyaltyFailure) -> Value {
        do { return try read(self) } catch { throw LoyaltyFailure(error) }
    }

    /// Refuses unknown members, each by its name.
    func refuseFields(otherThan known: Set<String>) throws(LoyaltyFailure) {
        let unknown = members.map(\.name).filter { !known.contains($0) }
        guard !unknown.isEmpty else { return }
        throw .fields(unknown.prefix(16).map { LoyaltyFieldError(Self.shown($0), .notAccepted) })
    }

    /// A name fit for an answer: any other text may attack the client's log.
    private static func shown(_ name: String) -> String {
        TextRule.identifier(name, 1...64) == nil ? name : "unknown"
    }

    /// A field with one text; clients of this API also write it as an array of one, in the typed style.
    func text(ofField name: String, _ style: FieldStyle = .typed) throws(LoyaltyFailure) -> String {
        switch self[name] {
        case nil, .null?: throw .field(name, .required)
        case .string(let text)?: return text
        case .array(let values)? where style == .typed:
            guard values.count == 1, let text = values[0].string else { throw .field(name, .exactlyOne) }
            return text
        default: throw .field(name, .invalid)
        }
    }

    /// `style` of a set of fields.
    func fieldStyle() throws(LoyaltyFailure) -> FieldStyle {
        guard let style = FieldStyle(rawValue: try text(ofField: "style")) else { throw .field("style", .invalid) }
        return style
    }

    /// `authentication` of a backend on its own behalf.
    func requireB2B() throws(LoyaltyFailure) { try requireAuthentication("b2b") }

    /// `authentication`, of which every endpoint has one kind.
    func requireAuthentication(_ required: String) throws(LoyaltyFailure) {
        let kind = try reading { (object) throws(MalformedValue) in
            try object.required("authentication", object.string("authentication"))
        }
        guard kind == required else {
            throw LoyaltyFailure(.unsupportedAuthentication, "The only supported authentication here is \(required).")
        }
    }
}
