/// The members of a JSON object in order, with unique names.
///
/// Objects on the wire are small, so searching an array is faster than hashing.
public struct JSONObject: Hashable, Sendable {
    /// One name and its value.
    public struct Member: Hashable, Sendable {
        /// The member's name.
        public let name: String
        /// The member's value.
        public var value: JSONValue
    }

    /// The members in order.
    public private(set) var members: [Member]

    /// Creates an empty object.
    public init() { members = [] }

    /// Creates an object of strings, sorted by name.
    /// - Parameter strings: the members.
    public init(strings: [String: String]) {
        members = strings.sorted { $0.key < $1.key }.map { Member(name: $0.key, value: .string($0.value)) }
    }

    /// Wraps members whose names the parser has found to be unique.
    init(distinct members: [Member]) { self.members = members }

    /// Whether there are no members.
    public var isEmpty: Bool { members.isEmpty }

    /// The names in order.
    public var names: [String] { members.map(\.name) }

    /// A member's value, or nil if there is none. Setting nil removes the member; a new one goes to the end.
    /// - Parameter name: the member's name.
    public subscript(name: String) -> JSONValue? {
        get { place(of: name).map { members[$0].value } }
        set {
            if let index = place(of: name) {
                if let newValue {
                    members[index].value = newValue
                } else {
                    members.remove(at: index)
                }
            } else if let newValue {
                members.append(Member(name: name, value: newValue))
            }
        }
    }

    /// By index: an iteration copies each member, and counts the references of its name and its value.
    private func place(of name: String) -> Int? { members.indices.first { members[$0].name == name } }
}

extension JSONObject {
    /// Sets a string, unless it is nil.
    /// - Parameters:
    ///   - name: the member's name.
    ///   - value: the string, or nil for no member.
    public mutating func set(_ name: String, _ value: String?) { if let value { self[name] = .string(value) } }

    /// Sets an integer, unless it is nil.
    /// - Parameters:
    ///   - name: the member's name.
    ///   - value: the integer, or nil for no member.
    public mutating func set(_ name: String, _ value: Int64?) { if let value { self[name] = .integer(value) } }

    /// Sets a Boolean, unless it is nil.
    /// - Parameters:
    ///   - name: the member's name.
    ///   - value: the value, or nil for no member.
    public mutating func set(_ name: String, _ value: Bool?) { if let value { self[name] = .bool(value) } }

    /// Sets the text of a validated value, unless it is nil.
    /// - Parameters:
    ///   - name: the member's name.
    ///   - value: the value, or nil for no member.
    public mutating func set(_ name: String, _ value: (any WireValue)?) { set(name, value?.rawValue) }

    /// Sets a date in seconds, unless it is nil.
    /// - Parameters:
    ///   - name: the member's name.
    ///   - value: the date, or nil for no member.
    public mutating func set(_ name: String, _ value: NumericDate?) { set(name, value?.secondsSince1970) }

    /// Sets an array of strings, unless it is empty.
    /// - Parameters:
    ///   - name: the member's name.
    ///   - values: the strings; none for no member.
    public mutating func set(_ name: String, _ values: [String]) {
        if !values.isEmpty { self[name] = .strings(values) }
    }
}

extension JSONObject {
    /// A string member. `null` counts as absent.
    /// - Parameter name: the member's name.
    /// - Throws: ``MalformedValue`` if the member is something else than a string.
    public func string(_ name: String) throws(MalformedValue) -> String? {
        guard let value = self[name], value != .null else { return nil }
        guard let string = value.string else { throw MalformedValue(field: name, value, expected: "a string") }
        return string
    }

    /// An integer member. `null` counts as absent.
    /// - Parameter name: the member's name.
    /// - Throws: ``MalformedValue`` if the member is something else than an integer.
    public func integer(_ name: String) throws(MalformedValue) -> Int64? {
        guard let value = self[name], value != .null else { return nil }
        guard let integer = value.integer else { throw MalformedValue(field: name, value, expected: "an integer") }
        return integer
    }

