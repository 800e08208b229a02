import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations

@Suite("What the audit log says of a new client")
struct ClientAuditTests {
    @Test("The entry of a client's creation has what it may do, under the names of client.changed, and no secret")
    func created() async throws {
        let server = try await TestServer.start()
        let answer = await server.flows.administration.execute([
            "client", "create", "backend", "--name", "Backend", "--confidential", "--introspection",
            "--scope", "wallet_operations payments", "--redirect-uri", "https://shop.example.com/callback",
        ])
        try #require(answer.status == .done, "\(answer.lines)")
        let rows = try await server.context.database.read {
            try $0.query(
                "SELECT details FROM security_events WHERE kind = 'client.created' AND client_id = 'backend'", []
            ).map { try $0.text("details") }
        }
        let text = try #require(rows.first)
        let details = try JSONValue.object(parsing: Array(text.utf8))
        #expect(details["kind"]?.string == "confidential")
        #expect(details["brand"]?.string == "default")
        #expect(details["scope"]?.string == "wallet_operations payments")
        #expect(details["redirectUris"] == .strings(["https://shop.example.com/callback"]))
        #expect(details["introspection"]?.bool == true)
        #expect(details["firstParty"]?.bool == false)
        let secret = try #require(JSONValue.object(parsing: Array(answer.json.utf8))["clientSecret"]?.string)
        #expect(!text.contains(secret) && !text.contains("wcs_") && !text.lowercased().contains("hash"))
    }
}
