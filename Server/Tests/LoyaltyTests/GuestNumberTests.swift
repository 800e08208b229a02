import Core
import Kernel
import Operations
import Store
import Testing
import WalletAuthWire
import Web

@testable import Loyalty

/// What a number that a guest typed is worth before and after a code has proved it.
@Suite("Proving a guest's phone number")
struct GuestNumberTests {
    private static let phone = "514-299-1649"

    private func start() async throws -> (LoyaltyServer, Integrator) {
        let server = try await LoyaltyServer.start()
        return (server, try await server.integrator { $0.guestPasswords = true })
    }

    /// Enrolls a guest who enters the number.
    private func enroll(
        _ integrator: Integrator, _ subject: String, _ username: String
    ) async throws -> AccessToken {
        let request = try integrator.enrollment(of: subject, username: username) {
            $0.profile.mobilePhone = Self.phone
        }
        return try await integrator.enroll(request).get().tokens.accessToken
    }

    @Test("A guest proves the entered number in the session of the enrollment, and signs in by a code from then on")
    func proved() async throws {
        let (server, integrator) = try await start()
        let token = try await enroll(integrator, "sub-1", "ada")
        #expect(try await integrator.prove(Self.phone, with: token).get().tokens.username == "ada")
        #expect(try await integrator.send(Self.phone).code == nil)
        let code = try #require(try await server.sentCodes().first?.code)
        #expect(try await integrator.redeem(code, Self.phone).get().tokens.username == "ada")
        #expect(try await server.events("ada").contains("loyalty.phone_proved"))
    }

    @Test("attack: an account planted with the victim's number never opens by the victim's code")
    func planted() async throws {
        let (server, integrator) = try await start()
        let planter = try await enroll(integrator, "mallory", "mallory")
        // The victim, who has no account yet, asks for a code to sign in: there is none.
        #expect(try await integrator.send(Self.phone).code == nil)
        #expect(try await server.sentCodes().isEmpty)
        // The planter has a code sent to the victim's phone, and the victim types it to sign in.
        server.clock.advance(by: .minutes(1))
        #expect(try await integrator.send(Self.phone, provedBy: planter).code == nil)
        let code = try #require(try await server.sentCodes().first?.code)
        #expect(try await integrator.redeem(code, Self.phone).code == .invalidCredentials)
        #expect(try await server.read { try LoyaltyAccounts.owners(on: $0) } == 0)
        // The victim's own account, proved by the victim, is the only one that the number opens.
        server.clock.advance(by: .hours(3))
        let victim = try await enroll(integrator, "sub-1", "ada")
        #expect(try await integrator.prove(Self.phone, with: victim).code == nil)
        _ = try await integrator.send(Self.phone)
        let own = try #require(try await server.sentCodes().first?.code)
        #expect(try await integrator.redeem(own, Self.phone).get().tokens.username == "ada")
    }

    @Test("attack: guests who enter another guest's number at an enrollment cannot keep its owner out")
    func lockout() async throws {
        let (server, integrator) = try await start()
        let token = try await enroll(integrator, "sub-1", "ada")
        #expect(try await integrator.prove(Self.phone, with: token).code == nil)
        for number in 2..<24 { _ = try await enroll(integrator, "sub-\(number)", "guest-\(number)") }
        #expect(try await integrator.send(Self.phone).code == nil)
        let code = try #require(try await server.sentCodes().first?.code)
        #expect(try await integrator.redeem(code, Self.phone).get().tokens.username == "ada")
    }

    @Test("attack: a code that signs in proves no number, nor does another session, client or number")
    func bound() async throws {
        let (server, integrator) = try await start()
        let twin = try await server.integrator("twin") { $0.guestPasswords = true }
        let (ada, bob) = (
            try await enroll(integrator, "sub-1", "ada"), try await enroll(integrator, "sub-2", "bob")
        )
        #expect(try await twin.send(Self.phone, provedBy: ada).code == .invalidAccessToken)
        #expect(try await integrator.send(Self.phone, provedBy: AccessToken("nonsense")).code == .invalidAccessToken)
        #expect(try await integrator.send(Self.phone, provedBy: ada).code == nil)
        let code = try #require(try await server.sentCodes().first?.code)
        #expect(try await integrator.redeem(code, Self.phone, provedBy: bob).code == .invalidCredentials)
        #expect(try await twin.redeem(code, Self.phone, provedBy: ada).code == .invalidAccessToken)
        #expect(try await integrator.redeem(code, "212-555-0100", provedBy: ada).code == .invalidCredentials)
        #expect(try await integrator.redeem(code, Self.phone, provedBy: ada).code == nil)
        #expect(try await integrator.redeem(code, Self.phone, provedBy: ada).code == .invalidCredentials)
        server.clock.advance(by: .hours(3))
        _ = try await integrator.send(Self.phone)
        let signingIn = try #require(try await server.sentCodes().first?.code)
        let fresh = try await integrator.signIn("sub-1").get().tokens.accessToken
        #expect(try await integrator.redeem(signingIn, Self.phone, provedBy: fresh).code == .invalidCredentials)
    }

    @Test("attack: a session by a code, an old one and one that has ended prove no other number")
    func sessions() async throws {
        let (server, integrator) = try await start()
        let token = try await enroll(integrator, "sub-1", "ada")
        let old = try await integrator.signIn("sub-1").get().tokens
        _ = try await integrator.prove(Self.phone, with: token).get()
        let renewed = try await integrator.token(.refreshToken(old.refreshToken)).get().tokens.accessToken
        #expect(try await integrator.send("212-555-0100", provedBy: renewed).code == .loginRequired)
        #expect(try await integrator.send("212-555-0100", provedBy: token).code == .invalidAccessToken)
        _ = try await integrator.send(Self.phone)
        let code = try #require(try await server.sentCodes().first?.code)
        let fresh = try await integrator.redeem(code, Self.phone).get().tokens.accessToken
        #expect(try await integrator.send("212-555-0100", provedBy: fresh).code == .loginRequired)
        let ended = try await integrator.signIn("sub-1").get().tokens.accessToken
        try await server.administer(["account", "deactivate", "ada"])
        #expect(try await integrator.send("212-555-0100", provedBy: ended).code == .invalidAccessToken)
    }

