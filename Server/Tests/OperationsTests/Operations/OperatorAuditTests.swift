import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations

@Suite("Operators' changes in the audit log", .covers("operators' changes to brands"))
struct OperatorAuditTests {
    /// The entries of a kind, the oldest first.
    private func entries(_ kind: String, on server: TestServer) async throws -> [JSONObject] {
        let tail = try await server.administer(["audit", "tail", "--kind", kind, "--limit", "100"])
        return (tail["entries"]?.array ?? []).compactMap(\.object)
    }

    @Test("A brand that is created or changed is in the audit log, with what was changed")
    func brands() async throws {
        let server = try await TestServer.start()
        try await server.administer(["brand", "create", "blue", "--name", "Blue"])
        let created = try await entries("brand.created", on: server)
        #expect(created.map { $0["details"]?.object } == [JSONObject(strings: ["brand": "blue", "name": "Blue"])])
        try await server.administer([
            "brand", "update", "blue", "--secret-questions", "on", "--password-days", "90",
        ])
        var details = JSONObject(strings: ["brand": "blue"])
        details["secretQuestions"] = .bool(true)
        details["passwordDays"] = .integer(90)
        let changed = try await entries("brand.changed", on: server)
        #expect(changed.map { $0["details"]?.object } == [details])
        let taken = await server.flows.administration.execute(["brand", "create", "blue", "--name", "Blue"])
        #expect(taken.status == .refused)
        let afterwards = try await entries("brand.created", on: server)
        #expect(afterwards == created)
    }

    @Test("A merchant's clients and employees are in the audit log: each change once, with whom it concerns")
    func merchants() async throws {
        let server = try await TestServer.start()
        _ = try await server.publicClient()
        let ada = try await server.account()
        try await server.administer(["merchant", "create", "shop", "--name", "Shop"])
        let created = try await entries("merchant.created", on: server)
        #expect(created.count == 1)
        let changes: [AdminRequest] = [
            ["merchant", "install-client", "shop", "--client", "app"],
            ["merchant", "add-employee", "shop", "ada"],
            ["merchant", "remove-client", "shop", "--client", "app"],
            ["merchant", "remove-employee", "shop", "ada"],
        ]
        for change in changes {
            for _ in 0..<2 { try await server.administer(change) }
            server.clock.advance(by: .seconds(1))
        }
        let changed = try await entries("merchant.changed", on: server)
        #expect(
            changed.map { $0["details"]?.object?["change"]?.string } == [
                "client_installed", "employee_added", "client_removed", "employee_removed",
            ])
        #expect(changed.allSatisfy { $0["details"]?.object?["merchantId"]?.string == "shop" })
        #expect(changed.map { $0["clientId"]?.string } == ["app", nil, "app", nil])
        #expect(changed.map { $0["accountId"]?.string } == [nil, ada.rawValue, nil, ada.rawValue])
    }

    @Test(
        "Keys are rotated together with their entry in the audit log, or not at all",
        arguments: ["refresh", "signatures"])
    func keys(purpose: String) async throws {
        let server = try await TestServer.start()
        let before = try await server.administer(["keys", "list"])
        try await server.context.database.write { connection in
            try connection.define(
                """
                CREATE TRIGGER refusing BEFORE INSERT ON security_events BEGIN SELECT RAISE(ABORT, 'refused'); END
                """)
        }
        let refused = await server.flows.administration.execute(["keys", "rotate", purpose])
        #expect(refused.status == .refused)
        let unchanged = try await server.administer(["keys", "list"])
        #expect(unchanged == before)
        try await server.context.database.write { try $0.define("DROP TRIGGER refusing") }
        try await server.administer(["keys", "rotate", purpose])
        let entries = try await entries("keys.rotated", on: server)
        #expect(entries.map { $0["details"]?.object?["purpose"]?.string } == [purpose])
    }
}
