import Core
import Operations
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Loyalty

@Suite(
    "A guest's account that becomes part of another one",
    .covers("two accounts of one person become one (account merge)"))
struct AccountMergeTests {
    private static let merge: AdminRequest = ["account", "merge", "guest", "--into", "ada"]

    private func number(of username: String, at server: LoyaltyServer) async throws -> Int64? {
        try await server.administer(["account", "export", username])["loyaltyAccount"]?.object?["number"]?.integer
    }

    @Test("The loyalty number moves with the identity, and the guest's phone number has to be proved again")
    func moves() async throws {
        let server = try await LoyaltyServer.start()
        let integrator = try await server.integrator()
        let enrolled = try await integrator.enroll(integrator.enrollment(of: "sub-1", username: "guest")).get()
        try await server.guest("sub-2", username: "ada")
        try await server.change("UPDATE loyalty_accounts SET phone_digest = zeroblob(32)")
        let answer = try await server.administer(Self.merge)
        #expect(answer["moves"]?.strings == ["the identity at apple", "the loyalty number"])
        #expect(try await number(of: "ada", at: server) == enrolled.accountID)
        #expect(try await integrator.signIn("sub-1").get().tokens.username == "ada")
        #expect(try await server.rows(of: "loyalty_accounts WHERE phone_digest IS NOT NULL") == 0)
        #expect(try await server.rows(of: "loyalty_accounts") == 1)
    }

    @Test("Two loyalty numbers are in the way, and both stay")
    func conflict() async throws {
        let server = try await LoyaltyServer.start()
        let integrator = try await server.integrator()
        for (subject, username) in [("sub-1", "guest"), ("sub-2", "ada")] {
            _ = try await integrator.enroll(integrator.enrollment(of: subject, username: username)).get()
        }
        let answer = await server.server.administration.execute(Self.merge)
        #expect(answer.refusal?.code == "merge_conflict")
        #expect(try await server.rows(of: "loyalty_accounts") == 2)
        #expect(try await integrator.signIn("sub-1").get().tokens.username == "guest")
    }
}
