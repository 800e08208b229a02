internal import Store
internal import WalletAuthWire
internal import Web

/// Finds the resources of one type, by what an index has: no request reads all of a large brand.
protocol SCIMSearch: Sendable {
    /// One way to a few resources.
    associatedtype Lookup: Sendable
    associatedtype Found: Sendable

    static var tooMany: SCIMFailure { get }
    var database: any Database { get }
    var cursors: ListCursors { get }

    /// Whether a list reads more than a few resources that an index names.
    static func isScan(_ request: ListRequest) -> Bool
    /// The way to what has an attribute with a text; `nil` if no index leads there.
    static func lookup(_ name: String, _ comparison: SCIMFilter.Comparison, _ text: String) -> Lookup?
    func find(_ lookup: Lookup, for provisioner: Provisioner, on connection: any SQLConnection) throws -> [Found]
    /// All resources, if they are few enough to compare.
    func few(for provisioner: Provisioner, on connection: any SQLConnection) throws -> [Found]
    /// - Parameter place: where the page before ended; `nil` for a page by index.
    func page(
        after place: String?, _ request: ListRequest, for provisioner: Provisioner, on connection: any SQLConnection
    ) throws -> ListPage
}

extension SCIMSearch {
    /// The most resources that a filter is compared with.
    static var mostCompared: Int { 1_000 }
    /// The most resources that are listed by index. More are listed by cursor.
    static var mostIndexed: Int { 10_000 }

    func list(_ request: ListRequest, for provisioner: Provisioner) async throws -> JSONObject {
        let place = try cursors.place(of: request, provisioner)
        let page = try await database.read { try self.page(after: place, request, for: provisioner, on: $0) }
        return try cursors.answer(page, to: request, for: provisioner)
    }

    /// Every resource that fulfills a filter, and others perhaps.
    /// - Throws: ``SCIMFailure`` if there are too many to compare.
    func candidates(
        _ filter: SCIMFilter, for provisioner: Provisioner, on connection: any SQLConnection
    ) throws -> [Found] {
        guard let lookups = filter.lookups(Self.lookup) else { return try few(for: provisioner, on: connection) }
        var found: [Found] = []
        for lookup in lookups {
            found += try find(lookup, for: provisioner, on: connection)
            guard found.count <= Self.mostCompared else { throw Self.tooMany }
        }
        return found
    }
}

extension SCIMFilter {
    /// Ways to everything that fulfills the filter, and to others perhaps; `nil` if no index leads there.
    func lookups<Lookup>(
        in parent: SCIMAttribute? = nil, _ way: (_ name: String, Comparison, _ text: String) -> Lookup?
    ) -> [Lookup]? {
        switch self {
        case .compare(let path, let comparison, .string(let text)):
            let names = [parent?.name, path.attribute.name, path.part?.name].compactMap { $0 }
            return way(names.joined(separator: "."), comparison, text).map { [$0] }
        case .element(let attribute, let filter): return filter.lookups(in: attribute, way)
        case .and(let left, let right): return left.lookups(in: parent, way) ?? right.lookups(in: parent, way)
        case .or(let left, let right):
            guard let left = left.lookups(in: parent, way), let right = right.lookups(in: parent, way) else {
                return nil
            }
            return left + right
        case .compare, .present, .not: return nil
        }
    }
}
