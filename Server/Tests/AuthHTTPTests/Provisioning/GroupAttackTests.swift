import Core
import Foundation
import HTTPTypes
import HummingbirdTesting
import Kernel
import Operations
import Store
import Testing
import WalletAuthWire

@Suite(
    "What a directory cannot do to merchants", .covers("SCIM 2.0 (RFC 7643, RFC 7644)"),
    .threat("A directory's rights over accounts"))
struct GroupAttackTests {
    private func use(_ body: @escaping @Sendable (TestServer, DirectoryOverHTTP) async throws -> Void) async throws {
        try await DirectoryOverHTTP.use(scopes: ["scim", "scim_groups"], body)
    }

    private func add(_ members: String) -> String { #"{"op": "add", "path": "members", "value": [\#(members)]}"# }

    private func isEmployed(_ id: String, at server: TestServer) async throws -> Bool {
        let account = try #require(UniqueID(uuid: id))
        return try await server.server.context.database.read { try Merchants.isEmployed(account, on: $0) }
    }

    @Test(
        "attack: without scim_groups a client neither reads nor changes a group, even at a merchant where it is installed"
    )
    func scope() async throws {
        try await DirectoryOverHTTP.use { server, directory in
            let ada = try await directory.create(#""userName": "ada""#)
            try await server.execute(["merchant", "create", "bakery", "--name", "Bakery"])
            try await server.execute(["merchant", "install-client", "bakery", "--client", "okta"])
            try await server.execute(["merchant", "add-employee", "bakery", "ada"])
            for (method, path, body) in [
                (.get, "/Groups", nil), (.get, "/Groups/bakery", nil), (.delete, "/Groups/bakery", nil),
                (.post, "/Groups", #"{"displayName": "Dairy"}"#), (.post, "/Groups/.search", "{}"),
                (.put, "/Groups/bakery", #"{"displayName": "Dairy", "members": []}"#),
            ] as [(HTTPRequest.Method, String, String?)] {
                let answer = try await directory.send(method, path, body)
                #expect(answer.status == .forbidden, "\(method) \(path)")
                #expect(try answer.member("status") == "403")
            }
            #expect(try await isEmployed(ada, at: server))
            #expect(try await directory.send(.get, "/Users/\(ada)").json["groups"] == nil)
            #expect(try await directory.names("filter=groups.value%20eq%20%22bakery%22") == [])
            #expect(try await directory.send(.get, "/ResourceTypes").json["totalResults"] == 1)
            try await server.execute(["client", "update", "okta", "--add-scope", "scim_groups"])
            #expect(try await directory.send(.get, "/ResourceTypes").json["totalResults"] == 2)
            #expect(try await directory.send(.get, "/Groups/bakery").status == .ok)
        }
    }

    @Test("attack: a merchant where the client is not installed is as unknown as none")
    func reach() async throws {
        try await use { server, directory in
            let ada = try await directory.create(#""userName": "ada""#)
            try await server.execute(["merchant", "create", "bakery", "--name", "Bakery"])
            let other = try await DirectoryOverHTTP.open(
                "entra", at: server, directory.client, scopes: ["scim", "scim_groups"])
            let theirs = try await other.createGroup("Dairy", members: [ada])
            for id in ["bakery", theirs] {
                for (method, body) in [
                    (.get, nil), (.delete, nil), (.put, #"{"displayName": "x"}"#),
                    (.patch, #"{"Operations": [\#(add(#"{"value": "\#(ada)"}"#))]}"#),
                ] as [(HTTPRequest.Method, String?)] {
                    let there = try await directory.send(method, "/Groups/\(id)", body)
                    let none = try await directory.send(method, "/Groups/none", body)
                    #expect(there.status == .notFound, "\(method) \(id)")
                    #expect(there.text == none.text)
                }
                let found = try await directory.send(.get, "/Groups?filter=id%20eq%20%22\(id)%22").json
                #expect(found["totalResults"] == 0)
            }
            #expect(try await directory.send(.get, "/Groups").json["totalResults"] == 0)
            #expect(try await directory.send(.get, "/Users/\(ada)").json["groups"] == nil)
            #expect(try await other.send(.get, "/Groups/\(theirs)").json["members"]?.array?.count == 1)
        }
    }

    @Test("attack: an unknown member, one of another brand, an erased one and one that is no user change nothing")
    func members() async throws {
        try await use { server, directory in
            try await server.execute(["brand", "create", "other", "--name", "Other"])
            let elsewhere = try await DirectoryOverHTTP.open("entra", at: server, directory.client, brand: "other")
            let foreign = try await elsewhere.create(#""userName": "ada""#)
            let (ada, erased) = (
                try await directory.create(#""userName": "ada""#), try await directory.create(#""userName": "gone""#)
            )
            _ = try await directory.send(.delete, "/Users/\(erased)")
            let id = try await directory.createGroup("Bakery")
            let before = try await directory.send(.get, "/Groups/\(id)").text
            var texts: Set<String> = []
            for member in [foreign, erased, "00000000-0000-4000-8000-000000000000", "ada", ada.uppercased()] {
                let value = #"{"value": "\#(ada)"}, {"value": "\#(member)"}"#
                for answer in [
                    try await directory.patch(id, of: "Groups", add(value)),
                    try await directory.send(
                        .put, "/Groups/\(id)", #"{"displayName": "Dairy", "members": [\#(value)]}"#),
                    try await directory.send(.post, "/Groups", #"{"displayName": "Dairy", "members": [\#(value)]}"#),
                ] {
                    #expect(answer.status == .badRequest, "\(member) \(answer.text)")
                    texts.insert(answer.text)
                }
            }
            #expect(texts.count == 1, "no answer says which of them exist: \(texts)")
            for member in [
                #"{"value": "\#(ada)", "type": "Group"}"#, #"{"type": "User"}"#, "7", #"{"value": 7}"#,
                #"{"value": "\#(ada)", "$ref": "\#(TestServer.issuer)/scim/v2/Users/\#(foreign)"}"#,
            ] {
                let answer = try await directory.patch(id, of: "Groups", add(member))
                #expect(answer.status == .badRequest, "\(member) \(answer.text)")
                #expect(try answer.member("scimType") == "invalidValue")
            }
            #expect(try await directory.send(.get, "/Groups/\(id)").text == before)
            #expect(try await directory.send(.get, "/Groups").json["totalResults"] == 1)
            // Given twice, a member is one.
            let twice = add(#"{"value": "\#(ada)"}, {"value": "\#(ada)"}"#)
            let doubled = try await directory.patch(id, of: "Groups", twice + "," + twice)
            #expect(try doubled.json["members"]?.array?.count == 1, "\(doubled.text)")
        }
    }

    @Test("attack: values without a supported part are refused, so that a replacement by them removes nothing")
    func unsupportedParts() async throws {
        try await use { _, directory in
            let members = #""emails": [{"value": "ada@example.com"}], "phoneNumbers": [{"value": "+35921234567"}]"#
            let ada = try await directory.create(#""userName": "ada", "# + members)
            let id = try await directory.createGroup("Bakery", members: [ada])
            for (path, names) in [
                ("/Groups/\(id)", ["members"]), ("/Users/\(ada)", ["emails", "phoneNumbers"]),
            ] {
                let before = try await directory.send(.get, path).text
                for name in names {
                    for value in [#"[{"display": "Ada"}]"#, "[{}]", #"{"display": "Ada"}"#] {
                        for operation in ["replace", "add", "remove"] {
                            let change = #"{"op": "\#(operation)", "path": "\#(name)", "value": \#(value)}"#
                            let answer = try await directory.send(.patch, path, #"{"Operations": [\#(change)]}"#)
                            #expect(try answer.member("scimType") == "invalidValue", "\(change) \(answer.text)")
                        }
                        let put = try await directory.send(
                            .put, path, #"{"displayName": "Bakery", "userName": "ada", "\#(name)": \#(value)}"#)
                        #expect(put.status == .badRequest, "\(name) \(value) \(put.text)")
                    }
                }
                #expect(try await directory.send(.get, path).text == before)
            }
            // An empty array is no value, as RFC 7643 says.
            let emptied = #"{"op": "replace", "path": "members", "value": []}"#
            #expect(try await directory.patch(id, of: "Groups", emptied).json["members"] == nil)
        }
    }

    @Test("attack: another brand's employees are neither shown nor removed")
    func brands() async throws {
        try await use { server, directory in
            try await server.execute(["brand", "create", "other", "--name", "Other"])
            let elsewhere = try await DirectoryOverHTTP.open("entra", at: server, directory.client, brand: "other")
            let foreign = try await elsewhere.create(#""userName": "grace""#)
            try await server.execute(["merchant", "create", "bakery", "--name", "Bakery"])
            try await server.execute(["merchant", "install-client", "bakery", "--client", "okta"])
            try await server.execute(["merchant", "add-employee", "bakery", "grace", "--brand", "other"])
            #expect(try await directory.send(.get, "/Groups/bakery").json["members"] == nil)
            let removal = #"{"op": "remove", "path": "members[value eq \"\#(foreign)\"]"}"#
            #expect(try await directory.patch("bakery", of: "Groups", removal).status == .ok)
            _ = try await directory.patch("bakery", of: "Groups", #"{"op": "remove", "path": "members"}"#)
            #expect(try await directory.send(.delete, "/Groups/bakery").status == .noContent)
            #expect(try await isEmployed(foreign, at: server))
        }
    }

    @Test("attack: an operator becomes no employee and stays one unseen, whatever a client makes of the members")
    func operators() async throws {
        try await use { server, directory in
            var ids: [String] = []
            for name in ["ada", "bob", "grace", "maria"] {
                ids.append(try await directory.create(#""userName": "\#(name)""#))
            }
            let (ada, bob, grace, maria) = (ids[0], ids[1], ids[2], ids[3])
            let id = try await directory.createGroup("Bakery", members: [ada, maria])
            for name in ["ada", "grace"] {
                try await server.execute(AdminRequest(["operator", "grant", name, "--role", "support"]))
            }
            try await server.execute(["operator", "grant", "bob", "--role", "support", "--link"])
            try await server.execute(AdminRequest(["merchant", "add-employee", id, "bob"]))
            let shown = try await directory.send(.get, "/Groups/\(id)").json
            #expect(shown["members"]?.array?.compactMap { $0.object?["value"]?.string } == [maria])
            #expect(try await directory.send(.get, "/Users/\(ada)").json["groups"] == nil)
            #expect(
                try await directory.patch(id, of: "Groups", add(#"{"value": "\#(grace)"}"#)).status == .forbidden)
            // A replacement goes through with them and without.
            let both = #"{"value": "\#(ada)"}, {"value": "\#(maria)"}"#
            for operation in [
                #"{"op": "replace", "path": "members", "value": [\#(both)]}"#, add(#"{"value": "\#(bob)"}"#),
                #"{"op": "remove", "path": "members[value eq \"\#(ada)\"]"}"#,
            ] {
                let answer = try await directory.patch(id, of: "Groups", operation)
                #expect(answer.status == .ok, "\(operation) \(answer.text)")
                #expect(try answer.json == shown, "\(operation)")
            }
            let put = try await directory.send(.put, "/Groups/\(id)", #"{"displayName": "Bakery", "members": []}"#)
            #expect(try put.json["members"] == nil, "\(put.text)")
            #expect(try await !isEmployed(maria, at: server))
            #expect(try await directory.send(.delete, "/Groups/\(id)").status == .noContent)
            for id in [ada, bob] { #expect(try await isEmployed(id, at: server)) }
            #expect(try await !isEmployed(grace, at: server))
        }
    }

    @Test("attack: malformed groups and changes are refused as SCIM says, and change nothing")
    func malformed() async throws {
        try await use { _, directory in
            let ada = try await directory.create(#""userName": "ada""#)
            let id = try await directory.createGroup("Bakery", members: [ada])
            let before = try await directory.send(.get, "/Groups/\(id)").text
            for (body, kind) in [
                ("{}", "invalidValue"), (#"{"displayName": ""}"#, "invalidValue"),
                (#"{"displayName": null}"#, "invalidValue"), (#"{"displayName": 7}"#, "invalidValue"),
                (#"{"displayName": "Bank\u202e"}"#, "invalidValue"), (#"{"members": []}"#, "invalidValue"),
                (#"{"displayName": "a", "DisplayName": "b"}"#, "invalidSyntax"), ("{", "invalidSyntax"),
            ] {
                let answer = try await directory.send(.post, "/Groups", body)
                #expect(answer.status == .badRequest, "\(body) \(answer.text)")
                #expect(try answer.member("scimType") == kind, "\(body) \(answer.text)")
            }
            let selected = #"members[value eq \"\#(ada)\"]"#
            for (operation, kind) in [
                (#"{"op": "remove", "path": "displayName"}"#, "invalidValue"),
                (#"{"op": "replace", "path": "\#(selected).value", "value": "x"}"#, "mutability"),
                (#"{"op": "replace", "path": "\#(selected)", "value": {"value": "x"}}"#, "mutability"),
                (#"{"op": "remove", "path": "members.value"}"#, "mutability"),
                (#"{"op": "remove", "path": "members[type eq \"User\"]"}"#, "invalidFilter"),
                (#"{"op": "remove", "path": "members[value eq \"a\""}"#, "invalidPath"),
                (#"{"op": "replace", "path": "id", "value": "x"}"#, "mutability"),
                (#"{"op": "add", "path": "userName", "value": "x"}"#, "invalidPath"),
            ] {
                // The change before it is dropped as well.
                let answer = try await directory.patch(
                    id, of: "Groups", #"{"op": "remove", "path": "members"}, "# + operation)
                #expect(answer.status == .badRequest, "\(operation) \(answer.text)")
                #expect(try answer.member("scimType") == kind, "\(operation) \(answer.text)")
            }
            let none = try await directory.patch(id, of: "Groups", #"{"op": "remove", "path": "members", "value": []}"#)
            #expect(none.status == .ok, "\(none.text)")
            #expect(try await directory.send(.get, "/Groups/\(id)").text == before)
            #expect(try await directory.send(.post, "/Groups/\(id)", "{}").status == .methodNotAllowed)
        }
    }

    @Test("A group has 10,000 members, a request changes 1,000 of them, and a page ends with that many")
    func large() async throws {
        try await use { server, directory in
            let ada = try await directory.create(#""userName": "ada""#)
            let (large, next) = (try await directory.createGroup("Large"), try await directory.createGroup("Next"))
            try await server.server.context.database.write { connection in
                try connection.execute(
                    """
                    INSERT INTO accounts (id, brand_id, state, security_version, password_state, email_state, created_at)
                    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 10000)
                    SELECT CAST(printf('%016d', n) AS BLOB), 'default', 'active', 1, 'none', 'none', 0 FROM numbers
                    """, [])
                for (id, most) in [(large, Int64(10_000)), (next, 1_001)] {
                    try connection.execute(
                        """
                        INSERT INTO merchant_employees (account_id, merchant_id, created_at)
                        SELECT id, $1, 0 FROM accounts WHERE created_at = 0 ORDER BY id LIMIT $2
                        """, [.text(id), .integer(most)])
                }
            }
            let shown = try await directory.send(.get, "/Groups/\(large)").text
            let group = try JSONValue.object(parsing: Array(shown.utf8), limits: JSONLimits(bytes: 4 << 20))
            let members = group["members"]?.array ?? []
            #expect(members.count == 10_000)
            let full = try await directory.patch(large, of: "Groups", add(#"{"value": "\#(ada)"}"#))
            #expect(try full.member("scimType") == "tooMany", "\(full.text.prefix(200))")
            let emptied = try await directory.patch(large, of: "Groups", #"{"op": "remove", "path": "members"}"#)
            #expect(try emptied.member("scimType") == "tooMany", "\(emptied.text.prefix(200))")
            let first = try #require(members.first?.object?["value"]?.string)
            let removal = #"{"op": "remove", "path": "members[value eq \"\#(first)\"]"}"#
            let changed = try await directory.patch(
                large, of: "Groups", removal, [.ifMatch: #require(group["meta"]?.object?["version"]?.string)])
            let left = try JSONValue.object(parsing: Array(changed.text.utf8), limits: JSONLimits(bytes: 4 << 20))
            #expect(left["members"]?.array?.count == 9_999)
            // Both are more than a page has.
            let listed = try await directory.send(.get, "/Groups").text
            let page = try JSONValue.object(parsing: Array(listed.utf8), limits: JSONLimits(bytes: 4 << 20))
            #expect(page["totalResults"] == 2 && page["itemsPerPage"] == 1)
            let many = (1...1_001).map { #"{"value": "00000000-0000-4000-8000-\#(String(100_000_000_000 + $0))"}"# }
            let added = try await directory.patch(next, of: "Groups", add(many.joined(separator: ",")))
            #expect(try added.member("scimType") == "invalidValue", "\(added.text)")
            let over = try await directory.patch(
                next, of: "Groups", add(many.prefix(201).joined(separator: ",")))
            #expect(try over.member("scimType") == "tooMany", "\(over.text)")
            #expect(over.text.contains("at most 200 members"), "\(over.text)")
            // It takes several writes.
            #expect(try await directory.send(.delete, "/Groups/\(next)").status == .noContent)
            let employees = try await server.server.context.database.read {
                try Merchants.employees(of: next, brand: "default", now: Timestamp(seconds: 0), limit: 1, on: $0)
            }
            #expect(employees.isEmpty)
        }
    }
}
