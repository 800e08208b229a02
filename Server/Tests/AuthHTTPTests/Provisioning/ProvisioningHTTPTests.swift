import Foundation
import HTTPTypes
import HummingbirdTesting
import Kernel
import Operations
import Store
import Testing
import WalletAuthWire

@Suite("Accounts that a directory provisions", .covers("SCIM 2.0 (RFC 7643, RFC 7644)"))
struct ProvisioningHTTPTests {
    @Test("A refused caller gets an error of SCIM, with the challenge")
    func refusedCallers() async throws {
        try await DirectoryOverHTTP.use { _, directory in
            let without = try await directory.client.get("/scim/v2/Users")
            let wrong = try await DirectoryOverHTTP(client: directory.client, token: "none").send(.get, "/Users")
            for refused in [without, wrong] {
                #expect(refused.status == .unauthorized)
                #expect(refused.headers[.contentType] == "application/scim+json")
                #expect(refused.headers[.wwwAuthenticate] != nil)
                #expect(try refused.member("status") == "401", "\(refused.text)")
            }
        }
    }

    @Test("A user is created, read, listed, changed and erased, and each step is in the audit log with the client")
    func lifecycle() async throws {
        try await DirectoryOverHTTP.use { server, directory in
            let made = try await directory.send(
                .post, "/Users",
                """
                {"schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"], "userName": "Ada", "externalId": "7",
                "name": {"givenName": "Ada", "familyName": "Lovelace"}, "displayName": "Ada Lovelace", "active": true,
                "emails": [{"value": "home@example.com", "type": "home"},
                    {"value": "ada@example.com", "type": "work", "primary": true}],
                "phoneNumbers": [{"value": "tel:+44-20-7946-0000", "type": "work"}], "preferredLanguage": "en-GB,de;q=0.5",
                "title": "Countess", "password": "correct horse battery"}
                """)
            #expect(made.status == .created, "\(made.text)")
            #expect(made.headers[.contentType] == "application/scim+json")
            let id = try #require(try made.member("id"))
            #expect(made.headers[.location] == "\(TestServer.issuer)/scim/v2/Users/\(id)")
            let read = try await directory.send(.get, "/Users/\(id)")
            #expect(read.text == made.text)
            #expect(read.headers[.eTag] == made.headers[.eTag])
            let user = try read.json
            #expect(user["userName"] == "Ada")
            #expect(user["emails"] == [["value": "ada@example.com", "type": "work"]])
            #expect(user["phoneNumbers"] == [["value": "+442079460000", "type": "mobile"]])
            #expect(user["preferredLanguage"] == "en-GB")
            #expect(user["password"] == nil)
            #expect(try await directory.names("filter=externalId%20eq%20%227%22") == ["Ada"])

            let put = try await directory.send(
                .put, "/Users/\(id)", #"{"userName": "ada.king", "displayName": null, "emails": []}"#)
            #expect(put.status == .ok, "\(put.text)")
            #expect(try put.json["userName"] == "ada.king")
            #expect(try put.json["displayName"] == nil)
            #expect(try put.json["emails"] == nil)
            // What it left out stays.
            #expect(try put.json["phoneNumbers"] == user["phoneNumbers"])
            #expect(try await directory.send(.delete, "/Users/\(id)").status == .noContent)
            let gone = try await directory.send(.get, "/Users/\(id)")
            #expect(gone.status == .notFound)
            #expect(try gone.member("status") == "404")
            let events =
                try await server.execute(["audit", "tail", "--account", id]).document()["entries"]?.array ?? []
            let kinds = events.compactMap { $0.object?["event"]?.string ?? $0.object?["kind"]?.string }
            for kind in ["account.created", "account.profile_changed", "account.email_removed", "account.erased"] {
                #expect(kinds.contains(kind), "\(kinds)")
            }
            #expect(events.allSatisfy { $0.object?["clientId"] == "okta" }, "\(events)")
        }
    }

    @Test("Entra ID's spellings close and open an account, and change a part by a filter")
    func entra() async throws {
        try await DirectoryOverHTTP.use { _, directory in
            let id = try await directory.create(#""userName": "ada", "emails": [{"value": "a@example.com"}]"#)
            let closed = try await directory.patch(id, #"{"op": "Replace", "path": "ACTIVE", "value": "False"}"#)
            #expect(try closed.json["active"] == false, "\(closed.text)")
            let changed = try await directory.patch(
                id,
                """
                {"op": "Add", "value": {"active": "True", "name.familyName": "King", "nickName": "x"}},
                {"op": "Replace", "path": "name", "value": {"formatted": "Ada King"}},
                {"op": "Replace", "path": "emails[type eq \\"work\\"].value", "value": "b@example.com"},
                {"op": "Add", "path": "phoneNumbers[type eq \\"mobile\\"].value", "value": "+35921234567"},
                {"op": "Add", "path": "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:division",
                    "value": "x"}
                """)
            #expect(changed.status == .ok, "\(changed.text)")
            let user = try changed.json
            #expect(user["active"] == true)
            #expect(user["name"]?.object?["familyName"] == "King")
            #expect(user["emails"] == [["value": "b@example.com", "type": "work"]])
            #expect(user["phoneNumbers"] == [["value": "+35921234567", "type": "mobile"]])
            let missing = try await directory.patch(
                id, #"{"op": "replace", "path": "emails[type eq \"home\"].value", "value": "c@example.com"}"#)
            #expect(missing.status == .badRequest)
            #expect(try missing.member("scimType") == "noTarget")
        }
    }

    @Test("A change that fails at its last operation changes nothing")
    func atomic() async throws {
        try await DirectoryOverHTTP.use { _, directory in
            let id = try await directory.create(#""userName": "ada""#)
            _ = try await directory.create(#""userName": "grace""#)
            let before = try await directory.send(.get, "/Users/\(id)").text
            for last in [
                #"{"op": "replace", "path": "userName", "value": "grace"}"#,
                #"{"op": "replace", "path": "phoneNumbers", "value": [{"value": "12"}]}"#,
                #"{"op": "remove", "path": "userName"}"#, #"{"op": "replace", "path": "id", "value": "7"}"#,
                #"{"op": "replace", "path": "nonsense", "value": "x"}"#,
            ] {
                let answer = try await directory.patch(
                    id, #"{"op": "add", "path": "displayName", "value": "Changed"}, "# + last)
                #expect(answer.status == (last.contains("grace") ? .conflict : .badRequest), "\(answer.text)")
                #expect(try answer.member("scimType") != nil, "\(answer.text)")
                #expect(try await directory.send(.get, "/Users/\(id)").text == before)
            }
        }
    }

    @Test("Of two writers with the same version one wins, and the other gets 412")
    func versions() async throws {
        try await DirectoryOverHTTP.use { _, directory in
            let id = try await directory.create(#""userName": "ada""#)
            let version = try #require(try await directory.send(.get, "/Users/\(id)").headers[.eTag])
            #expect(
                try await directory.send(.get, "/Users/\(id)", nil, [.ifNoneMatch: version]).status == .notModified)
            let statuses = try await withThrowingTaskGroup(of: HTTPResponse.Status.self) { group in
                for number in 1...4 {
                    group.addTask {
                        try await directory.patch(
                            id, #"{"op": "add", "path": "displayName", "value": "Name \#(number)"}"#,
                            [.ifMatch: version]
                        ).status
                    }
                }
                return try await group.reduce(into: [HTTPResponse.Status]()) { $0.append($1) }
            }
            #expect(statuses.count { $0 == .ok } == 1, "\(statuses)")
            #expect(statuses.count { $0 == .preconditionFailed } == 3, "\(statuses)")
            let stale = try await directory.send(.delete, "/Users/\(id)", nil, [.ifMatch: version])
            #expect(stale.status == .preconditionFailed)
        }
    }

    @Test("Lists are paged by index and by cursor, filtered by what an index has, and show what was asked for")
    func lists() async throws {
        try await DirectoryOverHTTP.use { _, directory in
            for name in ["ada", "alan", "barbara", "grace"] {
                let email = #""emails": [{"value": "\#(name)@example.com"}]"#
                _ = try await directory.create(#""userName": "\#(name)", "displayName": "Dr \#(name)", \#(email)"#)
            }
            #expect(try await directory.names("startIndex=2&count=2") == ["alan", "barbara"])
            #expect(try await directory.names("startIndex=-3&count=1") == ["ada"])
            #expect(try await directory.names("count=0") == [])
            for (filter, found) in [
                ("userName eq \"ADA\"", ["ada"]), ("userName sw \"a\"", ["ada", "alan"]),
                ("emails eq \"Grace@example.com\"", ["grace"]),
                ("emails[type eq \"work\" and value eq \"ada@example.com\"]", ["ada"]),
                ("not (userName sw \"a\") and displayName co \"BAR\"", ["barbara"]),
                ("userName eq \"ada\" or userName eq \"grace\" or userName eq \"none\"", ["ada", "grace"]),
                ("displayName pr and userName gt \"alan\"", ["barbara", "grace"]),
                ("urn:ietf:params:scim:schemas:core:2.0:User:userName EQ \"alan\"", ["alan"]),
                ("active eq false", []),
                ("externalId eq null and active eq true and userName ew \"a\"", ["ada", "barbara"]),
            ] as [(String, [String])] {
                let query = try #require(filter.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
                #expect(try await directory.names("filter=\(query)") == found, "\(filter)")
            }
            var (names, cursor): ([String], String?) = ([], "")
            while let place = cursor {
                let page = try await directory.send(.get, "/Users?count=3&attributes=userName&cursor=\(place)").json
                let users = page["Resources"]?.array?.compactMap(\.object) ?? []
                #expect(users.allSatisfy { $0.names.sorted() == ["id", "schemas", "userName"] })
                names += users.compactMap { $0["userName"]?.string }
                cursor = page["nextCursor"]?.string
            }
            #expect(names == ["ada", "alan", "barbara", "grace"])
            let forged = try await directory.send(.get, "/Users?cursor=abcdefgh")
            #expect(try forged.member("scimType") == "invalidCursor")
            let search = try await directory.send(
                .post, "/Users/.search", #"{"filter": "userName sw \"g\"", "excludedAttributes": ["emails", "meta"]}"#)
            let found = try search.json["Resources"]?.array?.first?.object
            #expect(found?["displayName"] == "Dr grace" && found?["emails"] == nil, "\(search.text)")
        }
    }

    @Test("A large brand is not scanned: what no index finds is refused")
    func large() async throws {
        try await DirectoryOverHTTP.use { server, directory in
            try await server.server.context.database.write { connection in
                try connection.execute(
                    """
                    INSERT INTO accounts (id, brand_id, state, security_version, password_state, email_state, created_at)
                    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 10001)
                    SELECT CAST(printf('%016d', n) AS BLOB), 'default', 'active', 1, 'none', 'none', 0 FROM numbers
                    """, [])
                try connection.execute(
                    """
                    INSERT INTO account_names (brand_id, name, account_id)
                    SELECT 'default', 'p' || CAST(id AS TEXT), id FROM accounts WHERE created_at = 0
                    """, [])
            }
            for query in ["", "filter=displayName%20co%20%22a%22", "filter=userName%20sw%20%22p%22"] {
                let answer = try await directory.send(.get, "/Users?" + query)
                #expect(answer.status == .badRequest, "\(query) \(answer.text.prefix(200))")
                #expect(try answer.member("scimType") == "tooMany")
            }
            #expect(try await directory.names("filter=userName%20eq%20%22p0000000000000007%22").count == 1)
            #expect(try await directory.names("count=5&cursor=").count == 5)
        }
    }
}
