internal import Core
internal import Kernel
internal import WalletAuthWire
internal import Web

/// A page of a list (RFC 7644 §3.4.2).
struct ListPage: Sendable {
    var resources: [JSONObject]
    /// `nil` where no one counted.
    var total: Int64?
    /// The place after which the next page begins; `nil` if this is the last one, or for pages by index.
    var next: String?

    /// - Parameter startIndex: of a page by index.
    func document(startIndex: Int? = nil, nextCursor: String? = nil) -> JSONObject {
        var json = JSONObject()
        json.set("schemas", ["urn:ietf:params:scim:api:messages:2.0:ListResponse"])
        json.set("totalResults", total)
        json.set("itemsPerPage", Int64(resources.count))
        json.set("startIndex", startIndex.map(Int64.init))
        json.set("nextCursor", nextCursor)
        json["Resources"] = .array(resources.map { .object($0) })
        return json
    }
}

/// The cursors of one kind of lists (RFC 9865). They are sealed, since a place is a key of the database.
struct ListCursors: Sendable {
    private struct Cursor: Codable, Sendable {
        var client: String
        var filter: String
        var place: String
    }

    static let lifetime = Duration.hours(1)

    private let sealed: SealedState<Cursor>

    init(_ sealing: SealingKeys, label: String) {
        sealed = SealedState(sealing, purpose: .signIn, label: label, lifetime: Self.lifetime, restore: .spares)
    }

    /// The place after which the page begins that a request asks for; empty for the first one.
    /// - Returns: `nil` for a page by index.
    func place(of request: ListRequest, _ provisioner: Provisioner) throws -> String? {
        guard let cursor = request.cursor, !cursor.isEmpty else { return request.cursor }
        guard let opened = sealed.open(cursor, now: provisioner.now) else {
            throw sealed.openExpired(cursor) == nil
                ? SCIMFailure(.invalidCursor, "The cursor is none of this server.")
                : SCIMFailure(.expiredCursor, "The cursor has expired. Begin again.")
        }
        guard opened.client == provisioner.id, opened.filter == request.filterText else {
            throw SCIMFailure(.invalidCursor, "The cursor belongs to another list.")
        }
        return opened.place
    }

    /// The answer to a request.
    func answer(_ page: ListPage, to request: ListRequest, for provisioner: Provisioner) throws -> JSONObject {
        var page = page
        page.resources = page.resources.map(request.selection.applied)
        let cursor = try page.next.map {
            try sealed.seal(
                Cursor(client: provisioner.id, filter: request.filterText, place: $0), now: provisioner.now)
        }
        return page.document(startIndex: request.cursor == nil ? request.startIndex : nil, nextCursor: cursor)
    }
}
