import Core
import Crypto
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
@testable import Web

@Suite("The administration over HTTP", .covers("commands over HTTP"), .threat("An operator's rights over HTTP"))
struct AdminHTTPTests {
    private static let show = "/admin/v1/account/show"
    private static let list = "/admin/v1/account/list"

    /// Maria, signed in to the operators' app with two factors a moment ago, and a person whom she may help.
    private func withOperator(
        _ options: String..., scope: String = "openid admin",
        _ body: @Sendable (TestServer, PhoneOverHTTP) async throws -> Void
    ) async throws {
        try await TestServer.use(settings: { $0.adminAPI = true }) { server in
            try await server.serve { client in
                try await server.makePublicClient { $0.scopes.append("admin") }
                for name in [PhoneOverHTTP.username, "paul"] {
                    var registration = AccountRegistration(username: name, password: PhoneOverHTTP.password)
                    registration.email = "\(name)@example.com"
                    registration.emailVerified = true
                    registration.phone = "+35921234567"
                    registration.profile.address = "1 Main Street"
                    try await server.execute { try await AccountAdministration($0).create(registration) }
                }
                if !options.isEmpty {
                    try await server.execute(AdminRequest(["operator", "grant", "maria", "--role"] + options))
                }
                try await body(server, try await PhoneOverHTTP.signedIn(server, client, scope: scope))
            }
        }
    }

