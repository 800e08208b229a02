internal import WalletAuthWire
internal import Web

/// A filter (RFC 7644 §3.4.2.2), with its attributes resolved.
indirect enum SCIMFilter: Sendable {
    enum Comparison: String, Sendable {
        case eq, ne, co, sw, ew, gt, ge, lt, le
    }

    case compare(SCIMPath, Comparison, JSONValue)
    case present(SCIMPath)
    /// Whether an element of an attribute with several values fulfills it: `emails[type eq "work"]`.
    case element(SCIMAttribute, SCIMFilter)
    case and(SCIMFilter, SCIMFilter)
    case or(SCIMFilter, SCIMFilter)
    case not(SCIMFilter)
}

extension SCIMFilter {
    /// - Parameter object: a resource, or an element of one.
    func matches(_ object: JSONObject) -> Bool {
        switch self {
        case .compare(let path, let comparison, let value):
            let values = path.values(in: object)
            if value == .null { return values.isEmpty == (comparison == .eq) }
            let isExact = path.named.isCaseExact
            // A resource without a value differs from any.
            if comparison == .ne { return !values.contains { comparison.isEqual($0, value, isExact) } }
            return values.contains { comparison.holds($0, value, isExact) }
        case .present(let path): return !path.values(in: object).isEmpty
        case .element(let attribute, let filter):
            let elements = object[attribute.name].map { $0.array ?? [$0] } ?? []
            return elements.contains { $0.object.map(filter.matches) ?? false }
        case .and(let left, let right): return left.matches(object) && right.matches(object)
        case .or(let left, let right): return left.matches(object) || right.matches(object)
        case .not(let filter): return !filter.matches(object)
        }
    }

    /// What an element has to have so that a conjunction of equalities finds it; empty for any other filter.
    var asserted: JSONObject {
        switch self {
        case .compare(let path, .eq, let value) where path.part == nil:
            var object = JSONObject()
            object[path.attribute.name] = value
            return object
        case .and(let left, let right):
            return right.asserted.members.reduce(into: left.asserted) { $0[$1.name] = $1.value }
        case .compare, .present, .element, .or, .not: return JSONObject()
        }
    }
}

extension SCIMFilter.Comparison {
    fileprivate func isEqual(_ found: JSONValue, _ wanted: JSONValue, _ isExact: Bool) -> Bool {
        guard let found = found.string, let wanted = wanted.string else { return found == wanted }
        return isExact ? found == wanted : found.lowercased() == wanted.lowercased()
    }

    fileprivate func holds(_ found: JSONValue, _ wanted: JSONValue, _ isExact: Bool) -> Bool {
        guard self != .eq, var found = found.string, var wanted = wanted.string else {
            return self == .eq && isEqual(found, wanted, isExact)
        }
        if !isExact { (found, wanted) = (found.lowercased(), wanted.lowercased()) }
        return switch self {
        case .eq, .ne: false
        case .co: found.contains(wanted)
        case .sw: found.hasPrefix(wanted)
        case .ew: found.hasSuffix(wanted)
        case .gt: found > wanted
        case .ge: found >= wanted
        case .lt: found < wanted
        case .le: found <= wanted
        }
    }
}

extension SCIMSchema {
    /// In bytes.
    static let longestFilter = 2_000

    /// - Throws: ``SCIMFailure`` for a filter that is malformed, too long or too deep, or names an attribute that resources do not have.
    func filter(_ text: String) throws(SCIMFailure) -> SCIMFilter {
        guard text.utf8.count <= Self.longestFilter else {
            throw SCIMFailure(.invalidFilter, "The filter is longer than \(Self.longestFilter) bytes.")
        }
        var parser = SCIMFilterParser(text: Array(text.utf8), schema: id)
        let filter = try parser.filter(of: all)
        guard parser.isAtEnd else { throw parser.malformed }
        return filter
    }

    /// A path of a change: `emails[type eq "work"].value`, in its parts.
    /// - Throws: ``SCIMFailure`` for a malformed one.
    func brackets(in text: String) throws(SCIMFailure) -> (attribute: String, filter: String?, part: String?) {
        guard text.utf8.count <= Self.longestFilter else { throw SCIMFailure(.invalidPath, "The path is too long.") }
        guard let open = text.firstIndex(of: "[") else { return (text, nil, nil) }
        guard let close = text.lastIndex(of: "]"), open < close else {
            throw SCIMFailure(.invalidPath, "The path has a bracket without its other one.")
        }
        let rest = text[text.index(after: close)...]
        guard rest.isEmpty || (rest.hasPrefix(".") && rest.count > 1) else {
            throw SCIMFailure(.invalidPath, "A dot must follow the bracket in the path.")
        }
        return (
            String(text[..<open]), String(text[text.index(after: open)..<close]),
            rest.isEmpty ? nil : String(rest.dropFirst())
        )
    }
}

