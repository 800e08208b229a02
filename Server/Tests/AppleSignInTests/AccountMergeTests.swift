import Kernel
import Operations
import Store
import Testing
import WalletAuthWire

@testable import Apple
@testable import SignIn

@Suite(
    "A person who signed in with Apple, and whose accounts become one",
    .covers("two accounts of one person become one (account merge)"))
struct AccountMergeTests {
    @Test("Apple's token goes on with the identity, and what Apple said of the former address is forgotten")
    func moves() async throws {
        let server = try await AppleServer.start()
        let guest = try await server.person(username: "guest")
        let made = try await server.administer(["account", "create", "ada"])
        let ada = try #require(UniqueID(uuid: try made.string("accountId") ?? ""))
        let before = try #require(try await server.grant())
        try await server.context.database.write {
            _ = try $0.execute("UPDATE apple_grants SET address_reachable = 0, address_changed_at = 1", [])
        }
        try await server.administer(["account", "merge", "guest", "--into", "ada"])
        let after = try #require(try await server.grant())
        #expect(after.isLinked && after.sealed == before.sealed)
        let forgotten = try await server.context.database.read {
            try $0.query("SELECT digest FROM apple_grants WHERE address_reachable IS NULL", []).count
        }
        #expect(forgotten == 1)
        let holder = try await server.context.database.read {
            try FederatedIdentities.find(before.digest, brand: "default", on: $0)?.accountID
        }
        #expect(holder == ada && holder != guest)
        try await server.flows.maintenance.run()
        #expect(server.apple.revoked.isEmpty)
    }
}
