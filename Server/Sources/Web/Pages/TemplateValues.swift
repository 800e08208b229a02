internal import Mustache

/// The properties of a struct, as the template engine looks them up.
///
/// The engine would read the struct through `Mirror`, all its properties again for each name, which is eight times slower than a dictionary.
/// Swift's derived `Encodable` visits each property once.
final class TemplateValues: MustacheParent {
    private var properties = [String: Any](minimumCapacity: 8)
    /// The struct around this one. Its names can be used here, unless this one has the same.
    private let outer: TemplateValues?

    init(_ values: some Encodable, in outer: TemplateValues? = nil) {
        self.outer = outer
        do {
            try values.encode(to: self)
        } catch {
            preconditionFailure("no struct of values throws: \(error)")
        }
    }

    func child(named name: String) -> Any? { properties[name] ?? outer?.child(named: name) }

    fileprivate func inner(_ value: some Encodable) -> Any {
        switch value {
        case let text as String: Text(renderText: text)
        case let list as any ValueList: list.values(in: self)
        default: TemplateValues(value, in: self)
        }
    }

    /// A text that says so itself. The engine takes longer to find out what a `String` is.
    private struct Text: MustacheCustomRenderable, MustacheParent {
        let renderText: String
        var isNull: Bool { false }

        func child(named name: String) -> Any? { nil }
    }

    /// A property without a value. It is no text and no section, and hides the names around it.
    private struct Nothing: MustacheCustomRenderable {
        var renderText: String { "" }
        var isNull: Bool { true }
    }
}

private protocol ValueList {
    func values(in outer: TemplateValues) -> [Any]
}

extension Array: ValueList where Element: Encodable {
    fileprivate func values(in outer: TemplateValues) -> [Any] { map { outer.inner($0) } }
}

extension TemplateValues: Encoder {
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(Properties(values: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { preconditionFailure("values are structs") }
    func singleValueContainer() -> any SingleValueEncodingContainer { preconditionFailure("values are structs") }

    private struct Properties<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let values: TemplateValues

        var codingPath: [any CodingKey] { [] }

        private func set(_ key: Key, _ value: Any) { values.properties[key.stringValue] = value }

        func encodeNil(forKey key: Key) { set(key, Nothing()) }
        func encode(_ value: String, forKey key: Key) { set(key, Text(renderText: value)) }
        func encode(_ value: Bool, forKey key: Key) { set(key, value) }
        func encode<Value: Encodable>(_ value: Value, forKey key: Key) { set(key, values.inner(value)) }

        func encodeIfPresent(_ value: String?, forKey key: Key) {
            if let value { encode(value, forKey: key) } else { encodeNil(forKey: key) }
        }

        func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) {
            if let value { encode(value, forKey: key) } else { encodeNil(forKey: key) }
        }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) -> KeyedEncodingContainer<Nested> { values.container(keyedBy: type) }
        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { values.unkeyedContainer() }
        func superEncoder() -> any Encoder { values }
        func superEncoder(forKey key: Key) -> any Encoder { values }
    }
}
