internal import WalletAuthWire
internal import Web

/// The operations of a PATCH (RFC 7644 §3.5.2), applied to a resource in memory. Either all of them succeed, or the resource stays.
struct SCIMPatch: Sendable {
    enum Operation: String {
        case add, replace, remove
    }

    /// One change of one attribute.
    struct Change: Sendable {
        let operation: Operation
        let path: SCIMPath
        /// Which elements of an attribute with several values; `nil` for all.
        let filter: SCIMFilter?
        /// `nil` for a removal.
        let value: JSONValue?
    }

    private static let most = 200

    private let schema: SCIMSchema
    private(set) var changes: [Change] = []

    /// - Throws: ``SCIMFailure`` for anything but a PATCH of attributes that may be written.
    init(_ body: JSONObject, of schema: SCIMSchema) throws(SCIMFailure) {
        self.schema = schema
        let operations = body.members.first { $0.name.lowercased() == "operations" }?.value.array
        guard let operations, !operations.isEmpty, operations.count <= Self.most else {
            throw SCIMFailure(.invalidSyntax, "Operations must be an array of 1 to \(Self.most) operations.")
        }
        for one in operations {
            guard let one = one.object, let name = one["op"]?.string?.lowercased(),
                let operation = Operation(rawValue: name)
            else { throw SCIMFailure(.invalidSyntax, "The op of each operation must be add, replace or remove.") }
            try read(operation, path: one["path"], value: one["value"])
        }
    }

    private mutating func read(
        _ operation: Operation, path: JSONValue?, value: JSONValue?
    ) throws(SCIMFailure) {
        if let path, path != .null {
            guard let path = path.string else { throw SCIMFailure(.invalidPath, "A path must be a string.") }
            return try read(operation, path, value)
        }
        guard operation != .remove else { throw SCIMFailure(.noTarget, "A removal needs a path.") }
        guard let object = value?.object else {
            throw SCIMFailure(.invalidValue, "Without a path, the value must be an object.")
        }
        // Each name may be a path; what is no attribute is passed over, as in a whole resource.
        var seen: Set<String> = []
        for member in object.members {
            let before = changes.count
            do {
                try read(operation, member.name, member.value)
            } catch  where error.kind == .invalidPath || error.kind == .mutability {
                continue
            }
            // One name may have its schema before it.
            guard changes.count > before, let path = changes.last?.path, changes.last?.filter == nil else { continue }
            guard seen.insert("\(path.attribute.name).\(path.part?.name ?? "")").inserted else {
                throw SCIMFailure(.invalidSyntax, "The attribute \(path.attribute.name) is given twice.")
            }
        }
    }

    private mutating func read(
        _ operation: Operation, _ text: String, _ value: JSONValue?
    ) throws(SCIMFailure) {
        let words = try schema.brackets(in: text)
        var path: SCIMPath
        do { path = try SCIMPath(words.attribute, of: schema.id, among: schema.all) } catch {
            if error == .passedOver { return }
            throw SCIMFailure(.invalidPath, "A path names an attribute that is not supported.")
        }
        var filter: SCIMFilter?
        if let text = words.filter {
            guard path.part == nil, path.attribute.isMultiple else {
                throw SCIMFailure(.invalidPath, "Only an attribute with several values takes a filter.")
            }
            var parser = SCIMFilterParser(text: Array(text.utf8), schema: schema.id)
            filter = try parser.filter(of: path.attribute.parts)
            guard parser.isAtEnd else { throw parser.malformed }
            if let part = words.part {
                path.part = path.attribute.parts.named(part)
                if path.part == nil {
                    guard SCIMSchema.isPassedOver(part) else {
                        throw SCIMFailure(.invalidPath, "A path names a part that is not supported.")
                    }
                    return
                }
            }
        }
        guard path.attribute.mutability != .readOnly else {
            throw SCIMFailure(.mutability, "The attribute \(path.attribute.name) cannot be changed.")
        }
        guard operation != .remove || !path.attribute.isRequired else { throw path.attribute.missing }
        guard operation == .remove || value != nil else {
            throw SCIMFailure(.invalidValue, "An operation has no value.")
        }
        guard changes.count < Self.most else {
            throw SCIMFailure(.invalidSyntax, "A PATCH has at most \(Self.most) changes.")
        }
        changes.append(Change(operation: operation, path: path, filter: filter, value: value))
    }

