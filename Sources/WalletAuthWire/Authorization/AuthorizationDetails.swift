/// What a client asks a person for in detail, besides scopes (RFC 9396).
///
/// Reading is strict: a type that is not known, a member that a type does not have and a value that is malformed are faults, since the
/// person could not be shown what they mean. A payment is asked for alone, so that one consent is to one payment.
public struct AuthorizationDetails: WireValue {
    /// The form of its text.
    public static var form: TextForm {
        .own(
            2...limits.bytes,
            example: """
                [{"type":"payment_initiation","instructedAmount":{"currency":"EUR","amount":"12.50"},\
                "creditorName":"Bakery","creditorAccount":{"iban":"DE89370400440532013000"}}]
                """)
    }

    /// The most that is read: enough for every known type.
    public static let limits = JSONLimits(bytes: 4096, depth: 4)

    /// The most that are read at once.
    public static let maximumCount = 4

    /// The details in the client's order; at least one.
    public let elements: [AuthorizationDetail]

    /// The details as JSON, each value in its one form: the same details are the same text.
    public let rawValue: String

    /// Reads the parameter `authorization_details`.
    /// - Parameter text: a JSON array.
    public init(_ text: String) throws(MalformedValue) {
        try self.init(Self.value(text), isRecorded: false)
    }

    /// Reads details that were granted before, which the rules for requests do not make unreadable: last year's payment names last year's
    /// currency.
    /// - Parameter text: ``rawValue``.
    public init(recorded text: String) throws(MalformedValue) {
        try self.init(Self.value(text), isRecorded: true)
    }

    private static func value(_ text: String) throws(MalformedValue) -> JSONValue {
        do { return try JSONValue(parsing: Array(text.utf8), limits: limits) } catch {
            throw MalformedValue(field: field, reason: "is not acceptable: \(error)")
        }
    }

    /// Reads details that are part of a JSON document, such as a request object.
    /// - Parameter value: an array.
    public init(_ value: JSONValue) throws(MalformedValue) {
        try self.init(value, isRecorded: false)
    }

    /// Reads details that were granted before and are part of a JSON document, such as an access token.
    /// - Parameter value: ``json``.
    public init(recorded value: JSONValue) throws(MalformedValue) {
        try self.init(value, isRecorded: true)
    }

    private init(_ value: JSONValue, isRecorded: Bool) throws(MalformedValue) {
        guard let values = value.array else { throw MalformedValue(field: Self.field, value, expected: "an array") }
        guard (1...Self.maximumCount).contains(values.count) else {
            throw MalformedValue(field: Self.field, reason: "does not have 1 to \(Self.maximumCount) elements")
        }
        var elements: [AuthorizationDetail] = []
        for value in values {
            guard let object = value.object else {
                throw MalformedValue(field: Self.field, element: value, expected: "an object")
            }
            do { elements.append(try AuthorizationDetail(object, isRecorded: isRecorded)) } catch {
                throw error.within(Self.field)
            }
        }
        try self.init(elements)
    }

    /// Creates details.
    /// - Parameter elements: 1 to ``maximumCount``; a payment comes alone.
    public init(_ elements: [AuthorizationDetail]) throws(MalformedValue) {
        guard (1...Self.maximumCount).contains(elements.count) else {
            throw MalformedValue(field: Self.field, reason: "does not have 1 to \(Self.maximumCount) elements")
        }
        guard elements.count == 1 || !elements.contains(where: { $0.payment != nil }) else {
            throw MalformedValue(field: Self.field, reason: "has more than a payment, which is authorized alone")
        }
        self.elements = elements
        var writer = JSONWriter()
        writer.value(.array(elements.map { .object($0.json) }))
        rawValue = String(decoding: writer.bytes, as: UTF8.self)
    }

    /// The details as part of a JSON document: a token response, a claim, an answer of introspection.
    public var json: JSONValue { .array(elements.map { .object($0.json) }) }

    /// The types, each once.
    public var types: Set<String> { Set(elements.map(\.type)) }

    /// The payment, if they are about one.
    public var payment: PaymentInitiation? { elements.first?.payment }

    /// The name of the parameter, the claim and the members.
    public static let field = "authorization_details"
}

/// One of the details that a client asks for. A new type is a case here, and a declaration of its members.
public enum AuthorizationDetail: Hashable, Sendable {
    /// One payment.
    case paymentInitiation(PaymentInitiation)

    /// The types that are known, in the order of the alphabet.
    public static let types = [PaymentInitiation.type]

    /// Reads one of the details.
    /// - Parameter object: its members, with `type`.
    public init(_ object: JSONObject) throws(MalformedValue) {
        try self.init(object, isRecorded: false)
    }

    init(_ object: JSONObject, isRecorded: Bool) throws(MalformedValue) {
        switch try object.required("type", object.string("type")) {
        case PaymentInitiation.type: self = .paymentInitiation(try PaymentInitiation(object, isRecorded: isRecorded))
        default:
            throw MalformedValue(
                field: "type", reason: "is not one of \(Self.types.joined(separator: ", "))")
        }
    }

    /// Its type.
    public var type: String {
        switch self {
        case .paymentInitiation: PaymentInitiation.type
        }
    }

    /// Its members.
    public var json: JSONObject {
        switch self {
        case .paymentInitiation(let payment): payment.json
        }
    }

    /// The payment, if it is one.
    var payment: PaymentInitiation? {
        switch self {
        case .paymentInitiation(let payment): payment
        }
    }
}
