import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations

@Suite("Clients that exchange tokens", .covers("exchange of access tokens"))
struct TokenExchangeClientTests {
    private static let create = ["client", "create", "orders", "--name", "Orders"]

    @Test("The right is given with the resources, shown, logged and taken away; it goes before its last resource")
    func right() async throws {
        let server = try await TestServer.start()
        let resource = ["--resource", "https://orders.example.com"]
        try await server.administer(AdminRequest(Self.create + ["--confidential", "--token-exchange"] + resource))
        func isGiven() async throws -> Bool? {
            try await server.administer(["client", "show", "orders"])["tokenExchange"]?.bool
        }
        #expect(try await isGiven() == true)
        let last = await server.flows.administration.execute(
            AdminRequest(["client", "update", "orders", "--remove-resource", "https://orders.example.com"]))
        #expect(last.refusal?.code == "contradiction", "\(last.lines)")
        try await server.administer(["client", "update", "orders", "--no-token-exchange"])
        #expect(try await isGiven() == false)
        try await server.administer(["client", "update", "orders", "--token-exchange"])
        #expect(try await isGiven() == true)
        let changes = try await server.context.database.read { connection in
            try connection.query(
                """
                SELECT details FROM security_events WHERE client_id = 'orders' AND kind IN ('client.created', 'client.changed')
                ORDER BY id LIMIT 9
                """, []
            ).map { try $0.text("details") }
        }
        #expect(changes.count == 3)
        #expect(changes.allSatisfy { $0.contains(#""tokenExchange":"#) }, "\(changes)")
    }

    @Test(
        "A public client, and one without a resource, cannot have it",
        arguments: [
            ["--public", "--redirect-uri", "https://a.example/cb", "--resource", "https://orders.example.com"],
            ["--confidential"],
        ])
    func refused(options: [String]) async throws {
        let server = try await TestServer.start()
        let answer = await server.flows.administration.execute(
            AdminRequest(Self.create + options + ["--token-exchange"]))
        #expect(answer.refusal?.code == "contradiction", "\(answer.lines)")
    }
}
