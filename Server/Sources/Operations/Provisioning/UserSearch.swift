internal import Core
internal import Foundation
internal import Kernel
internal import Store
internal import WalletAuthWire
internal import Web

/// Finds accounts for a directory, by what an index has: no request reads the accounts of a large brand.
struct UserSearch: Sendable {
    let database: any Database
    let sealing: SealingKeys
    let documents: UserDocuments

    /// The most accounts that a filter is compared with.
    static let mostCompared = 1_000
    /// The most accounts of a brand that are listed by index. Larger ones are listed by cursor.
    static let mostIndexed = 10_000

    /// The place in a list. It is sealed, since it is a key of the database.
    private struct Cursor: Codable, Sendable {
        var client: String
        var filter: String
        /// The mapped user name of the last account.
        var place: String
    }

    private var cursors: SealedState<Cursor> {
        SealedState(sealing, purpose: .signIn, label: "scim-page", lifetime: Self.cursorLifetime, restore: .spares)
    }

    static let cursorLifetime = Duration.hours(1)

    private static let tooMany = SCIMFailure(
        .tooMany,
        """
        Too many accounts. Filter by id, userName, externalId or emails with eq, by userName with sw, or list all of \
        them by cursor.
        """)

    /// One way to a few accounts.
    private enum Lookup: Sendable {
        case id(String)
        case username(String)
        case prefix(String)
        case externalID(String)
        case email(String)
    }

    /// Whether a list reads accounts by the thousand, and not a few that an index names.
    static func isScan(_ request: ListRequest) -> Bool {
        guard let filter = request.filter else { return request.cursor == nil }
        return lookups(filter)?.contains { if case .prefix = $0 { true } else { false } } ?? true
    }

    func list(_ request: ListRequest, for provisioner: Provisioner) async throws -> JSONObject {
        var page: Page
        if let cursor = request.cursor {
            let place = try self.place(cursor, request, provisioner)
            page = try await database.read { try self.page(after: place, request, provisioner, on: $0) }
        } else {
            page = try await database.read { try self.page(at: request.startIndex, request, provisioner, on: $0) }
        }
        var json = JSONObject()
        json.set("schemas", ["urn:ietf:params:scim:api:messages:2.0:ListResponse"])
        json.set("totalResults", page.total)
        json.set("itemsPerPage", Int64(page.users.count))
        if request.cursor == nil { json.set("startIndex", Int64(request.startIndex)) }
        json.set(
            "nextCursor",
            try page.next.map {
                try cursors.seal(
                    Cursor(client: provisioner.id, filter: request.filterText, place: $0), now: provisioner.now)
            })
        json["Resources"] = .array(
            page.users.map { .object(request.selection.applied(to: documents.document(of: $0))) })
        return json
    }

    // MARK: - Pages

    private struct Page: Sendable {
        var users: [StoredUser]
        /// `nil` where no one counted.
        var total: Int64?
        var next: String?
    }

    private func place(_ cursor: String, _ request: ListRequest, _ provisioner: Provisioner) throws -> String {
        guard !cursor.isEmpty else { return "" }
        guard let opened = cursors.open(cursor, now: provisioner.now) else {
            throw cursors.openExpired(cursor) == nil
                ? SCIMFailure(.invalidCursor, "The cursor is none of this server.")
                : SCIMFailure(.expiredCursor, "The cursor has expired. Begin again.")
        }
        guard opened.client == provisioner.id, opened.filter == request.filterText else {
            throw SCIMFailure(.invalidCursor, "The cursor belongs to another list.")
        }
        return opened.place
    }

