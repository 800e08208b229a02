import ArgumentParser
import Kernel
import Store
import Testing
import WalletAuthWire
import Web

@testable import Loyalty
@testable import Operations

@Suite("Clients that request guest tokens")
struct GuestClientTests {
    @Test(
        "Guest tokens are shown with the client, which is the operator's own as long as it has them, and are switched off"
    )
    func shown() async throws {
        let server = try await LoyaltyServer.start()
        let integrator = try await server.integrator()
        let shown = try await server.administer(["client", "show", "integrator"])
        #expect(shown["guestTokens"]?.bool == true)
        #expect(shown["guestPasswords"]?.bool == false)
        #expect(shown["firstParty"]?.bool == true)
        #expect(shown["loyaltyMerchants"]?.strings == [String(LoyaltyServer.merchant)])
        #expect(shown["warnings"] == nil)
        var change = try ClientChange.parse([])
        change.guests.guestPasswords = true
        let changed = try await server.administer { [change] in
            try await ClientAdministration($0).update("integrator", change)
        }
        #expect(changed["guestPasswords"]?.bool == true)
        #expect(changed["warnings"]?.strings == ["guest_passwords"])
        change = try ClientChange.parse([])
        change.guests.guestTokens = false
        let off = try await server.administer { [change] in
            try await ClientAdministration($0).update("integrator", change)
        }
        #expect(off["guestTokens"]?.bool == false)
        #expect(off["guestPasswords"]?.bool == false)
        #expect(off["loyaltyMerchants"] == nil)
        // People have to allow it on its page from now on, as they would any other client.
        #expect(off["firstParty"]?.bool == false)
        #expect(
            try await server.loyalty.callers.call(
                authorization: integrator.authorization, origin: LoyaltyServer.origin
            ).code == .clientNotAllowed)
    }

    @Test("A public client, one with a key, with DPoP or for employees requests no guest tokens; passwords need them")
    func contradictions() async throws {
        let server = try await LoyaltyServer.start()
        func code(_ kind: ClientKind = .confidential, _ adjust: (inout ClientRegistration) -> Void)
            async throws -> String?
        {
            var registration = ClientRegistration(name: "App", kind: kind)
            registration.guestTokens = true
            registration.loyaltyMerchants = [1]
            adjust(&registration)
            let answer = await server.server.administration.execute {
                try await ClientAdministration($0).create(registration)
            }
            return answer.refusal?.code
        }
        #expect(try await code(.public) { $0.firstParty = true } == "contradiction")
        #expect(try await code { $0.requiresDPoP = true } == "contradiction")
        #expect(try await code { $0.requiresMerchant = true } == "contradiction")
        #expect(
            try await code {
                $0.guestTokens = false
                $0.guestPasswords = true
            } == "contradiction")
        #expect(try await code { $0.guestTokens = false } == "contradiction", "the merchants need guest tokens")
        #expect(try await code { $0.loyaltyMerchants = [] } == "contradiction")
        #expect(try await code { $0.loyaltyMerchants = Array(1...101) } == "too_many")
        #expect(try await code { _ in } == nil)
    }

    @Test("A client that cannot be looked up has not presented wrong credentials: the failure is the database's")
    func unreadable() async throws {
        let server = try await LoyaltyServer.start()
        let integrator = try await server.integrator()
        // A process that has not read the client yet.
        let fresh = try await server.restarted()
        try await fresh.define("ALTER TABLE clients RENAME TO clients_away")
        await #expect(throws: StoreError.self) {
            _ = try await fresh.loyalty.callers.call(
                authorization: integrator.authorization, origin: LoyaltyServer.origin)
        }
    }

    @Test("A client that people allow on a page does not become one that needs no consent")
    func thirdParty() async throws {
        let server = try await LoyaltyServer.start()
        _ = try await server.integrator("relying") { $0.guestTokens = false }
        var change = try ClientChange.parse([])
        change.guests.guestTokens = true
        let answer = await server.server.administration.execute { [change] in
            try await ClientAdministration($0).update("relying", change)
        }
        #expect(answer.status == .refused)
    }
}
