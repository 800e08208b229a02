import Foundation
import HTTPTypes
import HummingbirdTesting
import Kernel
import Operations
import Store
import Testing
import WalletAuthWire

@Suite("Merchants and their employees that a directory provisions", .covers("SCIM 2.0 (RFC 7643, RFC 7644)"))
struct GroupHTTPTests {
    private func use(_ body: @escaping @Sendable (TestServer, DirectoryOverHTTP) async throws -> Void) async throws {
        try await DirectoryOverHTTP.use(scopes: ["scim", "scim_groups"], body)
    }

    /// The ids of a group's members.
    private func members(_ id: String, _ directory: DirectoryOverHTTP) async throws -> Set<String> {
        let group = try await directory.send(.get, "/Groups/\(id)")
        try #require(group.status == .ok, "\(group.text)")
        return Set(try group.json["members"]?.array?.compactMap { $0.object?["value"]?.string } ?? [])
    }

    /// The names of the groups that a list has.
    private func names(_ query: String, _ directory: DirectoryOverHTTP) async throws -> [String] {
        let answer = try await directory.send(.get, "/Groups?" + query)
        try #require(answer.status == .ok, "\(answer.text)")
        return try answer.json["Resources"]?.array?.compactMap { $0.object?["displayName"]?.string } ?? []
    }

