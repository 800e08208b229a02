import Core
import Foundation
import HTTPTypes
import HummingbirdTesting
import Kernel
import NIOCore
import Operations
import Store
import Testing
import WalletAuthWire

@testable import HTTP

@Suite(
    "What a directory cannot do", .covers("SCIM 2.0 (RFC 7643, RFC 7644)"),
    .threat("A directory's rights over accounts"))
struct ProvisioningAttackTests {
    private func record(_ id: String, at server: TestServer) async throws -> AccountRecord {
        let id = try #require(UniqueID(uuid: id))
        return try #require(try await server.server.context.database.read { try Accounts.find(id, on: $0) })
    }

    @Test("Without the setting there is no such address")
    func off() async throws {
        try await TestServer.use { server in
            try await server.serve { client in
                let answer = try await client.get("/scim/v2/Users")
                #expect(answer.status == .notFound)
            }
        }
    }

    @Test("attack: no call without a token, with another scope, or after the scope was taken away")
    func callers() async throws {
        try await DirectoryOverHTTP.use { server, directory in
            let client = directory.client
            #expect(try await client.get("/scim/v2/Users").status == .unauthorized)
            let secret = try await server.makeBackend("shop") { $0.scopes = ["scim", "wallet_operations"] }
            let answer = try await client.post(
                "/oauth2/token",
                [
                    "grant_type": "client_credentials", "client_id": "shop", "client_secret": secret,
                    "scope": "wallet_operations",
                ])
            let token = try #require(try answer.member("access_token"))
            let narrow = DirectoryOverHTTP(client: client, token: token)
            #expect(try await narrow.send(.get, "/Users").status == .forbidden)
            let id = try await directory.create(#""userName": "ada""#)
            try await server.execute(["client", "update", "okta", "--remove-scope", "scim"])
            #expect(try await directory.send(.delete, "/Users/\(id)").status == .forbidden)
            #expect(try await record(id, at: server).state == .active)
        }
    }

    @Test("attack: an account of another brand is as unknown as none, by its id, its name and its address")
    func brands() async throws {
        try await DirectoryOverHTTP.use { server, directory in
            try await server.execute(["brand", "create", "other", "--name", "Other"])
            let other = try await DirectoryOverHTTP.open("entra", at: server, directory.client, brand: "other")
            let id = try await other.create(#""userName": "ada", "emails": [{"value": "ada@example.com"}]"#)
            for (method, body) in [
                (.get, nil), (.delete, nil), (.put, #"{"userName": "x"}"#),
                (.patch, #"{"Operations": [{"op": "replace", "path": "active", "value": false}]}"#),
            ] as [(HTTPRequest.Method, String?)] {
                let there = try await directory.send(method, "/Users/\(id)", body)
                let none = try await directory.send(method, "/Users/00000000-0000-4000-8000-000000000000", body)
                #expect(there.status == .notFound, "\(method)")
                #expect(there.text == none.text)
            }
            for filter in ["userName", "emails"] {
                #expect(try await directory.names("filter=\(filter)%20eq%20%22ada@example.com%22") == [])
            }
            #expect(try await directory.names("filter=userName%20eq%20%22ada%22") == [])
            #expect(try await other.send(.get, "/Users/\(id.uppercased())").status == .notFound)
            #expect(try await record(id, at: server).state == .active)
        }
    }

    @Test("attack: where erasing takes two operators, a directory closes what it created, and erases nothing")
    func twoOperators() async throws {
        try await TestServer.use(settings: { ($0.scim, $0.twoOperators) = (true, true) }) { server in
            try await server.serve { client in
                let directory = try await DirectoryOverHTTP.open("okta", at: server, client)
                let id = try await directory.create(#""userName": "maria""#)
                #expect(try await directory.send(.delete, "/Users/\(id)").status == .noContent)
                let user = try await directory.send(.get, "/Users/\(id)")
                #expect(try user.json["active"] == .bool(false), "\(user.text)")
            }
        }
    }

    @Test(
        "attack: an operator's account is neither changed, closed nor erased, nor that of a person invited to be one",
        arguments: [[], ["--link"]])
    func operators(link: [String]) async throws {
        try await DirectoryOverHTTP.use { server, directory in
            let id = try await directory.create(#""userName": "ada""#)
            try await server.execute(AdminRequest(["operator", "grant", "ada", "--role", "support"] + link))
            let before = try await record(id, at: server)
            for operation in [
                #"{"op": "replace", "path": "active", "value": false}"#,
                #"{"op": "replace", "path": "emails", "value": [{"value": "mallory@example.com"}]}"#,
                #"{"op": "replace", "path": "userName", "value": "mallory"}"#,
                #"{"op": "add", "path": "externalId", "value": "7"}"#,
            ] {
                #expect(try await directory.patch(id, operation).status == .forbidden, "\(operation)")
            }
            #expect(try await directory.send(.delete, "/Users/\(id)").status == .forbidden)
            #expect(try await record(id, at: server) == before)
        }
    }

    @Test("attack: a directory does not open what an operator closed, and does not erase what it did not create")
    func others() async throws {
        try await DirectoryOverHTTP.use { server, directory in
            try await server.makeAccount()
            let found = try await directory.send(.get, "/Users?filter=userName%20eq%20%22maria%22").json
            let id = try #require(found["Resources"]?.array?.first?.object?["id"]?.string)
            #expect(try await directory.send(.delete, "/Users/\(id)").status == .forbidden)
            let (close, open) = (
                #"{"op": "replace", "path": "active", "value": false}"#,
                #"{"op": "replace", "path": "active", "value": true}"#
            )
            #expect(try await directory.patch(id, close).status == .ok)
            #expect(try await record(id, at: server).deactivatedBy == .directory)
            #expect(try await directory.patch(id, open).status == .ok)
            try await server.execute(["account", "deactivate", "maria"])
            #expect(try await directory.patch(id, open).status == .forbidden)
            #expect(try await record(id, at: server).deactivatedBy == .operator)
            // An operator's decision takes the place of a directory's, too.
            try await server.execute(["account", "reactivate", "maria"])
            #expect(try await directory.patch(id, close).status == .ok)
            try await server.execute(["account", "deactivate", "maria"])
            #expect(try await directory.patch(id, open).status == .forbidden)
        }
    }

    @Test("attack: no member of a request confirms an address, sets a password or grants a role")
    func massAssignment() async throws {
        try await DirectoryOverHTTP.use { server, directory in
            let members = #"""
                "emails": [{"value": "ada@example.com", "verified": true}], "emailVerified": true, "password": "correct horse",
                "phoneNumbers": [{"value": "+35921234567"}], "roles": [{"value": "owner"}], "meta": {"version": "x"},
                "id": "00000000-0000-4000-8000-000000000000", "groups": [{"value": "admin"}], "state": "erased"
                """#
            let id = try await directory.create(#""userName": "ada", "# + members)
            let account = try await record(id, at: server)
            #expect(id != "00000000-0000-4000-8000-000000000000")
            #expect(account.emailState == .unverified)
            #expect(account.passwordState == .none)
            let (isOperator, profile) = try await server.server.context.database.read { connection in
                (
                    try Operators.find(account.id, on: connection) != nil,
                    AccountVault(server.server.context.sealing).profile(of: account)
                )
            }
            #expect(!isOperator && !profile.isPhoneVerified)
            let trusted = try await DirectoryOverHTTP.open(
                "entra", at: server, directory.client, scopes: ["scim", "scim_verified"])
            let other = try await trusted.create(#""userName": "grace", "emails": [{"value": "grace@example.com"}]"#)
            #expect(try await record(other, at: server).emailState == .verified)
        }
    }

    @Test("attack: a number that no one confirmed is no factor, and the directory reads it back")
    func unconfirmedNumbers() async throws {
        try await DirectoryOverHTTP.use { server, directory in
            let id = try await directory.create(#""userName": "ada", "phoneNumbers": [{"value": "+35921234567"}]"#)
            let vault = AccountVault(server.server.context.sealing)
            func require(_ number: String?) async throws {
                let account = try await record(id, at: server)
                #expect(account.phone == nil)
                #expect(vault.profile(of: account).entered.phone == number)
                let shown = try await directory.send(.get, "/Users/\(id)").json["phoneNumbers"]
                #expect(shown?.array?.first?.object?["value"]?.string == number)
            }
            try await require("+35921234567")
            let other = #"{"op": "replace", "path": "phoneNumbers", "value": [{"value": "+35921234568"}]}"#
            #expect(try await directory.patch(id, other).status == .ok)
            try await require("+35921234568")
            #expect(try await directory.patch(id, #"{"op": "remove", "path": "phoneNumbers"}"#).status == .ok)
            try await require(nil)
        }
    }

    @Test("attack: only scim_verified changes or removes a confirmed address or a number in use")
    func confirmedContacts() async throws {
        try await DirectoryOverHTTP.use { server, directory in
            let id = try await directory.create(#""userName": "ada", "emails": [{"value": "a@example.com"}]"#)
            try await server.execute(["account", "set-email", "ada", "--email", "ada@example.com", "--verified"])
            try await server.execute(["account", "set-phone", "ada", "--phone", "+35921234567"])
            let before = try await record(id, at: server)
            let changes = [
                #"{"op": "replace", "path": "emails", "value": [{"value": "mallory@example.com"}]}"#,
                #"{"op": "remove", "path": "emails"}"#,
                #"{"op": "replace", "path": "phoneNumbers", "value": [{"value": "+35921234568"}]}"#,
                #"{"op": "remove", "path": "phoneNumbers"}"#,
            ]
            for change in changes {
                let answer = try await directory.patch(id, change)
                #expect(answer.status == .forbidden, "\(change) \(answer.text)")
                #expect(try answer.member("scimType") == "mutability")
            }
            // Upper case alone is no other mailbox.
            let upper = #"{"op": "replace", "path": "emails", "value": [{"value": "Ada@Example.com"}]}"#
            #expect(try await directory.patch(id, upper).status == .ok)
            #expect(try await record(id, at: server) == before)
            let trusted = try await DirectoryOverHTTP.open(
                "entra", at: server, directory.client, scopes: ["scim", "scim_verified"])
            #expect(try await trusted.patch(id, upper).status == .ok)
            #expect(try await record(id, at: server) == before)
            for change in changes {
                #expect(try await trusted.patch(id, change).status == .ok, "\(change)")
            }
            let after = try await record(id, at: server)
            #expect(after.email == nil && after.phone == nil)
        }
    }

    @Test("attack: the number that a guest proved is in use, and no unconfirmed one takes its place")
    func provedNumbers() async throws {
        try await DirectoryOverHTTP.use { server, directory in
            let id = try await directory.create(#""userName": "ada", "phoneNumbers": [{"value": "+35921234567"}]"#)
            let account = try await record(id, at: server).id
            _ = try await server.server.context.database.write { connection in
                try connection.execute(
                    """
                    INSERT INTO loyalty_accounts
                        (account_id, number, merchant_id, integration_id, enrolled_at, phone_digest)
                    VALUES ($1, 123456789, 10101010, 'apple', 0, zeroblob(32))
                    """, [.id(account)])
            }
            let answer = try await directory.patch(id, #"{"op": "remove", "path": "phoneNumbers"}"#)
            #expect(answer.status == .forbidden, "\(answer.text)")
            #expect(try answer.member("scimType") == "mutability")
        }
    }

    @Test("attack: names that look alike or mix scripts, and those that differ in case only, are not taken twice")
    func confusables() async throws {
        try await DirectoryOverHTTP.use { _, directory in
            _ = try await directory.create(#""userName": "paypal""#)
            for (name, status, kind) in [
                ("PayPal", .conflict, "uniqueness"), ("ｐａｙｐａｌ", .conflict, "uniqueness"),
                ("p\u{430}ypal", .badRequest, "invalidValue"), ("pay\u{200B}pal", .badRequest, "invalidValue"),
                ("", .badRequest, "invalidValue"), ("pay pal", .badRequest, "invalidValue"),
            ] as [(String, HTTPResponse.Status, String)] {
                let answer = try await directory.send(.post, "/Users", "{\"userName\": \"\(name)\"}")
                #expect(answer.status == status, "\(name) \(answer.text)")
                #expect(try answer.member("scimType") == kind)
            }
        }
    }

    @Test("attack: an address that another account has confirmed becomes no user name")
    func addressesAsNames() async throws {
        try await DirectoryOverHTTP.use { server, directory in
            try await server.makeAccount("maria")
            try await server.execute(
                ["account", "set-email", "maria", "--email", "Maria@example.com", "--verified"])
            let id = try await directory.create(#""userName": "mallory""#)
            let rename = #"{"op": "replace", "path": "userName", "value": "MARIA@example.com"}"#
            for answer in [
                try await directory.send(.post, "/Users", #"{"userName": "maria@example.com"}"#),
                try await directory.send(.post, "/Users", #"{"userName": "ｍaria@example.com"}"#),
                try await directory.send(.put, "/Users/\(id)", #"{"userName": "maria@example.com"}"#),
                try await directory.patch(id, rename),
            ] {
                #expect(answer.status == .conflict, "\(answer.text)")
                #expect(try answer.member("scimType") == "uniqueness")
            }
            #expect(try await directory.names("filter=userName%20sw%20%22m%22") == ["mallory", "maria"])
            // Her own it may become, and an address that no one has confirmed.
            let found = try await directory.send(.get, "/Users?filter=userName%20eq%20%22maria%22").json
            let maria = try #require(found["Resources"]?.array?.first?.object?["id"]?.string)
            #expect(try await directory.patch(maria, rename).status == .ok)
            _ = try await directory.create(
                #""userName": "ada@example.com", "emails": [{"value": "grace@example.com"}]"#)
            _ = try await directory.create(#""userName": "grace@example.com""#)
        }
    }

    @Test("attack: a PATCH with thousands of values or changes is refused before any is compared")
    func costly() async throws {
        try await DirectoryOverHTTP.use { _, directory in
            let id = try await directory.create(#""userName": "ada""#)
            let many = Array(repeating: #""a""#, count: 8_000).joined(separator: ",")
            let add = #"{"op": "add", "path": "emails", "value": [\#(many)]}"#
            let operations = [add] + Array(repeating: #"{"op": "remove", "path": "emails"}"#, count: 41)
            let answer = try await directory.patch(id, operations.joined(separator: ","))
            #expect([.badRequest, .contentTooLarge].contains(answer.status), "\(answer.text)")
        }
    }

    @Test("attack: a member that is doubled in another case is refused, and nothing changes")
    func doubled() async throws {
        try await DirectoryOverHTTP.use { _, directory in
            let id = try await directory.create(#""userName": "ada""#)
            let before = try await directory.send(.get, "/Users/\(id)").text
            let urn = "urn:ietf:params:scim:schemas:core:2.0:User:displayName"
            for operation in [
                #"{"op": "replace", "value": {"userName": "grace", "username": "alan"}}"#,
                #"{"op": "replace", "value": {"displayName": "Grace", "\#(urn)": "Alan"}}"#,
                #"{"op": "replace", "path": "name", "value": {"givenName": "Grace", "GIVENNAME": "Alan"}}"#,
                #"{"op": "replace", "path": "emails", "value": [{"value": "a@example.com", "Value": "b@example.com"}]}"#,
                #"{"op": "replace", "OP": "remove", "path": "displayName", "value": "Grace"}"#,
                #"{"op": "replace", "value": {"displayName": "Grace", "nonsense": 1, "Nonsense": 2}}"#,
            ] {
                let answer = try await directory.patch(id, operation)
                #expect(answer.status == .badRequest, "\(operation) \(answer.text)")
                #expect(try answer.member("scimType") == "invalidSyntax")
            }
            let one = #"[{"op": "replace", "path": "displayName", "value": "Grace"}]"#
            for (method, path, body) in [
                (.post, "/Users", #"{"userName": "grace", "username": "alan"}"#),
                (.post, "/Users", #"{"userName": "grace", "name": {"givenName": "a", "givenname": "b"}}"#),
                (.put, "/Users/\(id)", #"{"userName": "grace", "USERNAME": "alan"}"#),
                (.patch, "/Users/\(id)", #"{"Operations": \#(one), "operations": \#(one)}"#),
            ] as [(HTTPRequest.Method, String, String)] {
                let answer = try await directory.send(method, path, body)
                #expect(answer.status == .badRequest, "\(body) \(answer.text)")
                #expect(try answer.member("scimType") == "invalidSyntax")
            }
            #expect(try await directory.send(.get, "/Users/\(id)").text == before)
            #expect(try await directory.names("") == ["ada"])
        }
    }

    @Test("attack: malformed, deep, doubled and huge input is refused as SCIM says")
    func malformed() async throws {
        try await DirectoryOverHTTP.use { _, directory in
            let deep = String(repeating: "[", count: 40) + String(repeating: "]", count: 40)
            for body in [
                "{", "[]", "\u{FEFF}{}", #"{"userName": "a", "userName": "b"}"#, #"{"userName": "a", "USERNAME": "b"}"#,
                #"{"userName": "a", "x": "# + deep + "}", #"{"userName": "\ud800"}"#,
            ] {
                let answer = try await directory.send(.post, "/Users", body)
                #expect(answer.status == .badRequest, "\(body) \(answer.text)")
                #expect(try answer.member("scimType") == "invalidSyntax", "\(body) \(answer.text)")
                #expect(answer.headers[.contentType] == "application/scim+json")
            }
            let broken = try await directory.client.execute(
                uri: "/scim/v2/Users", method: .post,
                headers: [.authorization: "Bearer \(directory.token)", .contentType: "application/scim+json"],
                body: ByteBuffer(bytes: Array(#"{"userName": ""#.utf8) + [0xC0, 0xAF] + Array(#""}"#.utf8)))
            #expect(try broken.member("scimType") == "invalidSyntax")
            for body in [
                #"{"userName": 7}"#, #"{"userName": "a", "emails": [7]}"#, #"{"userName": "a", "active": "perhaps"}"#,
            ] {
                let answer = try await directory.send(.post, "/Users", body)
                #expect(try answer.member("scimType") == "invalidValue", "\(body) \(answer.text)")
            }
            let filters = [
                "userName", "userName eq", "userName eq \"a", "userName eq 7", "userName zz \"a\"", "nonsense eq \"a\"",
                "userName eq \"a\" or", "userName eq \"a\" \"b\"", "(userName eq \"a\"", "not userName eq \"a\"",
                "active gt true", "emails[type eq \"work\"", String(repeating: "(", count: 9) + "userName pr",
                "userName eq \"\(String(repeating: "a", count: 2_000))\"",
                Array(repeating: "userName pr", count: 41).joined(separator: " or "),
            ]
            for filter in filters {
                let body = JSONValue.object(JSONObject(strings: ["filter": filter])).text
                let answer = try await directory.send(.post, "/Users/.search", body)
                #expect(answer.status == .badRequest, "\(filter) \(answer.text)")
                #expect(try answer.member("scimType") == "invalidFilter", "\(filter) \(answer.text)")
            }
            let id = try await directory.create(#""userName": "ada""#)
            for (operation, kind) in [
                (#"{"op": "move", "path": "active"}"#, "invalidSyntax"), ("7", "invalidSyntax"),
                (#"{"op": "remove"}"#, "noTarget"), (#"{"op": "add", "path": "emails[", "value": "a"}"#, "invalidPath"),
                (#"{"op": "add", "path": "active"}"#, "invalidValue"),
                (#"{"op": "replace", "path": "meta.version", "value": "a"}"#, "mutability"),
                (#"{"op": "add", "path": "userName[value eq \"a\"]", "value": "a"}"#, "invalidPath"),
            ] {
                let answer = try await directory.patch(id, operation)
                #expect(answer.status == .badRequest, "\(operation) \(answer.text)")
                #expect(try answer.member("scimType") == kind, "\(operation) \(answer.text)")
            }
            let form = try await directory.send(.post, "/Users", "a=b", [.contentType: "text/plain"])
            #expect(form.status == .unsupportedMediaType)
            let json = try await directory.send(.get, "/Nothing")
            #expect(try json.member("status") == "404")
            #expect(try await directory.send(.post, "/Schemas", "{}").status == .methodNotAllowed)
        }
    }
}