/// Reads a filter from left to right: `not` binds more closely than `and`, and that more closely than `or`.
struct SCIMFilterParser {
    let text: [UInt8]
    let schema: String
    private var place = 0
    private var depth = 0
    private var terms = 0

    private static let deepest = 8
    private static let mostTerms = 40

    init(text: [UInt8], schema: String) {
        self.text = text
        self.schema = schema
    }

    var isAtEnd: Bool { !text.dropFirst(place).contains { $0 != UInt8(ascii: " ") } }

    var malformed: SCIMFailure { SCIMFailure(.invalidFilter, "The filter is malformed at byte \(place).") }

    mutating func filter(of attributes: [SCIMAttribute]) throws(SCIMFailure) -> SCIMFilter {
        var filter = try conjunction(attributes)
        while take(word: "or") { filter = .or(filter, try conjunction(attributes)) }
        return filter
    }

    private mutating func conjunction(_ attributes: [SCIMAttribute]) throws(SCIMFailure) -> SCIMFilter {
        var filter = try term(attributes)
        while take(word: "and") { filter = .and(filter, try term(attributes)) }
        return filter
    }

    private mutating func term(_ attributes: [SCIMAttribute]) throws(SCIMFailure) -> SCIMFilter {
        terms += 1
        guard terms <= Self.mostTerms else {
            throw SCIMFailure(.invalidFilter, "The filter has more than \(Self.mostTerms) terms.")
        }
        if take(word: "not") {
            guard take("(") else { throw malformed }
            return .not(try nested(attributes, until: ")"))
        }
        return take("(") ? try nested(attributes, until: ")") : try comparison(attributes)
    }

    private mutating func nested(
        _ attributes: [SCIMAttribute], until end: Unicode.Scalar
    ) throws(SCIMFailure) -> SCIMFilter {
        depth += 1
        guard depth <= Self.deepest else {
            throw SCIMFailure(.invalidFilter, "The filter is nested more than \(Self.deepest) times.")
        }
        let filter = try filter(of: attributes)
        guard take(end) else { throw malformed }
        depth -= 1
        return filter
    }

    private mutating func comparison(_ attributes: [SCIMAttribute]) throws(SCIMFailure) -> SCIMFilter {
        let name = word()
        var path: SCIMPath
        do { path = try SCIMPath(name, of: schema, among: attributes) } catch {
            throw SCIMFailure(.invalidFilter, "The filter names an unsupported attribute, before byte \(place).")
        }
        if path.part == nil, path.attribute.kind == .complex, take("[") {
            return .element(path.attribute, try nested(path.attribute.parts, until: "]"))
        }
        let operation = word().lowercased()
        if operation == "pr" { return .present(path) }
        if path.named.kind == .complex { path.part = path.attribute.parts.named("value") }
        guard let comparison = SCIMFilter.Comparison(rawValue: operation), path.named.kind != .complex else {
            throw malformed
        }
        let value = try literal()
        let isOfKind = value == .null || (path.named.kind == .boolean) == (value.bool != nil)
        guard isOfKind, value.string != nil || comparison == .eq || comparison == .ne else { throw malformed }
        return .compare(path, comparison, value)
    }

    /// A text, truth value or `null`, as in JSON. No attribute is a number.
    private mutating func literal() throws(SCIMFailure) -> JSONValue {
        skipSpaces()
        guard place < text.count, text[place] == UInt8(ascii: "\"") else {
            switch word() {
            case "true": return true
            case "false": return false
            case "null": return .null
            default: throw malformed
            }
        }
        var end = place + 1
        while end < text.count, text[end] != UInt8(ascii: "\"") { end += text[end] == UInt8(ascii: "\\") ? 2 : 1 }
        guard end < text.count, let value = try? JSONValue(parsing: Array(text[place...end])) else { throw malformed }
        place = end + 1
        return value
    }

    // MARK: - Words

    private mutating func skipSpaces() { while place < text.count, text[place] == UInt8(ascii: " ") { place += 1 } }

    /// Up to the next space or bracket.
    private mutating func word() -> String {
        skipSpaces()
        let rest = text[place...]
        let end = rest.firstIndex { " ()[]\"".utf8.contains($0) } ?? rest.endIndex
        defer { place = end }
        return String(decoding: rest[..<end], as: UTF8.self)
    }

    private mutating func take(word expected: String) -> Bool {
        let before = place
        if word().lowercased() == expected { return true }
        place = before
        return false
    }

    private mutating func take(_ mark: Unicode.Scalar) -> Bool {
        skipSpaces()
        guard place < text.count, text[place] == UInt8(ascii: mark) else { return false }
        place += 1
        return true
    }
}