    @Test(
        "A search of everything has accounts and then groups, by index, and only the type that has the filter's attribute"
    )
    func everything() async throws {
        try await use { _, directory in
            let users = [
                try await directory.create(#""userName": "ada""#), try await directory.create(#""userName": "eve""#),
            ]
            let groups = [try await directory.createGroup("Bakery"), try await directory.createGroup("Dairy")]
            func ids(_ body: String) async throws -> Set<String> {
                let answer = try await directory.send(.post, "/.search", body)
                try #require(answer.status == .ok, "\(answer.text)")
                return Set(try answer.json["Resources"]?.array?.compactMap { $0.object?["id"]?.string } ?? [])
            }
            #expect(try await ids("{}") == Set(users + groups))
            let pages = [try await ids(#"{"count": 3}"#), try await ids(#"{"startIndex": 4, "count": 3}"#)]
            #expect(pages.map(\.count) == [3, 1])
            #expect(pages[0].isSuperset(of: users) && pages[0].union(pages[1]) == Set(users + groups))
            #expect(try await ids(#"{"filter": "displayName eq \"Dairy\""}"#) == [groups[1]])
            #expect(try await ids(#"{"filter": "userName eq \"eve\""}"#) == [users[1]])
            let unknown = try await directory.send(.post, "/.search", #"{"filter": "shoeSize eq 1"}"#)
            #expect(unknown.status == .badRequest)
            let cursor = try await directory.send(.post, "/.search", #"{"cursor": ""}"#)
            #expect(try cursor.member("scimType") == "invalidCursor")
        }
    }

    @Test("A group is created, read, changed and deleted, its members see it, and each step is in the audit log")
    func lifecycle() async throws {
        try await use { server, directory in
            let (ada, grace) = (
                try await directory.create(#""userName": "ada""#), try await directory.create(#""userName": "grace""#)
            )
            let made = try await directory.send(
                .post, "/Groups",
                """
                {"schemas": ["urn:ietf:params:scim:schemas:core:2.0:Group"], "displayName": "Bakery", "externalId": "7",
                "members": [{"value": "\(ada)", "display": "Ada", "type": "User"}]}
                """)
            #expect(made.status == .created, "\(made.text)")
            let id = try #require(try made.member("id"))
            #expect(made.headers[.location] == "\(TestServer.issuer)/scim/v2/Groups/\(id)")
            let read = try await directory.send(.get, "/Groups/\(id)")
            #expect(read.text == made.text)
            let version = try #require(read.headers[.eTag])
            let place = JSONValue.string("\(TestServer.issuer)/scim/v2/Users/\(ada)")
            #expect(try read.json["members"] == [["value": .string(ada), "$ref": place, "type": "User"]])
            let user = try await directory.send(.get, "/Users/\(ada)").json
            #expect(user["groups"]?.array?.first?.object?["value"] == .string(id))
            #expect(user["groups"]?.array?.first?.object?["display"] == "Bakery")

            let added = try await directory.patch(
                id, of: "Groups", #"{"op": "add", "path": "members", "value": [{"value": "\#(grace)"}]}"#,
                [.ifMatch: version])
            #expect(added.status == .ok, "\(added.text)")
            #expect(try await members(id, directory) == [ada, grace])
            let stale = try await directory.send(.delete, "/Groups/\(id)", nil, [.ifMatch: version])
            #expect(stale.status == .preconditionFailed)
            let removed = try await directory.patch(
                id, of: "Groups", #"{"op": "Remove", "path": "members[value eq \"\#(ada)\"]"}"#)
            #expect(removed.status == .ok, "\(removed.text)")
            #expect(try await members(id, directory) == [grace])
            let put = try await directory.send(.put, "/Groups/\(id)", #"{"displayName": "Old bakery"}"#)
            #expect(try put.json["displayName"] == "Old bakery", "\(put.text)")
            #expect(try await members(id, directory) == [grace], "what a PUT leaves out stays")
            _ = try await directory.send(.put, "/Groups/\(id)", #"{"displayName": "Old bakery", "members": []}"#)
            #expect(try await members(id, directory) == [])
            let replaced = try await directory.patch(
                id, of: "Groups", #"{"op": "replace", "value": {"members": [{"value": "\#(ada)"}]}}"#)
            #expect(replaced.status == .ok, "\(replaced.text)")
            #expect(try await directory.send(.delete, "/Groups/\(id)").status == .noContent)
            #expect(try await directory.send(.get, "/Groups/\(id)").status == .notFound)
            #expect(try await directory.send(.get, "/Users/\(ada)").json["groups"] == nil)

            let entries = try await server.execute(["audit", "tail", "--account", ada]).document()["entries"]
            let changes = entries?.array?.compactMap { $0.object?["details"]?.object?["change"]?.string } ?? []
            #expect(changes.sorted() == ["employee_added", "employee_added", "employee_removed", "employee_removed"])
            #expect(entries?.array?.allSatisfy { $0.object?["clientId"] == "okta" } == true)
        }
    }

    @Test("An operator's merchant is a group once the client is installed there, and its members act for it")
    func installed() async throws {
        try await use { server, directory in
            try await server.execute(["merchant", "create", "bakery", "--name", "Bakery"])
            let ada = try await directory.create(#""userName": "ada""#)
            let account = try #require(UniqueID(uuid: ada))
            #expect(try await directory.send(.get, "/Groups/bakery").status == .notFound)
            try await server.execute(["merchant", "install-client", "bakery", "--client", "okta"])
            try await server.execute(["merchant", "add-employee", "bakery", "ada"])
            #expect(try await members("bakery", directory) == [ada])
            let removal = #"{"op": "remove", "path": "members", "value": [{"value": "\#(ada)"}]}"#
            #expect(try await directory.patch("bakery", of: "Groups", removal).status == .ok)
            func isAdmitted() async throws -> Bool {
                try await server.server.context.database.read {
                    try Merchants.admission(of: account, client: "okta", merchant: "bakery", on: $0) == .admitted
                }
            }
            #expect(try await !isAdmitted())
            let addition = #"{"op": "add", "path": "members", "value": [{"value": "\#(ada)"}]}"#
            #expect(try await directory.patch("bakery", of: "Groups", addition).status == .ok)
            #expect(try await isAdmitted())
            // Entra ID's ids for it do not rename it.
            let put = try await directory.send(
                .put, "/Groups/bakery", #"{"displayName": "Bakery", "externalId": "9"}"#)
            #expect(put.status == .ok, "\(put.text)")
            let renamed = try await directory.send(.put, "/Groups/bakery", #"{"displayName": "Bank"}"#)
            #expect(renamed.status == .forbidden)
            #expect(try renamed.member("scimType") == "mutability")
            try await server.execute(["merchant", "remove-client", "bakery", "--client", "okta"])
            #expect(try await directory.send(.get, "/Groups/bakery").status == .notFound)
        }
    }

    @Test("Groups are paged by index and by cursor, and found by their ids, names and members")
    func lists() async throws {
        try await use { _, directory in
            let ada = try await directory.create(#""userName": "ada""#)
            var ids: [String: String] = [:]
            for name in ["Bakery", "Butcher", "Dairy", "Florist"] {
                let members = name.hasPrefix("B") ? [ada] : []
                ids[name] = try await directory.createGroup(name, members: members)
            }
            _ = try await directory.send(
                .patch, "/Groups/\(ids["Dairy"] ?? "")",
                #"{"Operations": [{"op": "add", "path": "externalId", "value": "d"}]}"#)
            let order = ids.sorted { $0.value < $1.value }.map(\.key)
            #expect(try await names("", directory) == order)
            #expect(try await names("startIndex=2&count=2", directory) == Array(order[1...2]))
            #expect(try await names("count=0", directory) == [])
            for (filter, found) in [
                ("displayName eq \"bakery\"", ["Bakery"]), ("displayName sw \"b\"", ["Bakery", "Butcher"]),
                ("id eq \"\(ids["Florist"] ?? "")\"", ["Florist"]), ("externalId eq \"d\"", ["Dairy"]),
                ("members.value eq \"\(ada)\"", ["Bakery", "Butcher"]),
                ("members[value eq \"\(ada)\"] and displayName co \"ch\"", ["Butcher"]),
                ("members eq \"\(ada)\"", ["Bakery", "Butcher"]), ("not (members pr)", ["Dairy", "Florist"]),
                ("id eq \"none\" or externalId eq \"none\"", []),
            ] as [(String, [String])] {
                let query = try #require(filter.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
                #expect(try await names("filter=\(query)", directory).sorted() == found, "\(filter)")
            }
            let bakery = try #require(
                "groups.value eq \"\(ids["Bakery"] ?? "")\"".addingPercentEncoding(
                    withAllowedCharacters: .alphanumerics))
            #expect(try await directory.names("filter=\(bakery)") == ["ada"])
            var (seen, cursor): ([String], String?) = ([], "")
            while let place = cursor {
                let page = try await directory.send(
                    .get, "/Groups?count=3&excludedAttributes=members&cursor=\(place)"
                ).json
                let groups = page["Resources"]?.array?.compactMap(\.object) ?? []
                #expect(groups.allSatisfy { $0["members"] == nil })
                seen += groups.compactMap { $0["displayName"]?.string }
                cursor = page["nextCursor"]?.string
            }
            #expect(seen == order)
            // A cursor of another list is none of this one.
            let users = try await directory.send(.get, "/Groups?count=1&cursor=").json["nextCursor"]?.string
            let foreign = try await directory.send(.get, "/Users?cursor=\(users ?? "")")
            #expect(try foreign.member("scimType") == "invalidCursor")
            let search = try await directory.send(
                .post, "/Groups/.search", #"{"filter": "displayName eq \"Dairy\"", "attributes": ["displayName"]}"#)
            let found = try search.json["Resources"]?.array?.first?.object
            #expect(found?.names.sorted() == ["displayName", "id", "schemas"], "\(search.text)")
        }
    }

    @Test("Of two writers with the same version of a group one wins, and the other gets 412")
    func versions() async throws {
        try await use { _, directory in
            let ada = try await directory.create(#""userName": "ada""#)
            let id = try await directory.createGroup("Bakery")
            let version = try #require(try await directory.send(.get, "/Groups/\(id)").headers[.eTag])
            let unchanged = try await directory.send(.get, "/Groups/\(id)", nil, [.ifNoneMatch: version])
            #expect(unchanged.status == .notModified)
            async let one = directory.patch(
                id, of: "Groups", #"{"op": "add", "path": "members", "value": [{"value": "\#(ada)"}]}"#,
                [.ifMatch: version])
            async let other = directory.patch(
                id, of: "Groups", #"{"op": "replace", "path": "displayName", "value": "Dairy"}"#, [.ifMatch: version])
            let statuses = [try await one.status, try await other.status]
            #expect(statuses.contains(.ok) && statuses.contains(.preconditionFailed), "\(statuses)")
        }
    }
}
