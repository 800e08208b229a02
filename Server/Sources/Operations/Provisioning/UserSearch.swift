internal import Core
internal import Foundation
internal import Kernel
internal import Store
internal import WalletAuthWire
internal import Web

/// Finds accounts for a directory, by what an index has: no request reads the accounts of a large brand.
struct UserSearch: SCIMSearch {
    let database: any Database
    let sealing: SealingKeys
    let documents: UserDocuments

    var cursors: ListCursors { ListCursors(sealing, label: "scim-page") }

    static let tooMany = SCIMFailure(
        .tooMany,
        """
        Too many accounts. Filter by id, userName, externalId, emails or groups with eq, by userName with sw, or list all of \
        them by cursor.
        """)

    /// One way to a few accounts.
    enum Lookup: Sendable {
        case id(String)
        case username(String)
        case prefix(String)
        case externalID(String)
        case email(String)
        case group(String)
    }

    /// Whether a list reads accounts by the thousand, and not a few that an index names.
    static func isScan(_ request: ListRequest) -> Bool {
        guard let filter = request.filter else { return request.cursor == nil }
        return filter.lookups(lookup)?.contains { lookup in
            switch lookup {
            case .prefix, .group: true
            case .id, .username, .externalID, .email: false
            }
        } ?? true
    }

    // MARK: - Pages

    private func page(of users: some Sequence<Found>, total: Int64? = nil, next: String? = nil) -> ListPage {
        ListPage(resources: users.map { documents.document(of: $0.user) }, total: total, next: next)
    }

    private func page(
        at start: Int, _ request: ListRequest, _ provisioner: Provisioner, on connection: any SQLConnection
    ) throws -> ListPage {
        if let filter = request.filter {
            let found = try matching(filter, for: provisioner, on: connection)
            return page(of: found.dropFirst(start - 1).prefix(request.count), total: Int64(found.count))
        }
        let total = try Accounts.count(brand: provisioner.brand, upTo: Self.mostIndexed + 1, on: connection)
        guard total <= Self.mostIndexed else { throw Self.tooMany }
        let named =
            start > total
            ? []
            : try Accounts.list(
                brand: provisioner.brand, skipping: start - 1, limit: request.count, on: connection)
        return page(of: try users(named, provisioner, on: connection), total: Int64(total))
    }

    func page(
        after place: String?, _ request: ListRequest, for provisioner: Provisioner, on connection: any SQLConnection
    ) throws -> ListPage {
        guard let place else { return try page(at: request.startIndex, request, provisioner, on: connection) }
        let found: [Found]
        if let filter = request.filter {
            found = try matching(filter, for: provisioner, on: connection)
                .filter { place.utf8.lexicographicallyPrecedes($0.name.utf8) }
        } else {
            let named = try Accounts.list(
                brand: provisioner.brand, after: place, limit: request.count + 1, on: connection)
            found = try users(named, provisioner, on: connection)
        }
        let shown = found.prefix(request.count)
        return page(of: shown, next: found.count > shown.count ? shown.last?.name : nil)
    }

    // MARK: - Filters

    struct Found: Sendable {
        let user: StoredUser
        /// Mapped: the order of every list.
        let name: String
    }

    private func users(
        _ named: [NamedAccount], _ provisioner: Provisioner, on connection: any SQLConnection
    ) throws -> [Found] {
        try named.compactMap { one in
            try StoredUser(one.account, for: provisioner, on: connection).map { Found(user: $0, name: one.name) }
        }
    }

    /// The accounts that fulfill a filter, in order.
    /// - Throws: ``SCIMFailure`` if no index leads to few enough.
    private func matching(
        _ filter: SCIMFilter, for provisioner: Provisioner, on connection: any SQLConnection
    ) throws -> [Found] {
        var seen: Set<UniqueID> = []
        return try candidates(filter, for: provisioner, on: connection)
            .filter { seen.insert($0.user.account.id).inserted }
            .filter { filter.matches(documents.document(of: $0.user)) }
            .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    static func lookup(_ name: String, _ comparison: SCIMFilter.Comparison, _ text: String) -> Lookup? {
        switch (name, comparison) {
        case ("id", .eq): .id(text)
        case ("userName", .eq): .username(text)
        case ("userName", .sw): text.isEmpty ? nil : .prefix(text)
        case ("externalId", .eq): .externalID(text)
        case ("emails.value", .eq): .email(text)
        case ("groups.value", .eq): .group(text)
        default: nil
        }
    }

    func few(for provisioner: Provisioner, on connection: any SQLConnection) throws -> [Found] {
        let named = try Accounts.list(brand: provisioner.brand, limit: Self.mostCompared + 1, on: connection)
        guard named.count <= Self.mostCompared else { throw Self.tooMany }
        return try users(named, provisioner, on: connection)
    }

    func find(
        _ lookup: Lookup, for provisioner: Provisioner, on connection: any SQLConnection
    ) throws -> [Found] {
        let limit = Self.mostCompared + 1
        let ids: [UniqueID]
        switch lookup {
        case .id(let text): ids = UniqueID(uuid: text).map { [$0] } ?? []
        case .username(let text):
            guard let name = try? Username(text),
                let account = try Accounts.find(named: name.rawValue, brand: provisioner.brand, on: connection)
            else { return [] }
            ids = [account.id]
        case .prefix(let text):
            guard let prefix = Accounts.mappedPrefix(text) else { return [] }
            return try users(
                Accounts.list(brand: provisioner.brand, prefix: prefix, limit: limit, on: connection), provisioner,
                on: connection)
        case .externalID(let text):
            guard !text.contains("\0") else { return [] }
            ids = try ProvisionedTable.accounts.having(text, by: provisioner.id, limit: limit, on: connection)
        case .email(let text):
            guard let address = try? EmailAddress(text) else { return [] }
            ids = try AccountDigests.holders(
                of: AccountDigests.compared(address), brand: BrandID(provisioner.brand), sealing: sealing,
                now: provisioner.now, limit: limit, on: connection)
        case .group(let text):
            guard provisioner.hasGroups, let id = try? MerchantID(text).rawValue,
                try Merchants.find(id, installedWith: provisioner.id, on: connection) != nil
            else { return [] }
            ids = try Merchants.employees(
                of: id, brand: provisioner.brand, now: provisioner.now, limit: limit, on: connection)
        }
        return try ids.compactMap { id in
            guard let user = try StoredUser.find(id.uuid, for: provisioner, on: connection),
                let name = try Accounts.mappedName(of: id, on: connection)
            else { return nil }
            return Found(user: user, name: name)
        }
    }
}