    @Test("A mistyped number is replaced by the proved one, and one that was proved before hears of it")
    func replaced() async throws {
        let (server, integrator) = try await start()
        let token = try await enroll(integrator, "sub-1", "ada")
        try await integrator.send("212-555-0100", provedBy: token).get()
        let code = try #require(try await server.sentCodes().first?.code)
        #expect(try await integrator.redeem(code, "212-555-0100", provedBy: token).code == nil)
        // The mistyped number belongs to no account, so it gets no message.
        #expect(try await server.recipients("phone_changed").isEmpty)
        #expect(try await server.userInfo("ada", "openid phone")["phone_number"] == "+12125550100")
        server.clock.advance(by: .minutes(1))
        try await integrator.send(Self.phone, provedBy: token).get()
        let next = try #require(try await server.sentCodes().first?.code)
        #expect(try await integrator.redeem(next, Self.phone, provedBy: token).code == nil)
        #expect(try await server.recipients("phone_changed") == ["+12125550100"])
        server.clock.advance(by: .hours(3))
        try await server.change("DELETE FROM outbox")
        _ = try await integrator.send("212-555-0100")
        _ = try await integrator.send(Self.phone)
        #expect(try await server.sentCodes().map(\.to) == ["+15142991649"])
    }

    @Test("A number that another person has proved since is theirs, and the earlier account keeps its other ways in")
    func reassigned() async throws {
        let (server, integrator) = try await start()
        let ada = try await enroll(integrator, "sub-1", "ada")
        #expect(try await integrator.prove(Self.phone, with: ada).code == nil)
        let bob = try await enroll(integrator, "sub-2", "bob")
        #expect(try await integrator.prove(Self.phone, with: bob).code == nil)
        _ = try await integrator.send(Self.phone)
        let code = try #require(try await server.sentCodes().first?.code)
        #expect(try await integrator.redeem(code, Self.phone).get().tokens.username == "bob")
        #expect(try await server.events("ada").contains("account.phone_released"))
        #expect(try await integrator.signIn("sub-1").get().tokens.username == "ada")
        // An operator who knows better gives it back.
        try await server.administer(["account", "set-phone", "ada", "--phone", "+15142991649"])
        server.clock.advance(by: .hours(3))
        _ = try await integrator.send(Self.phone)
        let again = try #require(try await server.sentCodes().first?.code)
        #expect(try await integrator.redeem(again, Self.phone).get().tokens.username == "ada")
        #expect(try await server.events("bob").contains("account.phone_released"))
    }

    @Test(
        "attack: another merchant's backend proves no number for a guest whom it did not enroll, and takes none away",
        .threat("Integrators' backends"))
    func merchants() async throws {
        let (server, integrator) = try await start()
        try await server.addIntegration("second", of: 20_202_020, provider: "apple-2", namespace: "team-2")
        let other = try await server.integrator("other") {
            $0.guestPasswords = true
            $0.loyaltyMerchants = [20_202_020]
        }
        let ada = try await enroll(integrator, "sub-1", "ada")
        #expect(try await integrator.prove(Self.phone, with: ada).code == nil)
        #expect(
            try await other.send(Self.phone, provedBy: ada, merchant: 20_202_020).code == .invalidAccessToken)
        _ = try await integrator.send(Self.phone)
        let code = try #require(try await server.sentCodes().first?.code)
        #expect(try await integrator.redeem(code, Self.phone).get().tokens.username == "ada")
    }

    @Test("attack: a backend learns from no answer that several guests have a number")
    func shared() async throws {
        let (server, integrator) = try await start()
        try await server.addIntegration("second", of: 20_202_020, provider: "apple-2", namespace: "team-2")
        let second = try await server.integrator("second") {
            $0.guestPasswords = true
            $0.loyaltyMerchants = [20_202_020]
        }
        let both = try await server.integrator("both") {
            $0.guestPasswords = true
            $0.loyaltyMerchants = [LoyaltyServer.merchant, 20_202_020]
        }
        let ada = try await enroll(integrator, "sub-1", "ada")
        #expect(try await integrator.prove(Self.phone, with: ada).code == nil)
        let request = try second.enrollment(of: "sub-2", username: "bob") {
            $0.merchantID = 20_202_020
            $0.externalAccount.integration = try IntegrationID("second")
        }
        let bob = try await second.enroll(request).get().tokens.accessToken
        #expect(try await second.prove(Self.phone, with: bob, merchant: 20_202_020).code == nil)
        #expect(try await both.send(Self.phone).code == nil)
        #expect(try await server.sentCodes().isEmpty)
        #expect(try await both.redeem("123456", Self.phone).code == .invalidCredentials)
        // Each merchant's own backend reaches its guest.
        server.clock.advance(by: .hours(3))
        _ = try await integrator.send(Self.phone)
        let code = try #require(try await server.sentCodes().first?.code)
        #expect(try await integrator.redeem(code, Self.phone).get().tokens.username == "ada")
    }
}

extension LoyaltyAccounts {
    /// How many accounts are found by a number.
    fileprivate static func owners(on connection: any SQLConnection) throws -> Int64 {
        try connection.row("SELECT COUNT(*) AS number FROM loyalty_accounts WHERE phone_digest IS NOT NULL", [])?
            .integer("number") ?? 0
    }
}
