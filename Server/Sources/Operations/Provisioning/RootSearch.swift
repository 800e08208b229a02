internal import WalletAuthWire
internal import Web

/// A search of all types at once (RFC 7644 §3.4.3): accounts first, then groups, in pages by index.
struct RootSearch: Sendable {
    private let searches: [(resources: any SCIMResources, list: ListRequest)]

    /// - Parameter types: that the client may search. One without an attribute of the filter has nothing that matches.
    /// - Throws: `SCIMFailure` if no type has the attributes, or the request names a cursor.
    init(_ body: JSONObject, of types: [any SCIMResources]) throws {
        var searches: [(any SCIMResources, ListRequest)] = []
        var fault: SCIMFailure?
        for resources in types {
            do {
                searches.append((resources, try ListRequest(body, of: resources.schema)))
            } catch let failure as SCIMFailure {
                fault = failure
            }
        }
        if searches.isEmpty, let fault { throw fault }
        guard searches.count == 1 || searches.allSatisfy({ $0.1.cursor == nil }) else {
            throw SCIMFailure(.invalidCursor, "A search of everything has pages by index: search one type by cursor.")
        }
        self.searches = searches
    }

    var isScan: Bool { searches.contains { $0.resources.isScan($0.list) } }

    func answer(for provisioner: Provisioner) async throws -> JSONObject {
        if searches.count == 1, let only = searches.first {
            return try await only.resources.search.list(only.list, for: provisioner)
        }
        var (total, found): (Int64, [JSONValue]) = (0, [])
        let start = searches.first?.list.startIndex ?? 1
        for (resources, list) in searches {
            var list = list
            list.startIndex = max(1, start - Int(total))
            list.count -= found.count
            let page = try await resources.search.list(list, for: provisioner)
            total += page["totalResults"]?.integer ?? 0
            found += page["Resources"]?.array ?? []
        }
        return ListPage(resources: found.compactMap(\.object), total: total).document(startIndex: start)
    }
}