    /// A Boolean member. `null` counts as absent.
    /// - Parameter name: the member's name.
    /// - Throws: ``MalformedValue`` if the member is anything else.
    public func bool(_ name: String) throws(MalformedValue) -> Bool? {
        guard let value = self[name], value != .null else { return nil }
        guard let bool = value.bool else { throw MalformedValue(field: name, value, expected: "true or false") }
        return bool
    }

    /// An array of strings. `null` counts as absent.
    /// - Parameter name: the member's name.
    /// - Throws: ``MalformedValue`` if the member is something else.
    public func strings(_ name: String) throws(MalformedValue) -> [String]? {
        guard let value = self[name], value != .null else { return nil }
        guard let elements = value.array else { throw MalformedValue(field: name, value, expected: "an array") }
        return try elements.map { (element) throws(MalformedValue) in
            guard let string = element.string else {
                throw MalformedValue(field: name, element: element, expected: "a string")
            }
            return string
        }
    }

    /// An object member. `null` counts as absent.
    public func object(_ name: String) throws(MalformedValue) -> JSONObject? {
        guard let value = self[name], value != .null else { return nil }
        guard let object = value.object else { throw MalformedValue(field: name, value, expected: "an object") }
        return object
    }

    /// Reads an object member, whose faults have its path. `null` counts as absent.
    func object<Value>(
        _ name: String, _ read: (JSONObject) throws(MalformedValue) -> Value
    ) throws(MalformedValue) -> Value? {
        guard let object = try object(name) else { return nil }
        do { return try read(object) } catch { throw error.within(name) }
    }

    /// Reads an array of objects, whose faults have its path. `null` counts as absent.
    func objects<Value>(
        _ name: String, _ read: (JSONObject) throws(MalformedValue) -> Value
    ) throws(MalformedValue) -> [Value]? {
        guard let objects = try objects(name) else { return nil }
        do { return try objects.map(read) } catch { throw error.within(name) }
    }

    /// An array of objects. `null` counts as absent.
    func objects(_ name: String) throws(MalformedValue) -> [JSONObject]? {
        guard let value = self[name], value != .null else { return nil }
        guard let elements = value.array else { throw MalformedValue(field: name, value, expected: "an array") }
        return try elements.map { (element) throws(MalformedValue) in
            guard let object = element.object else {
                throw MalformedValue(field: name, element: element, expected: "an object")
            }
            return object
        }
    }

    /// A date in seconds (RFC 7519 `NumericDate`); fractions, which some libraries write, are truncated.
    /// - Parameter name: the member's name.
    /// - Throws: ``MalformedValue`` if the member is not a date between 1970 and 9999.
    public func date(_ name: String) throws(MalformedValue) -> NumericDate? {
        guard let value = self[name] else { return nil }
        guard let date = NumericDate(value) else { throw MalformedValue(dateIn: name, value) }
        return date
    }

    /// A validated value. `null` counts as absent.
    /// - Parameters:
    ///   - name: the member's name.
    ///   - type: the value's type.
    /// - Throws: ``MalformedValue`` with the member's name if it is malformed.
    public func value<Value: WireValue>(_ name: String, as type: Value.Type = Value.self) throws(MalformedValue)
        -> Value?
    {
        guard let text = try string(name) else { return nil }
        do { return try Value(text) } catch { throw MalformedValue(field: name, reason: error.reason) }
    }

    /// A value of an enumeration. `null` counts as absent.
    /// - Parameter name: the member's name.
    /// - Throws: ``MalformedValue`` if it is not one of them.
    func named<Value: RawRepresentable<String> & CaseIterable>(_ name: String) throws(MalformedValue) -> Value? {
        guard let text = try string(name) else { return nil }
        guard let value = Value(rawValue: text) else { throw MalformedValue(field: name, notOneOf: Value.self) }
        return value
    }

