internal import WalletAuthWire

/// An attribute, or a part of one, as filters and changes name it: `name.givenName`.
struct SCIMPath: Sendable {
    let attribute: SCIMAttribute
    var part: SCIMAttribute?

    /// What its values are like.
    var named: SCIMAttribute { part ?? attribute }

    /// The values in a resource, or in an element of one.
    func values(in object: JSONObject) -> [JSONValue] {
        guard let value = object[attribute.name] else { return [] }
        let elements = value.array ?? [value]
        guard let part else { return elements }
        return elements.compactMap { $0.object?[part.name] }
    }
}

extension SCIMPath {
    enum Unknown: Error {
        case attribute
        /// Of the standard, but not of this server.
        case passedOver
    }

    /// - Parameters:
    ///   - text: without brackets; it may begin with the URN of the schema.
    ///   - attributes: those that may be named.
    init(_ text: some StringProtocol, of schema: String, among attributes: [SCIMAttribute]) throws(Unknown) {
        var name = String(text)
        if name.lowercased().hasPrefix(SCIMSchema.enterprise) { throw .passedOver }
        if name.lowercased().hasPrefix(schema.lowercased() + ":") { name = String(name.dropFirst(schema.count + 1)) }
        let words = name.split(separator: ".", omittingEmptySubsequences: false)
        guard let first = words.first, words.count <= 2 else { throw .attribute }
        guard let attribute = attributes.named(first) else {
            throw SCIMSchema.isPassedOver(first) ? .passedOver : .attribute
        }
        self.attribute = attribute
        guard words.count == 2 else { return }
        guard let part = attribute.parts.named(words[1]) else {
            throw SCIMSchema.isPassedOver(words[1]) ? .passedOver : .attribute
        }
        self.part = part
    }
}
