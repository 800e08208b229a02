/// Reads a ``WireMessage``, or a value in it, from JSON.
struct WireDecoder: Decoder {
    let value: JSONValue
    /// The member with the value, for errors.
    let name: String
    let refusesUnknownMembers: Bool
    /// Whether the value is an element of an array, which has the name.
    var isElement = false
    /// The values of members that are absent.
    private var defaults: [String: JSONValue] = [:]

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(value: JSONValue, name: String, refusesUnknownMembers: Bool, isElement: Bool = false) {
        self.value = value
        self.name = name
        self.refusesUnknownMembers = refusesUnknownMembers
        self.isElement = isElement
    }

    /// Reads the value as a type, and checks it if it is a message.
    func read<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if type == String.self, let text = try string() as? Value { return text }
        if type == Bool.self, let truth = try bool() as? Value { return truth }
        if type == Int64.self, let integer = try integer() as? Value { return integer }
        if type == NumericDate.self, let date = try date() as? Value { return date }
        if type == [UInt8].self, let bytes = try bytes() as? Value { return bytes }
        switch value {
        case .string:
            if let type = type as? any WireValue.Type, let value = try text(type) as? Value { return value }
        case .array:
            if let type = type as? any WireArray.Type, let array = try type.init(elementsOf: self) as? Value {
                return array
            }
        case .object:
            if let type = type as? any WireMessage.Type, let message = try message(type) as? Value { return message }
        default: break
        }
        do {
            return try Value(from: self)
        } catch let error as MalformedValue where value.object == nil {
            // A value of one text or number calls itself by the name of its type.
            throw fault(error.reason)
        } catch is DecodingError {
            guard let type = type as? any CaseIterable.Type else { throw fault("is not known here") }
            throw MalformedValue(field: name, notOneOf: type)
        }
    }

    private func message<Message: WireMessage>(_ type: Message.Type) throws -> Message {
        var decoder = self
        decoder.defaults = type.defaults
        var message = try Message(from: decoder)
        try message.validate()
        return message
    }

    func fault(_ reason: String) -> MalformedValue { MalformedValue(field: name, reason: reason) }

    private func fault(expected: String) -> MalformedValue {
        isElement
            ? MalformedValue(field: name, element: value, expected: expected)
            : MalformedValue(field: name, value, expected: expected)
    }

    private func string() throws(MalformedValue) -> String {
        guard let string = value.string else { throw fault(expected: "a string") }
        return string
    }

    private func bool() throws(MalformedValue) -> Bool {
        guard let bool = value.bool else { throw fault(expected: "true or false") }
        return bool
    }

    private func integer() throws(MalformedValue) -> Int64 {
        guard let integer = value.integer else { throw fault(expected: "an integer") }
        return integer
    }

    private func date() throws(MalformedValue) -> NumericDate {
        guard let date = NumericDate(value) else { throw MalformedValue(dateIn: name, value) }
        return date
    }

    private func bytes() throws(MalformedValue) -> [UInt8] {
        guard let bytes = Base64URL.decode(try string()) else { throw fault("is not base64url without padding") }
        return bytes
    }

    private func text<Value: WireValue>(_ type: Value.Type) throws(MalformedValue) -> Value {
        let text = try string()
        do { return try Value(text) } catch { throw fault(error.reason) }
    }
}

extension WireDecoder {
    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard let object = value.object else { throw fault(expected: "an object") }
        if refusesUnknownMembers { try object.refuseMembers { Key(stringValue: $0) != nil } }
        return KeyedDecodingContainer(
            Members(object: object, defaults: defaults, refusesUnknownMembers: refusesUnknownMembers))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw fault(expected: "an array") }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    /// A shape that no message has.
    private static var unsupported: DecodingError {
        .dataCorrupted(DecodingError.Context(codingPath: [], debugDescription: "no message has this shape"))
    }

    private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let object: JSONObject
        let defaults: [String: JSONValue]
        let refusesUnknownMembers: Bool

        var codingPath: [any CodingKey] { [] }
        var allKeys: [Key] { object.names.compactMap { Key(stringValue: $0) } }

        private func value(_ name: String) -> JSONValue? {
            if let value = object[name], value != .null { value } else { defaults[name] }
        }

        func contains(_ key: Key) -> Bool { value(key.stringValue) != nil }
        func decodeNil(forKey key: Key) -> Bool { !contains(key) }

        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            let name = key.stringValue
            guard let value = value(name) else { throw MalformedValue(field: name, reason: "is missing") }
            do {
                return try WireDecoder(value: value, name: name, refusesUnknownMembers: refusesUnknownMembers)
                    .read(type)
            } catch let error as MalformedValue where value.object != nil || value.array != nil {
                throw error.within(name)
            }
        }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<Nested> { throw WireDecoder.unsupported }
        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            throw WireDecoder.unsupported
        }
        func superDecoder() throws -> any Decoder { throw WireDecoder.unsupported }
        func superDecoder(forKey key: Key) throws -> any Decoder { throw WireDecoder.unsupported }
    }
}

/// A value of one text, number or truth value: what `Secret`, `PINEpoch` and enumerations are made of.
extension WireDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { false }
    func decode(_ type: String.Type) throws -> String { try string() }
    func decode(_ type: Bool.Type) throws -> Bool { try bool() }
    func decode(_ type: Int64.Type) throws -> Int64 { try integer() }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { throw Self.unsupported }
}

/// One of several ways that an answer offers. A list leaves out those that cannot be read, as newer servers may add some.
protocol WireAlternative: WireMessage {}

/// An array of values that a message may have.
protocol WireArray {
    static var element: any Decodable.Type { get }
    init(elementsOf decoder: WireDecoder) throws
    func json() throws -> JSONValue
}

extension Array: WireArray where Element: Codable {
    static var element: any Decodable.Type { Element.self }

    init(elementsOf decoder: WireDecoder) throws {
        let elements = decoder.value.array ?? []
        // A name added later is for apps that know it.
        let skipsUnknownNames = Element.self is any CaseIterable.Type && !decoder.refusesUnknownMembers
        let isAlternative = Element.self is any WireAlternative.Type
        self = try elements.compactMap { value in
            let element = WireDecoder(
                value: value, name: decoder.name, refusesUnknownMembers: decoder.refusesUnknownMembers,
                isElement: true)
            return skipsUnknownNames && value.string != nil || isAlternative && value.object != nil
                ? try? element.read(Element.self) : try element.read(Element.self)
        }
    }

    func json() throws -> JSONValue { .array(try map { try WireEncoder.json(of: $0) }) }
}
