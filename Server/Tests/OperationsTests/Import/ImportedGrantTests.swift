import FlowSupport
import Operations
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import SignIn

@Suite("Importing merchants, employees and consents", .covers("account import"))
struct ImportedGrantTests {
    private static let merchant: JSONObject = line("merchant", ["id": "bakery", "name": "Bakery", "clients": ["app"]])

    private static func line(_ kind: String?, _ members: [String: JSONValue]) -> JSONObject {
        var object = JSONObject()
        object.set("kind", kind)
        for (name, value) in members.sorted(by: { $0.key < $1.key }) { object[name] = value }
        return object
    }

    private func account(_ name: String, _ id: String? = nil) -> JSONObject {
        Self.line(nil, ["username": .string(name)].merging(id.map { ["externalId": .string($0)] } ?? [:]) { $1 })
    }

    private func employee(_ members: [String: JSONValue], at merchant: String = "bakery") -> JSONObject {
        Self.line("employee", ["merchant": .string(merchant)].merging(members) { $1 })
    }

    private func consent(
        _ members: [String: JSONValue], to client: String = "aurora", scope: String = "openid email"
    ) -> JSONObject {
        Self.line("consent", ["client": .string(client), "scope": .string(scope)].merging(members) { $1 })
    }

    private func setUp() async throws -> TestServer {
        let server = try await TestServer.start()
        _ = try await server.publicClient()
        _ = try await server.relyingApp()
        return server
    }

    private func counts(_ answer: AdministrationAnswer) throws -> [Int64?] {
        let document = try answer.document()
        return ["created", "merchants", "employees", "consents", "present"].map { document[$0]?.integer }
    }

    private func employers(_ name: String, at server: TestServer) async throws -> [String] {
        let account = try await server.accountID(name).flatMap { UniqueID(bytes: $0.bytes) }
        return try await server.context.database.read { connection in
            try account.map { try Merchants.employers(of: $0, on: connection) } ?? []
        }
    }

    @Test("A merchant, its employee and a consent arrive with their accounts, each with its entry in the audit log")
    func arrive() async throws {
        let server = try await setUp()
        let lines = [
            account("ada", "7"), Self.merchant, employee(["externalId": "7"]), consent(["externalId": "7"]),
            account("bob"), employee(["username": "BOB"]),
        ]
        let answer = await server.importBatch(lines, ["--first"])
        #expect(try counts(answer) == [2, 1, 2, 1, 0], "\(answer.json)")
        #expect(try await employers("ada", at: server) == ["bakery"])
        #expect(try await employers("bob", at: server) == ["bakery"])
        let consents = try await server.administer(["account", "consents", "ada"])["clientConsents"]?.array
        #expect(consents?.first?.object?["scope"]?.string == "openid email")
        #expect(try await server.consentEvents() == ["client_consent.granted"])
        #expect(try counts(await server.importBatch(lines, [])) == [0, 0, 0, 0, 6], "nothing is left to do")
        _ = await server.importBatch([], ["--last"])
        let entry = try await server.context.database.read { connection in
            try connection.row("SELECT details FROM security_events WHERE kind = 'accounts.imported'", [])?
                .text("details")
        }
        #expect(entry?.contains(#""employees":2"#) ?? false, "\(entry ?? "")")
    }

    @Test("attack: a consent that was withdrawn, and an employment that ended, do not come back with the next import")
    func ended() async throws {
        let server = try await setUp()
        let lines = [
            account("ada", "7"), Self.merchant, employee(["externalId": "7"]), consent(["externalId": "7"]),
        ]
        #expect(try counts(await server.importBatch(lines, ["--first"])) == [1, 1, 1, 1, 0])
        try await server.administer(["account", "consents", "ada", "--withdraw", "aurora"])
        try await server.administer(["merchant", "remove-employee", "bakery", "ada"])
        try await server.administer(["merchant", "remove-client", "bakery", "--client", "app"])
        #expect(try counts(await server.importBatch(lines, [])) == [0, 0, 0, 0, 4])
        #expect(try await server.consents() == [])
        #expect(try await employers("ada", at: server) == [])
        let account = try #require(try await server.accountID()).rawValue
        try await server.administer(["account", "erase", "--account", account])
        #expect(try counts(await server.importBatch(lines, [])) == [0, 0, 0, 0, 4], "an erased account gets nothing")
        #expect(try await server.rows(of: "imported_grants") == 0)
    }