    /// - Throws: ``SCIMFailure`` if a value does not fit, or a filter finds nothing to change.
    func applied(to resource: JSONObject) throws(SCIMFailure) -> JSONObject {
        var changed = resource
        for change in changes { try Self.apply(change, to: &changed) }
        return changed
    }

    private static func apply(_ change: Change, to resource: inout JSONObject) throws(SCIMFailure) {
        let attribute = change.path.attribute
        guard attribute.isMultiple else {
            resource[attribute.name] = try single(change, in: resource[attribute.name])
            return
        }
        let elements = resource[attribute.name]?.array ?? []
        let changed: [JSONValue]
        if change.filter != nil || change.path.part != nil {
            changed = try selected(change, in: elements)
        } else {
            changed = try whole(change, of: attribute, in: elements)
        }
        try attribute.requireFew(changed)
        resource[attribute.name] = changed.isEmpty ? nil : .array(changed)
    }

    /// The new value of an attribute with one value.
    private static func single(_ change: Change, in present: JSONValue?) throws(SCIMFailure) -> JSONValue? {
        let attribute = change.path.attribute
        var object = present?.object ?? JSONObject()
        if let part = change.path.part {
            object[part.name] = try change.value.flatMap { value throws(SCIMFailure) in
                change.operation == .remove ? nil : try part.checked(value)
            }
            return object.isEmpty ? nil : .object(object)
        }
        if change.operation != .remove, let value = change.value, attribute.isPassedOver(value) { return present }
        guard change.operation != .remove, let value = change.value, let new = try attribute.checked(value) else {
            return nil
        }
        guard let parts = new.object else { return new }
        for part in parts.members { object[part.name] = part.value }
        return .object(object)
    }

    /// An attribute with several values as a whole.
    private static func whole(
        _ change: Change, of attribute: SCIMAttribute, in elements: [JSONValue]
    ) throws(SCIMFailure) -> [JSONValue] {
        let given = try change.value.flatMap { value throws(SCIMFailure) in try attribute.checked(value) }?.array ?? []
        switch change.operation {
        case .replace: return given
        // Where there is one value, the new one takes its place.
        case .add: return given.filter { !elements.contains($0) } + elements
        case .remove:
            // Entra ID names the elements to remove in the value.
            guard !given.isEmpty else { return [] }
            let values = given.compactMap { $0.object?["value"] }
            return elements.filter { !values.contains($0.object?["value"] ?? .null) }
        }
    }

    /// The elements that a filter finds, or a part of each of them.
    private static func selected(
        _ change: Change, in elements: [JSONValue]
    ) throws(SCIMFailure) -> [JSONValue] {
        let isFound: (JSONValue) -> Bool = { element in
            element.object.map { object in change.filter?.matches(object) ?? true } ?? false
        }
        if change.operation == .remove, change.path.part == nil { return elements.filter { !isFound($0) } }
        var new = JSONObject()
        if change.operation != .remove, let value = change.value {
            if let part = change.path.part {
                new[part.name] = try part.checked(value)
            } else {
                new = try change.path.attribute.checkedElement(value)?.object ?? new
            }
        }
        var changed: [JSONValue] = []
        for element in elements {
            guard isFound(element), var object = element.object else {
                changed.append(element)
                continue
            }
            if let part = change.path.part { object[part.name] = nil }
            for member in new.members { object[member.name] = member.value }
            if !object.isEmpty { changed.append(.object(object)) }
        }
        guard !elements.contains(where: isFound), change.operation != .remove else { return changed }
        // There is no such element yet. Adding makes one that the filter finds.
        let asserted = change.filter?.asserted ?? JSONObject()
        guard change.filter == nil || (change.operation == .add && !asserted.isEmpty) else {
            throw SCIMFailure(.noTarget, "The filter of a path finds nothing.")
        }
        let made = new.members.reduce(into: asserted) { $0[$1.name] = $1.value }
        return new.isEmpty ? changed : changed + [.object(made)]
    }
}
