internal import WalletAuthWire
internal import Web

/// An attribute of a resource, as its schema declares it (RFC 7643 §7). What a request or a stored resource has is checked, looked up and
/// published by this declaration alone.
struct SCIMAttribute: Sendable {
    enum Kind: String, Sendable {
        case string, boolean, complex, dateTime, reference
    }

    enum Mutability: String, Sendable {
        case readOnly, readWrite, immutable
    }

    let name: String
    let description: String
    var kind = Kind.string
    var isMultiple = false
    var isRequired = false
    var isCaseExact = false
    var mutability = Mutability.readWrite
    var returned = "default"
    var uniqueness = "none"
    /// Values that a client may suggest; others are accepted.
    var canonicalValues: [String] = []
    var parts: [SCIMAttribute] = []
    /// What a reference leads to.
    var referenceType = "User"
    /// The most values that a request gives. They are compared with each other.
    var most = 20

    init(
        _ name: String, _ description: String, _ kind: Kind = .string,
        _ change: (inout SCIMAttribute) -> Void = { _ in }
    ) {
        self.name = name
        self.description = description
        self.kind = kind
        change(&self)
    }

    /// The document of the attribute in a schema.
    var json: JSONObject {
        var json = JSONObject()
        json.set("name", name)
        json.set("type", kind.rawValue)
        json["multiValued"] = .bool(isMultiple)
        json.set("description", description)
        json["required"] = .bool(isRequired)
        json["caseExact"] = .bool(isCaseExact)
        json.set("mutability", mutability.rawValue)
        json.set("returned", returned)
        json.set("uniqueness", uniqueness)
        json.set("canonicalValues", canonicalValues)
        if kind == .reference { json.set("referenceTypes", [referenceType]) }
        if !parts.isEmpty { json["subAttributes"] = .array(parts.map { .object($0.json) }) }
        return json
    }
}

// MARK: - Names

extension [SCIMAttribute] {
    /// Names of attributes have no case (RFC 7643 §2.1).
    func named(_ name: some StringProtocol) -> SCIMAttribute? {
        let name = name.lowercased()
        return first { $0.name.lowercased() == name }
    }
}

// MARK: - Values

extension SCIMAttribute {
    /// A value of a request in the form that is stored: the right type, no unknown parts.
    /// - Returns: `nil` for a value that unassigns the attribute: `null`, an empty array or object (RFC 7643 §2.5).
    /// - Throws: ``SCIMFailure`` for a value of another type, and for several of which one has nothing that is stored: dropped, it would
    ///   turn a replacement into a removal.
    func checked(_ value: JSONValue) throws(SCIMFailure) -> JSONValue? {
        if value == .null { return nil }
        guard isMultiple else { return try checkedElement(value) }
        if value.object?.isEmpty == true { return nil }
        try requireFew(value.array ?? [])
        var elements: [JSONValue] = []
        // One value may come without its array.
        for element in byRank(value.array ?? [value]) {
            guard let element = try checkedElement(element) else {
                throw SCIMFailure(.invalidValue, "A value of the attribute \(name) is empty or has no supported part.")
            }
            elements.append(element)
        }
        return elements.isEmpty ? nil : .array(elements)
    }

    func requireFew(_ elements: [JSONValue]) throws(SCIMFailure) {
        guard elements.count <= most else {
            throw SCIMFailure(.invalidValue, "The attribute \(name) takes at most \(most) values.")
        }
    }

    /// A single value of the attribute.
    func checkedElement(_ value: JSONValue) throws(SCIMFailure) -> JSONValue? {
        switch kind {
        case .complex:
            guard let object = value.object else {
                // Some clients send the main part alone.
                guard isMultiple, let main = parts.named("value"), let text = value.string else {
                    throw wrong("an object")
                }
                return [(main.name): .string(text)]
            }
            let checked = try parts.checked(object)
            return checked.isEmpty ? nil : .object(checked)
        case .boolean:
            if case .bool = value { return value }
            // As Entra ID writes it.
            switch value.string?.lowercased() {
            case "true": return true
            case "false": return false
            default: throw wrong("true or false")
            }
        case .string, .dateTime, .reference:
            guard let text = value.string else { throw wrong("a string") }
            return text.isEmpty ? nil : value
        }
    }

    /// Where one of several values is stored, the primary one comes first, then one of the right type.
    private func byRank(_ elements: [JSONValue]) -> [JSONValue] {
        guard let types = parts.named("type")?.canonicalValues, !types.isEmpty else { return elements }
        let isPrimary: (JSONValue) -> Bool = { $0.object?["primary"]?.bool == true }
        let isOfType: (JSONValue) -> Bool = { types.contains($0.object?["type"]?.string?.lowercased() ?? "") }
        return elements.filter(isPrimary) + elements.filter { !isPrimary($0) && isOfType($0) }
            + elements.filter { !isPrimary($0) && !isOfType($0) }
    }

    /// Whether a value has only parts that are passed over, such as `formatted` of a name. It asks for no change.
    func isPassedOver(_ value: JSONValue) -> Bool {
        guard kind == .complex, !isMultiple, let names = value.object?.names, !names.isEmpty else { return false }
        return names.allSatisfy { parts.named($0) == nil }
    }

    /// The refusal of a removal.
    var missing: SCIMFailure { SCIMFailure(.invalidValue, "The attribute \(name) is required.") }

    private func wrong(_ expected: String) -> SCIMFailure {
        SCIMFailure(.invalidValue, "The attribute \(name) must be \(expected).")
    }
}

extension [SCIMAttribute] {
    /// The members of a request that are attributes and may be written, by the names of their declarations. Others are passed over, as
    /// RFC 7644 §3.3 has it: none of them is anything that a client could grant itself.
    /// - Parameter removing: gets the attributes that the request unassigns.
    /// - Throws: ``SCIMFailure`` for a value of the wrong type.
    func checked(
        _ object: JSONObject, removing: (SCIMAttribute) -> Void = { _ in }
    ) throws(SCIMFailure) -> JSONObject {
        var checked = JSONObject()
        for member in object.members {
            guard let attribute = named(member.name), attribute.mutability != .readOnly else { continue }
            if attribute.isPassedOver(member.value) { continue }
            let value = try attribute.checked(member.value)
            checked[attribute.name] = value
            if value == nil { removing(attribute) }
        }
        return checked
    }
}

extension JSONObject {
    /// Whether this object or one in it has two members whose names differ in case only.
    var hasDoubledName: Bool {
        Set(names.map { $0.lowercased() }).count < names.count || members.contains { $0.value.hasDoubledName }
    }
}

extension JSONValue {
    fileprivate var hasDoubledName: Bool {
        switch self {
        case .object(let object): object.hasDoubledName
        case .array(let elements): elements.contains { $0.hasDoubledName }
        case .null, .bool, .integer, .number, .string: false
        }
    }
}