    @Test("A consent given here before the import stays as it is")
    func earlier() async throws {
        let server = try await TestServer.start()
        let app = try await server.relyingApp()
        #expect(try counts(await server.importBatch([account("ada", "7")], ["--first"]))[0] == 1)
        _ = try await app.allow("openid", by: try #require(try await server.accountID()))
        #expect(try counts(await server.importBatch([consent(["externalId": "7"])], [])) == [0, 0, 0, 0, 1])
        let consents = try await server.administer(["account", "consents", "ada"])["clientConsents"]?.array
        #expect(consents?.first?.object?["scope"]?.string == "openid")
    }

    @Test("attack: a line gives nothing to an account that was not imported, though it has the name")
    func foreignAccount() async throws {
        let server = try await setUp()
        // Mallory was here first, so that the holder's line is a fault, and the lines about the holder as well.
        _ = try await server.account("ada")
        let lines = [
            account("ada"), Self.merchant, employee(["username": "ada"]), consent(["username": "ada"]),
        ]
        let answer = await server.importBatch(lines, ["--first"])
        #expect(try counts(answer) == [0, 1, 0, 0, 0])
        let faults = try answer.importFaults()
        #expect(faults.count == 3 && faults.dropFirst().allSatisfy { $0.contains("there is no imported account") })
        #expect(try await employers("ada", at: server) == [])
        #expect(try await server.consents() == [])
    }

    @Test(
        "A line that fits nothing here is a fault with what to do",
        arguments: [
            (line("employee", ["merchant": "nowhere", "externalId": "7"]), "there is no merchant nowhere"),
            (line("employee", ["merchant": "bakery", "externalId": "8"]), "no imported account with the externalId 8"),
            (line("employee", ["merchant": "bakery"]), "externalId is missing"),
            (line("employee", ["merchant": "bakery", "externalId": "7", "role": "x"]), "role is unknown"),
            (line("merchant", ["id": "kiosk", "name": "K", "clients": ["none"]]), "there is no client none"),
            (line("merchant", ["id": "a b", "name": "K"]), "merchant_id"),
            (line("merchant", ["id": "k"]), "name is missing"),
            (line("consent", ["client": "none", "scope": "openid", "externalId": "7"]), "there is no client none"),
            (line("consent", ["client": "app", "scope": "openid", "externalId": "7"]), "first-party app"),
            (
                line("consent", ["client": "aurora", "scope": "openid payments", "externalId": "7"]),
                "scope has payments, which the client aurora may not request"
            ),
            (line("consent", ["client": "azure", "scope": "openid", "externalId": "7"]), "belongs to the brand blue"),
            (line("consent", ["client": "aurora", "externalId": "7"]), "scope is missing"),
            (line("device", ["externalId": "7"]), "kind must be one of account, merchant, employee, consent"),
        ] as [(JSONObject, String)])
    func faulty(line: JSONObject, reason: String) async throws {
        let server = try await setUp()
        try await server.administer(["brand", "create", "blue", "--name", "Blue"])
        _ = try await server.relyingApp("azure") { $0.brand = "blue" }
        for options in [["--first", "--dry-run"], ["--first"]] {
            let answer = await server.importBatch([account("ada", "7"), Self.merchant, line], options)
            #expect(try counts(answer).prefix(2) == [1, 1])
            #expect(try answer.importFaults().first?.contains(reason) ?? false, "\(answer.json)")
        }
    }

    @Test("A dry run knows the lines before: what they would make is there, and what they would not is missing")
    func dry() async throws {
        let server = try await setUp()
        let writes = server.writes
        let lines = [account("ada", "7"), Self.merchant, employee(["externalId": "7"]), consent(["externalId": "7"])]
        #expect(try counts(await server.importBatch(lines, ["--first", "--dry-run"])) == [1, 1, 1, 1, 0])
        // Of an earlier batch.
        let late = [employee(["externalId": "9"], at: "cafe")]
        #expect(try await server.importBatch(late, ["--dry-run"]).importFaults().count == 1)
        #expect(
            try counts(await server.importBatch(late, coming: ["id 9", "merchant cafe"], ["--dry-run"])) == [
                0, 0, 1, 0, 0,
            ])
        #expect(server.writes == writes)
        _ = try await server.account("bob")
        let refused = await server.importBatch(
            [account("bob", "8"), employee(["externalId": "8"])], coming: ["id 8"], ["--dry-run"])
        #expect(try refused.importFaults().count == 2, "\(refused.json)")
    }
}
