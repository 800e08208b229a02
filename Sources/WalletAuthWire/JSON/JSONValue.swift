/// An exact JSON value (RFC 8259): integers stay integers, members keep their order, and names are unique.
public enum JSONValue: Hashable, Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number without fraction and exponent that fits in 64 bits.
    case integer(Int64)
    /// A number with a fraction or an exponent, finite.
    case number(Double)
    /// A string of Unicode without lone surrogates.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object.
    case object(JSONObject)
}

extension JSONValue {
    /// The string, or nil if this is something else.
    public var string: String? { if case .string(let value) = self { value } else { nil } }

    /// The integer, or nil if this is anything else, including a number with a fraction.
    public var integer: Int64? { if case .integer(let value) = self { value } else { nil } }

    /// The truth value, or nil if this is something else.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

    /// The elements, or nil if this is something else.
    public var array: [JSONValue]? { if case .array(let value) = self { value } else { nil } }

    /// The object, or nil if this is something else.
    public var object: JSONObject? { if case .object(let value) = self { value } else { nil } }

    /// The strings of an array that contains nothing else, or nil.
    public var strings: [String]? {
        guard let array else { return nil }
        let strings = array.compactMap(\.string)
        return strings.count == array.count ? strings : nil
    }

    /// An array of strings.
    /// - Parameter strings: the elements.
    public static func strings(_ strings: some Sequence<String>) -> JSONValue { .array(strings.map(JSONValue.string)) }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// A string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// An integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// A truth value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// An array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// An object; of a duplicate name, the last value counts.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        var object = JSONObject()
        for (name, value) in elements { object[name] = value }
        self = .object(object)
    }
}