    private func page(
        at start: Int, _ request: ListRequest, _ provisioner: Provisioner, on connection: any SQLConnection
    ) throws -> Page {
        if let filter = request.filter {
            let found = try matching(filter, for: provisioner, on: connection)
            return Page(
                users: found.dropFirst(start - 1).prefix(request.count).map(\.user), total: Int64(found.count))
        }
        let total = try Accounts.count(brand: provisioner.brand, upTo: Self.mostIndexed + 1, on: connection)
        guard total <= Self.mostIndexed else { throw Self.tooMany }
        let named =
            start > total
            ? []
            : try Accounts.list(
                brand: provisioner.brand, skipping: start - 1, limit: request.count, on: connection)
        return Page(users: try users(named, provisioner, on: connection).map(\.user), total: Int64(total))
    }

    private func page(
        after place: String, _ request: ListRequest, _ provisioner: Provisioner, on connection: any SQLConnection
    ) throws -> Page {
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
        return Page(users: shown.map(\.user), next: found.count > shown.count ? shown.last?.name : nil)
    }

    // MARK: - Filters

    private struct Found: Sendable {
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
        var candidates: [Found] = []
        if let lookups = Self.lookups(filter) {
            for lookup in lookups {
                candidates += try find(lookup, provisioner, on: connection)
                guard candidates.count <= Self.mostCompared else { throw Self.tooMany }
            }
        } else {
            let named = try Accounts.list(brand: provisioner.brand, limit: Self.mostCompared + 1, on: connection)
            guard named.count <= Self.mostCompared else { throw Self.tooMany }
            candidates = try users(named, provisioner, on: connection)
        }
        var seen: Set<UniqueID> = []
        return
            candidates
            .filter { seen.insert($0.user.account.id).inserted }
            .filter { filter.matches(documents.document(of: $0.user)) }
            .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    /// Ways to every account that fulfills a filter, and to others perhaps; `nil` if no index leads there.
    private static func lookups(_ filter: SCIMFilter, in parent: SCIMAttribute? = nil) -> [Lookup]? {
        switch filter {
        case .compare(let path, let comparison, let value):
            guard let text = value.string else { return nil }
            let name =
                parent.map { "\($0.name).\(path.attribute.name)" }
                ?? [path.attribute.name, path.part?.name].compactMap { $0 }.joined(separator: ".")
            switch (name, comparison) {
            case ("id", .eq): return [.id(text)]
            case ("userName", .eq): return [.username(text)]
            case ("userName", .sw): return text.isEmpty ? nil : [.prefix(text)]
            case ("externalId", .eq): return [.externalID(text)]
            case ("emails.value", .eq): return [.email(text)]
            default: return nil
            }
        case .element(let attribute, let filter): return lookups(filter, in: attribute)
        case .and(let left, let right): return lookups(left, in: parent) ?? lookups(right, in: parent)
        case .or(let left, let right):
            guard let left = lookups(left, in: parent), let right = lookups(right, in: parent) else { return nil }
            return left + right
        case .present, .not: return nil
        }
    }

    private func find(
        _ lookup: Lookup, _ provisioner: Provisioner, on connection: any SQLConnection
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
            let prefix = text.lowercased().precomposedStringWithCanonicalMapping
            // No name has it, and not every engine takes it.
            guard !prefix.contains("\0") else { return [] }
            return try users(
                Accounts.list(brand: provisioner.brand, prefix: prefix, limit: limit, on: connection), provisioner,
                on: connection)
        case .externalID(let text):
            guard !text.contains("\0") else { return [] }
            ids = try ProvisionedAccounts.accounts(having: text, by: provisioner.id, limit: limit, on: connection)
        case .email(let text):
            guard let address = try? EmailAddress(text) else { return [] }
            ids = try AccountDigests.holders(
                of: AccountDigests.compared(address), brand: BrandID(provisioner.brand), sealing: sealing,
                now: provisioner.now, limit: limit, on: connection)
        }
        return try ids.compactMap { id in
            guard let user = try StoredUser.find(id.uuid, for: provisioner, on: connection),
                let name = try Accounts.mappedName(of: id, on: connection)
            else { return nil }
            return Found(user: user, name: name)
        }
    }
}
