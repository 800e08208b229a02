/// Writes a ``WireMessage``, or a value in it, as JSON.
final class WireEncoder: Encoder {
    private(set) var json: JSONValue = .null
    /// The values of members that are not written.
    private let omitted: [String: JSONValue]

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(omitting omitted: [String: JSONValue] = [:]) { self.omitted = omitted }

    static func json<Value: Encodable>(of value: Value) throws -> JSONValue {
        // An empty array of another type would pass for bytes.
        if Value.self == [UInt8].self, let bytes = value as? [UInt8] { return .string(Base64URL.encode(bytes)) }
        switch value {
        case let text as String: return .string(text)
        case let truth as Bool: return .bool(truth)
        case let integer as Int64: return .integer(integer)
        case let text as any WireValue: return .string(text.rawValue)
        case let array as any WireArray: return try array.json()
        case let message as any WireMessage: return .object(message.json)
        default:
            let encoder = WireEncoder()
            try value.encode(to: encoder)
            return encoder.json
        }
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        if json.object == nil { json = .object(JSONObject()) }
        return KeyedEncodingContainer(Members(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { preconditionFailure("no message is an array") }
    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    private func set(_ name: String, _ value: JSONValue) {
        guard var object = json.object, omitted[name] != value else { return }
        json = .null
        object[name] = value
        json = .object(object)
    }

    private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let encoder: WireEncoder

        var codingPath: [any CodingKey] { [] }

        func encodeNil(forKey key: Key) {}

        func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
            encoder.set(key.stringValue, try WireEncoder.json(of: value))
        }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) -> KeyedEncodingContainer<Nested> { preconditionFailure("a message declares its members") }
        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { encoder.unkeyedContainer() }
        func superEncoder() -> any Encoder { encoder }
        func superEncoder(forKey key: Key) -> any Encoder { encoder }
    }
}

/// A value of one text, number or truth value.
extension WireEncoder: SingleValueEncodingContainer {
    func encodeNil() {}

    func encode<Value: Encodable>(_ value: Value) throws {
        switch value {
        case let text as String: json = .string(text)
        case let truth as Bool: json = .bool(truth)
        case let integer as any BinaryInteger: json = .integer(Int64(clamping: integer))
        default: preconditionFailure("no message has a \(Value.self)")
        }
    }
}