    private static func keySet() throws -> String {
        let signer = P256Signer(P256.Signing.PrivateKey(), keyID: "k1")
        return JSONValue.object(JWKSet([try #require(signer.publicJWK)]).json).text
    }

    private func write(_ server: TestServer, _ statement: String) async throws {
        try await server.server.context.database.write { _ = try $0.execute(statement, []) }
    }

    private func count(_ server: TestServer, _ kind: String) async throws -> Int64 {
        let query = "SELECT COUNT(*) AS n FROM security_events WHERE kind = '\(kind)'"
        return try await server.server.context.database.read { try $0.row(query, [])?.integer("n") ?? 0 }
    }

    /// A `GET`. The proof is about the address without its query.
    private func get(_ phone: PhoneOverHTTP, _ path: String, _ query: String = "") async throws -> TestResponse {
        let nonce = phone.server.server.context.proofs.currentNonce()
        let proof = try phone.key.proof(path, method: "GET", nonce: nonce, token: phone.token)
        return try await phone.send(.get, path + query, proof: proof)
    }

    private func expect(
        _ answer: TestResponse, _ status: HTTPResponse.Status, _ code: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(answer.status == status, "\(answer.text)", sourceLocation: sourceLocation)
        #expect(answer.headers[.contentType] == Problem.contentType, sourceLocation: sourceLocation)
        #expect(try answer.member("code") == code, "\(answer.text)", sourceLocation: sourceLocation)
        #expect(try answer.member("detail")?.isEmpty == false, sourceLocation: sourceLocation)
    }

    @Test("A command answers as the command line does with --json, and the call is recorded")
    func answers() async throws {
        try await withOperator("owner", "--all-brands") { server, phone in
            let shown = try await get(phone, Self.show, "?username=paul")
            #expect(shown.status == .ok, "\(shown.text)")
            let answer = try await server.execute(["account", "show", "paul"])
            #expect(try shown.json == answer.document())
            let changed = try await phone.send(
                .post, "/admin/v1/account/update", #"{"username":"paul","givenName":"Paul"}"#)
            #expect(changed.status == .ok, "\(changed.text)")
            #expect(try await get(phone, Self.show, "?username=paul").json["givenName"] == "Paul")
            #expect(try await count(server, "operator.called") == 3)
        }
    }

    @Test("Support sees addresses in part, and not where people live")
    func masked() async throws {
        try await withOperator("support") { _, phone in
            let shown = try await get(phone, Self.show, "?username=paul").json
            #expect(shown["email"] == "p…@example.com")
            #expect(shown["phone"] == "…67")
            #expect(shown["address"] == nil)
            #expect(shown["usernames"] == ["paul"])
        }
    }

    @Test(
        "attack: support sees no whole address where it is the user name, neither in a list nor in sentences and commands",
        arguments: [
            ("eve@example.com", "e…@example.com"), ("+35921234599", "…99"), ("0792345678", "…78"),
            ("079/234-56.71", "…71"), ("a..b@example.com", "a…@example.com"), ("ada@localhost", "a…@localhost"),
        ])
    func maskedNames(name: String, shown: String) async throws {
        try await withOperator("support") { server, phone in
            let made = try await server.execute(AdminRequest(["account", "create", name]))
            let id = try #require(try made.document()["accountId"]?.string)
            try await server.execute(["account", "deactivate", "--account", id])
            let answer = try await get(phone, Self.show, "?account=\(id)")
            #expect(try answer.json["usernames"]?.strings == [shown])
            let explained = try await get(phone, "/admin/v1/account/explain", "?account=\(id)")
            let command = "walletauth account reactivate --account \(id)"
            #expect(try explained.json["hindrances"]?.array?.first?.object?["command"]?.string == command)
            #expect(try explained.member("verdict")?.hasPrefix("\(shown) cannot sign in") == true)
            let listed = try await get(phone, Self.list)
            let names = try listed.json["accounts"]?.array?.compactMap { $0.object?["username"]?.string }
            #expect(names?.contains(shown) == true)
            for response in [answer, explained, listed] {
                #expect(response.status == .ok)
                #expect(!response.text.contains(name), "\(response.text)")
            }
        }
    }

    @Test(
        "attack: a sign-in that is old, has one factor, or follows a scan gets the challenge of RFC 9470",
        arguments: ["auth_time = auth_time - 601000", "amr = 'pwd'", "amr = amr || ' cross_device'"])
    func stepUp(change: String) async throws {
        try await withOperator("owner", "--all-brands") { server, phone in
            try await write(server, "UPDATE sessions SET \(change)")
            let refused = try await get(phone, Self.list)
            try expect(refused, .unauthorized, "insufficient_user_authentication")
            let needed = AuthenticationRequirements(wwwAuthenticate: refused.headers[values: .wwwAuthenticate])
            #expect(
                needed == AuthenticationRequirements(acrValues: ["urn:wallet-auth:acr:2fa"], maximumAge: 600))
        }
    }

    @Test("attack: without a role, or once it is revoked, nothing is answered and nothing grows the audit log")
    func noRole() async throws {
        try await withOperator("support") { server, phone in
            #expect(try await get(phone, Self.list).status == .ok)
            try await server.execute(["operator", "revoke", "maria"])
            for path in [Self.list, "/admin/v1/brand/list"] {
                try expect(try await get(phone, path, "?nonsense=1"), .forbidden, "forbidden_role")
            }
            #expect(try await count(server, "operator.refused") == 0)
        }
    }

    @Test("attack: a role is in no token: neither the scope alone nor another scope opens anything")
    func scope() async throws {
        try await withOperator { _, phone in
            try expect(try await get(phone, Self.list), .forbidden, "forbidden_role")
        }
        try await withOperator("owner", "--all-brands", scope: "openid profile") { _, phone in
            let refused = try await get(phone, Self.list)
            #expect(refused.status == .forbidden)
            #expect(try refused.member("error") == "insufficient_scope")
        }
    }

    @Test("attack: one operator's token is used for another brand")
    func otherBrand() async throws {
        try await withOperator("support") { server, phone in
            try await server.execute(["brand", "create", "red", "--name", "Red"])
            let made = try await server.execute(["account", "create", "eve", "--brand", "red"])
            let eve = try #require(try made.document()["accountId"]?.string)
            try expect(try await get(phone, Self.list, "?brand=red"), .forbidden, "forbidden_role")
            try expect(try await get(phone, Self.show, "?username=eve&brand=red"), .forbidden, "forbidden_role")
            let byID = try await get(phone, Self.show, "?account=\(eve)")
            try expect(byID, .notFound, "not_found")
            let none = try await get(phone, Self.show, "?account=00000000-0000-4000-8000-000000000000")
            try expect(none, .notFound, "not_found")
            let closed = try await phone.send(.post, "/admin/v1/account/deactivate", #"{"account":"\#(eve)"}"#)
            try expect(closed, .notFound, "not_found")
            #expect(try await server.execute(["account", "show", "--account", eve]).document()["state"] == "active")
        }
    }

    @Test("attack: support reaches further by ids: an owner's account, an erasure, a role")
    func support() async throws {
        try await withOperator("support", "--all-brands") { server, phone in
            try await server.execute(["operator", "grant", "paul", "--role", "owner", "--all-brands"])
            let paul = try await server.execute(["account", "show", "paul"]).document()["accountId"]?.string ?? ""
            for (path, body) in [
                ("account/deactivate", #"{"account":"\#(paul)"}"#),
                ("account/expire-password", #"{"username":"paul"}"#),
                ("account/erase", #"{"account":"\#(paul)"}"#), ("operator/revoke", #"{"account":"\#(paul)"}"#),
                ("operator/grant", #"{"username":"maria","role":"owner","allBrands":true}"#),
            ] { try expect(try await phone.send(.post, "/admin/v1/" + path, body), .forbidden, "forbidden_role") }
            #expect(try await server.execute(["account", "show", "paul"]).document()["state"] == "active")
            #expect(try await count(server, "operator.refused") == 5)
        }
    }

    @Test("attack: no owner raises or keeps their own role, and the last owner stays")
    func ownRole() async throws {
        try await withOperator("owner", "--all-brands") { server, phone in
            let own = try await phone.send(.post, "/admin/v1/operator/revoke", #"{"username":"maria"}"#)
            try expect(own, .forbidden, "forbidden_role")
            let lowered = await server.server.administration.execute(["operator", "revoke", "maria"])
            #expect(lowered.refusal?.code == "last_owner")
            let granted = try await phone.send(
                .post, "/admin/v1/operator/grant", #"{"username":"paul","role":"auditor","forBrand":"default"}"#)
            #expect(granted.status == .ok, "\(granted.text)")
            let twice = try await phone.send(
                .post, "/admin/v1/operator/grant", #"{"username":"paul","role":"auditor","forBrand":"default"}"#)
            try expect(twice, .conflict, "no_change")
        }
    }

    @Test(
        "attack: members that a command does not have are refused by name, and change nothing",
        arguments: ["role", "state", "isOperator", "input", "words", "json", "passwordStdin"])
    func massAssignment(name: String) async throws {
        try await withOperator("owner", "--all-brands") { server, phone in
            let refused = try await phone.send(
                .post, "/admin/v1/account/update", #"{"username":"paul","givenName":"Paul","\#(name)":"owner"}"#)
            try expect(refused, .badRequest, "malformed")
            #expect(try refused.member("detail")?.contains(name) == true)
            let paul = try await server.execute(["account", "show", "paul"]).document()
            #expect(paul["givenName"] == nil)
            #expect(try await server.execute(["operator", "list"]).document()["operators"]?.array?.count == 1)
        }
    }

    @Test("attack: an operator's app that calls without end is held back, and its refused calls grow no audit log")
    func tooManyCalls() async throws {
        try await withOperator("support") { server, phone in
            for _ in 0..<120 { #expect(try await get(phone, Self.show, "?username=paul").status == .ok) }
            let recorded = try await count(server, "operator.called")
            let refused = try await get(phone, Self.show, "?username=paul")
            try expect(refused, .tooManyRequests, "too_many_attempts")
            let seconds = try #require(refused.headers[.retryAfter].flatMap { Int($0) })
            #expect((1...60).contains(seconds))
            #expect(try await count(server, "operator.called") == recorded)
            #expect(try await count(server, "operator.refused") == 0)
        }
    }

    @Test("attack: support finds a person by an address that they name, and finds out none by guessing")
    func guesses() async throws {
        try await withOperator("support") { _, phone in
            let found = try await get(phone, Self.show, "?username=paul@example.com")
            #expect(try found.json["usernames"] == ["paul"])
            #expect(!found.text.contains("paul@example.com"))
            for number in 0..<30 {
                let missed = try await get(phone, Self.show, "?username=paul\(number)@example.com")
                try expect(missed, .notFound, "not_found")
            }
            for text in ["paul30@example.com", "paul@example.com", "%2B35921234567"] {
                let refused = try await get(phone, "/admin/v1/account/explain", "?username=\(text)")
                try expect(refused, .tooManyRequests, "too_many_attempts")
            }
            #expect(try await get(phone, Self.show, "?username=paul").status == .ok)
        }
    }

    @Test("A GET changes nothing, even where a command does with other options")
    func safeMethod() async throws {
        try await withOperator("developer") { server, phone in
            let texts = "/admin/v1/brand/text"
            let change = "?id=default&language=en&key=pages.signInHeading&text=Hello"
            try expect(try await get(phone, texts, change), .badRequest, "malformed")
            #expect(try await get(phone, texts, "?id=default").status == .ok)
            let posted = try await phone.send(
                .post, texts, #"{"id":"default","language":"en","key":"pages.signInHeading","text":"Hello"}"#)
            #expect(posted.status == .ok, "\(posted.text)")
            #expect(try await phone.send(.post, Self.list, "{}").status == .methodNotAllowed)
        }
    }

    @Test("attack: a page is found by a sealed cursor of its own list alone, and never by a key of the database")
    func pages() async throws {
        try await withOperator("owner", "--all-brands") { _, phone in
            let first = try await get(phone, Self.list, "?limit=1").json
            #expect(first["accounts"]?.array?.count == 1)
            #expect(first["next"] == nil)
            let cursor = try #require(first["cursor"]?.string)
            #expect(!cursor.contains("maria"))
            let second = try await get(phone, Self.list, "?limit=1&cursor=\(cursor)").json
            #expect(second["accounts"]?.array?.first?.object?["username"] == "paul")
            #expect(second["cursor"] == nil)
            for query in ["?cursor=maria", "?cursor=\(cursor)x", "?after=maria"] {
                try expect(try await get(phone, Self.list, query), .badRequest, "malformed")
            }
            let entries = try await get(phone, "/admin/v1/audit/tail", "?limit=1").json
            let other = try #require(entries["cursor"]?.string)
            try expect(try await get(phone, Self.list, "?cursor=\(other)"), .badRequest, "malformed")
            #expect(try await get(phone, "/admin/v1/audit/tail", "?limit=1&cursor=\(other)").status == .ok)
        }
    }

    @Test("A provider's secret and a client's keys are members, and are in no answer and no entry of the audit log")
    func inputs() async throws {
        try await withOperator("owner", "--all-brands") { server, phone in
            let secret = "a secret of the provider"
            let added = try await phone.send(
                .post, "/admin/v1/provider/add/google", #"{"clientId":"wallet","clientSecret":"\#(secret)"}"#)
            #expect(added.status == .ok && !added.text.contains(secret), "\(added.text)")
            let former = try Self.keySet()
            let client =
                #"{"id":"backend","name":"B","confidential":true,"authMethod":"private_key_jwt","jwks":\#(former)}"#
            let created = try await phone.send(.post, "/admin/v1/client/create", client)
            #expect(created.status == .ok, "\(created.text)")
            let keys = try Self.keySet()
            let changed = try await phone.send(
                .post, "/admin/v1/client/update", #"{"id":"backend","jwks":\#(keys)}"#)
            #expect(changed.status == .ok, "\(changed.text)")
            let stored = try await server.server.context.database.read { try Clients.find("backend", on: $0) }
            #expect(stored?.jwks == keys)
            let entries = try await server.execute(["audit", "tail", "--limit", "100"]).document()
            #expect(!JSONValue.object(entries).text.contains(secret))
            for wrong in ["{}", #"{"keys":[1]}"#, #"{"keys":[{"kty":"oct","k":"AAAA"}]}"#] {
                let refused = try await phone.send(
                    .post, "/admin/v1/client/update", #"{"id":"backend","jwks":\#(wrong)}"#)
                try expect(refused, .badRequest, "malformed")
            }
        }
    }

    @Test("A refusal is a problem whose status says what kind it is")
    func problems() async throws {
        try await withOperator("owner", "--all-brands") { _, phone in
            try expect(try await get(phone, Self.show, "?username=none"), .notFound, "not_found")
            try expect(try await get(phone, Self.show), .badRequest, "malformed")
            try expect(try await get(phone, Self.list, "?limit=0"), .badRequest, "malformed")
            let brand = #"{"id":"default","name":"Again"}"#
            try expect(try await phone.send(.post, "/admin/v1/brand/create", brand), .conflict, "taken")
        }
    }

    @Test("Without the setting there are no such routes, and with it one for each command that is offered")
    func routes() async throws {
        try await TestServer.use { server in
            let served = try server.routes().map(\.path)
            #expect(!served.contains { $0.hasPrefix("/admin/v1/") })
        }
        try await TestServer.use(settings: { $0.adminAPI = true }) { server in
            let served = try server.routes().filter { $0.path.hasPrefix("/admin/v1/") }
            #expect(served.allSatisfy { $0.callers == [.administrator] })
            let offered = server.server.administration.allCommands.filter { $0.access.isOffered }.flatMap { command in
                let path = "/admin/v1/" + command.title.split(separator: " ").joined(separator: "/")
                return (command.access.readers == nil ? [] : ["GET \(path)"])
                    + (command.access.changers == nil ? [] : ["POST \(path)"])
            }
            #expect(
                Set(served.map { "\($0.method.rawValue) \($0.path)" })
                    == Set(offered + ["POST /admin/v1/global-token-revocation"]))
        }
    }

    @Test("The description of the endpoints has each of them, with its members, and none where they are off")
    func description() async throws {
        try await withOperator { _, phone in
            let response = try await phone.client.get(Endpoints.openAPI.path)
            let document = try JSONValue.object(
                parsing: Array(response.body.readableBytesView), limits: JSONLimits(bytes: 4 << 20, depth: 64))
            let paths = try #require(document["paths"]?.object)
            var ids: Set<String> = []
            for path in paths.members where path.name.hasPrefix("/admin/v1/") {
                for operation in path.value.object?.members ?? [] {
                    let id = try #require(operation.value.object?["operationId"]?.string)
                    #expect(ids.insert(id).inserted, "\(id)")
                    #expect(operation.value.object?["tags"] == ["Administration"])
                    let summary = try #require(operation.value.object?["summary"]?.string)
                    #expect(summary.last != "." && summary.count <= 80, "\(summary)")
                }
            }
            #expect(ids.isSuperset(of: ["adminAccountShow", "adminBrandText", "adminBrandTextChange"]))
            let query = paths[Self.show]?.object?["get"]?.object?["parameters"]?.array?.compactMap {
                $0.object?["name"]?.string
            }
            #expect(query == ["username", "brand", "account"])
            let explain = paths["/admin/v1/account/explain"]?.object?["get"]?.object?["parameters"]?.array?.compactMap {
                $0.object?["name"]?.string
            }
            #expect(explain == ["username", "brand", "account", "request"])
        }
    }

    @Test("attack: no call without a token and a proof reaches a command")
    func strangers() async throws {
        try await withOperator("owner", "--all-brands") { server, phone in
            for route in try server.routes() where route.path.hasPrefix("/admin/v1/") {
                let headers: HTTPFields = route.method == .post ? [.contentType: "application/json"] : [:]
                let answer = try await phone.client.execute(
                    uri: route.path, method: route.method, headers: headers, body: ByteBuffer(string: "{"))
                #expect(answer.status == .unauthorized, "\(route.method) \(route.path)")
            }
            let bearer = try await phone.client.get(Self.list, [.authorization: "Bearer \(phone.token.reveal())"])
            #expect(bearer.status == .unauthorized)
        }
    }
}
