import Core
import HTTPTypes
import HummingbirdTesting
import Kernel
import Operations
import Store
import Testing
import WalletAuthWire

@testable import HTTP

@Suite(
    "What a directory closes and opens", .covers("SCIM 2.0 (RFC 7643, RFC 7644)"),
    .threat("A directory's rights over accounts"))
struct DirectoryClosingTests {
    private static let close = #"{"op": "replace", "path": "active", "value": false}"#
    private static let open = #"{"op": "replace", "path": "active", "value": true}"#

    private func record(_ id: String, at server: TestServer) async throws -> AccountRecord {
        let id = try #require(UniqueID(uuid: id))
        return try #require(try await server.server.context.database.read { try Accounts.find(id, on: $0) })
    }

    @Test("A lock after wrong passwords looks open to a directory, which can close the account but not end the lock")
    func locks() async throws {
        try await DirectoryOverHTTP.use { server, directory in
            let id = try await directory.create(#""userName": "ada""#)
            let account = try await record(id, at: server).id
            _ = try await server.server.context.database.write {
                try Accounts.deactivate(account, by: .failures, on: $0)
            }
            #expect(try await directory.send(.get, "/Users/\(id)").json["active"] == true)
            let open = try await directory.patch(id, Self.open)
            #expect(open.status == .ok)
            #expect(try await record(id, at: server).deactivatedBy == .failures)
            _ = try await directory.patch(id, Self.close)
            #expect(try await record(id, at: server).deactivatedBy == .directory)
            let reopened = try await directory.patch(id, Self.open)
            #expect(try reopened.json["active"] == true)
            #expect(try await record(id, at: server).deactivatedBy == .failures)
            let entries = try await server.execute(["audit", "tail", "--kind", "account.reactivated"]).document()
            #expect(entries["entries"]?.array?.first?.object?["details"]?.object?["locked"] == true)
            // An operator ends the lock, also below a directory's closing.
            _ = try await directory.patch(id, Self.close)
            try await server.execute(["account", "reactivate", "ada"])
            #expect(try await record(id, at: server).state == .active)
            _ = try await directory.patch(id, Self.close)
            _ = try await directory.patch(id, Self.open)
            #expect(try await record(id, at: server).state == .active)
        }
    }

    @Test("attack: neither a directory nor the end of all sessions forgets wrong passwords, to get more guesses")
    func counts() async throws {
        try await DirectoryOverHTTP.use(scopes: ["scim", "scim_verified"]) { server, directory in
            try await server.makePublicClient()
            try await server.makeAccount()
            let found = try await directory.send(.get, "/Users?filter=userName%20eq%20%22maria%22").json
            let id = try #require(found["Resources"]?.array?.first?.object?["id"]?.string)
            let client = directory.client
            for _ in 1...5 {
                _ = try await Journey.signIn(client, on: Journey.open(client), password: "a wrong password")
            }
            func count() async throws -> Int64? {
                let shown = try await server.execute(["account", "show", "maria"]).document()
                return shown["failures"]?.object?["unknownDevices"]?.object?["count"]?.integer
            }
            #expect(try await count() == 5)
            for change in [
                Self.close, Self.open,
                #"{"op": "replace", "path": "phoneNumbers", "value": [{"value": "+35921234567"}]}"#,
                #"{"op": "remove", "path": "phoneNumbers"}"#,
                #"{"op": "replace", "path": "userName", "value": "maria2"}"#,
                #"{"op": "replace", "path": "userName", "value": "maria"}"#,
            ] {
                let answer = try await directory.patch(id, change)
                #expect(answer.status == .ok, "\(answer.text)")
            }
            #expect(try await count() == 5)
            try await server.execute(["session", "end", "maria"])
            #expect(try await count() == 5)
            try await server.execute(["account", "reactivate", "maria"])
            #expect(try await count() == 0)
        }
    }

    @Test(
        "attack: a leaver who closes the account first cannot keep it by the code: the directory's closing counts",
        arguments: ["PATCH", "PUT", "DELETE"])
    func leaver(method: String) async throws {
        try await TestServer.use(settings: { ($0.scim, $0.twoOperators) = (true, true) }) { server in
            try await server.serve { client in
                let directory = try await DirectoryOverHTTP.open("okta", at: server, client)
                let id = try await directory.create(#""userName": "ada""#)
                let database = server.server.context.database
                let account = try await record(id, at: server)
                _ = try await database.write {
                    try Accounts.close(account.id, expecting: account.securityVersion, on: $0)
                }
                // What does not name the state leaves the closing to its holder.
                let renamed = try await directory.patch(
                    id, #"{"op": "replace", "path": "displayName", "value": "Ada"}"#)
                #expect(renamed.status == .ok, "\(renamed.text)")
                _ = try await directory.send(.put, "/Users/\(id)", #"{"userName": "ada"}"#)
                #expect(try await record(id, at: server).deactivatedBy == .holder)
                #expect(try await directory.patch(id, Self.open).status == .forbidden)
                switch method {
                case "PATCH": #expect(try await directory.patch(id, Self.close).status == .ok)
                case "PUT":
                    let put = try await directory.send(
                        .put, "/Users/\(id)", #"{"userName": "ada", "active": false}"#)
                    #expect(put.status == .ok)
                default: #expect(try await directory.send(.delete, "/Users/\(id)").status == .noContent)
                }
                #expect(try await record(id, at: server).deactivatedBy == .directory)
                #expect(try await !database.write { try Accounts.keep(account.id, on: $0) })
                let entries = try await server.execute(["audit", "tail", "--kind", "account.deactivated"]).document()
                #expect(entries["entries"]?.array?.first?.object?["clientId"] == "okta")
            }
        }
    }

    @Test("A change of the directory's own id alone is in the audit log")
    func externalID() async throws {
        try await DirectoryOverHTTP.use { server, directory in
            let id = try await directory.create(#""userName": "ada", "externalId": "1""#)
            let changed = try await directory.patch(id, #"{"op": "replace", "path": "externalId", "value": "2"}"#)
            #expect(changed.status == .ok, "\(changed.text)")
            let entries = try await server.execute(["audit", "tail", "--kind", "account.profile_changed"]).document()
            #expect(entries["entries"]?.array?.count == 1)
        }
    }
}
