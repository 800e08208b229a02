internal import Kernel
internal import Store
internal import WalletAuthWire
internal import Web

/// Finds the merchants at which a directory's client is installed.
struct GroupSearch: SCIMSearch {
    let database: any Database
    let cursors: ListCursors
    let documents: GroupDocuments

    static let tooMany = SCIMFailure(
        .tooMany,
        "Too many groups or members. Filter by id, externalId or members with eq, or list all groups by cursor.")

    /// One way to a few groups.
    enum Lookup: Sendable {
        case id(String)
        case externalID(String)
        case member(String)
    }

    /// Whether a list reads more than a few groups that an index names.
    static func isScan(_ request: ListRequest) -> Bool { request.filter?.lookups(lookup) == nil }

    // MARK: - Pages

    func page(
        after place: String?, _ request: ListRequest, for provisioner: Provisioner, on connection: any SQLConnection
    ) throws -> ListPage {
        let (start, limit) = (request.startIndex - 1, request.count + 1)
        guard let filter = request.filter else {
            if let place {
                let found = try Merchants.list(
                    installedWith: provisioner.id, after: place, limit: limit, on: connection)
                return try page(of: found, request, for: provisioner, on: connection)
            }
            let total = try Merchants.count(
                installedWith: provisioner.id, upTo: Self.mostIndexed + 1, on: connection)
            guard total <= Self.mostIndexed else { throw Self.tooMany }
            let found =
                start >= total
                ? []
                : try Merchants.list(
                    installedWith: provisioner.id, skipping: start, limit: limit, on: connection)
            return try page(of: found, request, total: total, for: provisioner, on: connection)
        }
        let found = try matching(filter, for: provisioner, on: connection)
        let rest = place.map { place in found.filter { place.utf8.lexicographicallyPrecedes($0.id.utf8) } }
        return try page(
            of: rest ?? Array(found.dropFirst(start)), request, total: place == nil ? found.count : nil,
            for: provisioner, on: connection)
    }

    /// The groups of a page. Large groups make it shorter: what is missing is in the next one.
    /// - Parameter found: from the first one of the page on, and one more than it has if there are more.
    private func page(
        of found: [MerchantRecord], _ request: ListRequest, total: Int? = nil, for provisioner: Provisioner,
        on connection: any SQLConnection
    ) throws -> ListPage {
        var (resources, members): ([JSONObject], Int) = ([], 0)
        for merchant in found.prefix(request.count) {
            var group = try StoredGroup(merchant, for: provisioner, on: connection)
            try group.readMembers(for: provisioner, on: connection)
            members += group.members?.count ?? 0
            guard resources.isEmpty || members <= ProvisionedGroup.mostMembers else { break }
            resources.append(documents.document(of: group))
        }
        let isLast = resources.count == found.count || resources.isEmpty
        return ListPage(
            resources: resources, total: total.map(Int64.init),
            next: isLast || total != nil ? nil : found[resources.count - 1].id)
    }

    // MARK: - Filters

    /// The merchants that fulfill a filter, in order.
    /// - Throws: ``SCIMFailure`` if there are too many to compare.
    private func matching(
        _ filter: SCIMFilter, for provisioner: Provisioner, on connection: any SQLConnection
    ) throws -> [MerchantRecord] {
        let candidates = try candidates(filter, for: provisioner, on: connection)
        let comparesMembers = filter.names("members")
        var (seen, members): (Set<String>, Int) = ([], 0)
        return try candidates.filter { merchant in
            guard seen.insert(merchant.id).inserted else { return false }
            var group = try StoredGroup(merchant, for: provisioner, on: connection)
            if comparesMembers {
                try group.readMembers(for: provisioner, on: connection)
                members += group.members?.count ?? 0
                guard members <= ProvisionedGroup.mostMembers else { throw Self.tooMany }
            }
            return filter.matches(documents.document(of: group))
        }
        .sorted { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }
    }

    static func lookup(_ name: String, _ comparison: SCIMFilter.Comparison, _ text: String) -> Lookup? {
        switch (name, comparison) {
        case ("id", .eq): .id(text)
        case ("externalId", .eq): .externalID(text)
        case ("members.value", .eq): .member(text)
        default: nil
        }
    }

    func few(for provisioner: Provisioner, on connection: any SQLConnection) throws -> [MerchantRecord] {
        let found = try Merchants.list(installedWith: provisioner.id, limit: Self.mostCompared + 1, on: connection)
        guard found.count <= Self.mostCompared else { throw Self.tooMany }
        return found
    }

    func find(
        _ lookup: Lookup, for provisioner: Provisioner, on connection: any SQLConnection
    ) throws -> [MerchantRecord] {
        let limit = Self.mostCompared + 1
        switch lookup {
        case .id(let id):
            return try StoredGroup.outline(id, for: provisioner, on: connection).map { [$0.merchant] } ?? []
        case .externalID(let text):
            // No id has it, and not every engine takes it.
            guard !text.contains("\0") else { return [] }
            return try ProvisionedTable.merchants.having(text, by: provisioner.id, limit: limit, on: connection)
                .compactMap { try Merchants.find($0, installedWith: provisioner.id, on: connection) }
        case .member(let text):
            // Accounts of another brand have no groups here.
            guard let user = try StoredUser.find(text, for: provisioner, on: connection) else { return [] }
            return try Merchants.choices(
                of: user.account.id, client: provisioner.id, limit: limit, on: connection)
        }
    }
}

extension SCIMFilter {
    /// Whether it compares an attribute.
    fileprivate func names(_ attribute: String) -> Bool {
        switch self {
        case .compare(let path, _, _), .present(let path): path.attribute.name == attribute
        case .element(let element, _): element.name == attribute
        case .and(let left, let right), .or(let left, let right): left.names(attribute) || right.names(attribute)
        case .not(let filter): filter.names(attribute)
        }
    }
}