    /// Bytes in base64url. `null` counts as absent.
    /// - Parameter name: the member's name.
    /// - Throws: ``MalformedValue`` if the member is not canonical base64url.
    func base64URL(_ name: String) throws(MalformedValue) -> [UInt8]? {
        guard let text = try string(name) else { return nil }
        guard let bytes = Base64URL.decode(text) else {
            throw MalformedValue(field: name, reason: "is not base64url without padding")
        }
        return bytes
    }

    /// A secret. `null` counts as absent.
    /// - Parameter name: the member's name.
    /// - Throws: ``MalformedValue`` with the member's name if it is malformed.
    public func secret<Kind: SecretKind>(_ name: String) throws(MalformedValue) -> Secret<Kind>? {
        guard let text = try string(name) else { return nil }
        do { return try Secret(text) } catch { throw MalformedValue(field: name, reason: error.reason) }
    }

    /// Unwraps a required member.
    /// - Parameters:
    ///   - name: the member's name.
    ///   - value: its value.
    /// - Throws: ``MalformedValue`` if it is absent.
    public func required<Value>(_ name: String, _ value: Value?) throws(MalformedValue) -> Value {
        guard let value else { throw MalformedValue(field: name, reason: "is missing") }
        return value
    }

    /// Refuses unknown members: a misspelled member must not be dropped silently.
    /// - Parameter known: all known names.
    /// - Throws: ``MalformedValue`` for the first unknown member. It contains the member's name if that is plain.
    public func refuseMembers(otherThan known: Set<String>) throws(MalformedValue) {
        try refuseMembers { known.contains($0) }
    }

    /// Refuses members that a shape does not have.
    func refuseMembers(otherThan shape: WireShape) throws(MalformedValue) {
        try refuseMembers { name in shape.members.contains { $0.name == name } }
    }

    func refuseMembers(unless isKnown: (String) -> Bool) throws(MalformedValue) {
        guard let other = members.first(where: { !isKnown($0.name) }) else { return }
        guard let name = MalformedValue.plainName(other.name) else {
            throw MalformedValue(field: MalformedValue.wholeRequest, reason: "has a member that is not known here")
        }
        throw MalformedValue(field: name, reason: "is a member that is not known here")
    }
}

extension MalformedValue {
    /// A value of another type than expected. Both types are named, as in "amount is a number, but an object is expected".
    init(field: String, _ value: JSONValue, expected: String) {
        self.init(field: field, reason: "is \(value.kind), but \(expected) is expected")
    }

    /// The same for an element of an array.
    init(field: String, element: JSONValue, expected: String) {
        self.init(field: field, reason: "has an element that is \(element.kind), but \(expected) is expected")
    }

    /// A name that an enumeration does not have. Its own are listed.
    init<Value: CaseIterable>(field: String, notOneOf type: Value.Type) {
        let names = WireShape.names(of: type)
        self.init(field: field, reason: "is not one of \(names.joined(separator: ", "))")
    }

    /// What is no date: of another type, or out of range.
    init(dateIn field: String, _ value: JSONValue) {
        switch value {
        case .integer, .number: self.init(field: field, reason: "is not a date in seconds since 1970")
        default: self.init(field: field, value, expected: "a number of seconds since 1970")
        }
    }
}

extension JSONValue {
    /// The type in words.
    fileprivate var kind: String {
        switch self {
        case .null: "null"
        case .bool: "true or false"
        case .integer: "a number"
        case .number: "a number with a fraction or an exponent"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

extension NumericDate {
    /// Whole seconds; a fraction is cut off.
    init?(_ value: JSONValue) {
        let seconds: Int64?
        switch value {
        case .integer(let whole): seconds = whole
        case .number(let fraction): seconds = Int64(exactly: fraction.rounded(.down))
        default: seconds = nil
        }
        guard let date = seconds.flatMap(NumericDate.init(exactly:)) else { return nil }
        self = date
    }
}
