internal import WalletAuthWire
internal import Web

/// What a client asks of a list, in the query of a GET or the body of a search (RFC 7644 §3.4.2 and §3.4.3, RFC 9865).
struct ListRequest: Sendable {
    static let defaultCount = 100
    static let mostCount = 200

    var filter: SCIMFilter?
    /// The text of the filter. A cursor belongs to one.
    var filterText = ""
    /// From 1.
    var startIndex = 1
    var count = ListRequest.defaultCount
    /// Empty for the first page; `nil` for pages by index.
    var cursor: String?
    var selection = Selection()

    init(_ query: FormParameters, of schema: SCIMSchema) throws {
        try self.init(
            filter: query["filter"], startIndex: query["startIndex"].map(Self.number),
            count: query["count"].map(Self.number), cursor: query.parameters.first { $0.name == "cursor" }?.value,
            selection: Selection(query, of: schema), of: schema)
    }

    init(_ body: JSONObject, of schema: SCIMSchema) throws {
        try self.init(
            filter: body.string("filter"), startIndex: body.integer("startIndex"), count: body.integer("count"),
            cursor: body.string("cursor"),
            selection: Selection(
                attributes: body.strings("attributes"), excluded: body.strings("excludedAttributes"), of: schema),
            of: schema)
    }

    private init(
        filter: String?, startIndex: Int64?, count: Int64?, cursor: String?, selection: Selection,
        of schema: SCIMSchema
    ) throws(SCIMFailure) {
        self.filter = try filter.map { text throws(SCIMFailure) in try schema.filter(text) }
        filterText = filter ?? ""
        // A number below the least means that one.
        self.startIndex = Int(min(max(startIndex ?? 1, 1), Int64(Int32.max)))
        self.count = Int(min(max(count ?? Int64(Self.defaultCount), 0), Int64(Self.mostCount)))
        self.cursor = cursor
        self.selection = selection
    }

    private static func number(_ text: String) throws(SCIMFailure) -> Int64 {
        guard let number = Int64(text) else {
            throw SCIMFailure(.invalidValue, "startIndex and count must be integers.")
        }
        return number
    }
}

/// Which attributes a client wants to see (RFC 7644 §3.9).
struct Selection: Sendable {
    private var wanted: [SCIMPath]?
    private var excluded: [SCIMPath] = []

    init() {}

    init(_ query: FormParameters, of schema: SCIMSchema) throws {
        let names: (String) -> [String]? = { query[$0]?.split(separator: ",").map { String($0.trimmed()) } }
        try self.init(attributes: names("attributes"), excluded: names("excludedAttributes"), of: schema)
    }

    init(attributes: [String]?, excluded: [String]?, of schema: SCIMSchema) throws {
        guard attributes == nil || excluded == nil else {
            throw SCIMFailure(.invalidValue, "Give either attributes or excludedAttributes.")
        }
        // Names that no resource has select nothing.
        let paths: ([String]) -> [SCIMPath] = { names in
            names.compactMap { try? SCIMPath($0, of: schema.id, among: schema.all) }
        }
        wanted = attributes.map(paths)
        self.excluded = paths(excluded ?? [])
    }

    /// What is always returned stays.
    func applied(to resource: JSONObject) -> JSONObject {
        guard wanted != nil || !excluded.isEmpty else { return resource }
        var selected = JSONObject()
        for member in resource.members {
            if member.name == "schemas" || member.name == "id" {
                selected[member.name] = member.value
                continue
            }
            let value =
                if let wanted { Self.kept(member, of: wanted) } else { Self.remaining(member, without: excluded) }
            selected[member.name] = value
        }
        return selected
    }

    private static func kept(_ member: JSONObject.Member, of paths: [SCIMPath]) -> JSONValue? {
        let paths = paths.filter { $0.attribute.name == member.name }
        guard !paths.isEmpty, !paths.contains(where: { $0.part == nil }) else {
            return paths.isEmpty ? nil : member.value
        }
        let names = Set(paths.compactMap(\.part?.name))
        return parts(of: member.value) { names.contains($0) }
    }

    private static func remaining(_ member: JSONObject.Member, without paths: [SCIMPath]) -> JSONValue? {
        let paths = paths.filter { $0.attribute.name == member.name }
        guard !paths.contains(where: { $0.part == nil }) else { return nil }
        let names = Set(paths.compactMap(\.part?.name))
        return parts(of: member.value) { !names.contains($0) }
    }

    private static func parts(of value: JSONValue, where isKept: (String) -> Bool) -> JSONValue? {
        switch value {
        case .array(let elements): return .array(elements.compactMap { parts(of: $0, where: isKept) })
        case .object(let object):
            let kept = object.members.reduce(into: JSONObject()) { if isKept($1.name) { $0[$1.name] = $1.value } }
            return kept.isEmpty ? nil : .object(kept)
        case .null, .bool, .integer, .number, .string: return value
        }
    }
}
