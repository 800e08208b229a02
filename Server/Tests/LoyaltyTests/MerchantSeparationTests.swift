import ArgumentParser
import Core
import Kernel
import Testing
import WalletAuthWire
import Web

@testable import Loyalty
@testable import Operations

@Suite("Two merchants of one brand", .threat("Integrators' backends"))
struct MerchantSeparationTests {
    private static let password = "correct horse battery"
    private static let other: Int64 = 20_202_020
    private static let otherIntegration = "second"

    /// A server with a second merchant, whose apps are of another team.
    private func serverOfTwo() async throws -> LoyaltyServer {
        let server = try await LoyaltyServer.start()
        try await server.addIntegration(
            Self.otherIntegration, of: Self.other, provider: "apple2", namespace: "team-2")
        return server
    }

    private func enrollment(_ integrator: Integrator, of subject: String, username: String) throws
        -> LoyaltyEnrollmentRequest
    {
        try integrator.enrollment(of: subject, username: username, password: Self.password) { request in
            request.merchantID = Self.other
            request.externalAccount = ExternalAccount(
                integration: try IntegrationID(Self.otherIntegration), code: request.externalAccount.code,
                accessToken: request.externalAccount.accessToken)
        }
    }

    private func bring(
        _ integrator: Integrator, _ username: String, merchant: Int64 = LoyaltyServer.merchant
    ) async throws -> Result<GuestTokenResponse, LoyaltyFailure> {
        try await integrator.token(.password(username: username, Password(Self.password)), merchant: merchant)
    }

    @Test("attack: an integrator's client speaks for guests of a merchant that the operator did not give it")
    func otherMerchant() async throws {
        let server = try await serverOfTwo()
        let own = try await server.integrator { $0.guestPasswords = true }
        let their = try await server.integrator("their") { $0.loyaltyMerchants = [Self.other] }
        let enrolled = try await their.enroll(enrollment(their, of: "sub-2", username: "bob")).get()
        let (token, code) = (
            server.vendor.token(of: "sub-2", issuedAt: server.clock.now()), server.vendor.code(of: "sub-2")
        )
        let redeemed = server.vendor.redeemed.count
        let brought = try await own.token(
            token, code, merchant: Self.other, integration: Self.otherIntegration)
        #expect(brought.code == .unknownMerchant)
        #expect(try await own.enroll(enrollment(own, of: "sub-3", username: "eve")).code == .unknownMerchant)
        #expect(server.vendor.redeemed.count == redeemed)
        let refresh = GuestTokenRequest.Grant.refreshToken(enrolled.tokens.refreshToken)
        #expect(try await own.token(refresh, merchant: Self.other).code == .unknownMerchant)
        #expect(try await own.token(refresh).code == .invalidRefreshToken)
        #expect(try await bring(own, "bob", merchant: Self.other).code == .unknownMerchant)
        #expect(try await their.token(refresh, merchant: Self.other).code == nil)
    }

    @Test("attack: right passwords of another merchant's guests, and of the brand's people, are wrong for a backend")
    func passwords() async throws {
        let server = try await serverOfTwo()
        let own = try await server.integrator { $0.guestPasswords = true }
        let their = try await server.integrator("their") { $0.loyaltyMerchants = [Self.other] }
        _ = try await own.enroll(own.enrollment(of: "sub-1", username: "ada", password: Self.password)).get()
        _ = try await their.enroll(enrollment(their, of: "sub-2", username: "bob")).get()
        var registration = AccountRegistration(username: "kim", password: Self.password)
        registration.brand = "default"
        try await server.administer { [registration] in try await AccountAdministration($0).create(registration) }
        #expect(try await bring(own, "ada").code == nil)
        #expect(try await bring(own, "bob").code == .invalidCredentials)
        #expect(try await bring(own, "kim").code == .invalidCredentials)
        // One backend for all merchants of the brand speaks for its people, too.
        let all = try await server.integrator("all") {
            $0.guestPasswords = true
            $0.loyaltyMerchants.append(Self.other)
        }
        for name in ["ada", "bob", "kim"] { #expect(try await bring(all, name).code == nil, "\(name)") }
    }

    @Test("attack: a backend tries right passwords of another merchant's guest, and each counts as a wrong one")
    func countedPasswords() async throws {
        let server = try await serverOfTwo()
        let own = try await server.integrator { $0.guestPasswords = true }
        let their = try await server.integrator("their") {
            $0.guestPasswords = true
            $0.loyaltyMerchants = [Self.other]
        }
        _ = try await their.enroll(enrollment(their, of: "sub-2", username: "bob")).get()
        for _ in 0..<5 { #expect(try await bring(own, "bob").code == .invalidCredentials) }
        // The name is slowed, as after wrong passwords.
        #expect(try await bring(their, "bob", merchant: Self.other).code == .invalidCredentials)
        server.clock.advance(by: .hours(1))
        #expect(try await bring(their, "bob", merchant: Self.other).code == nil)
    }

    @Test("A merchant is given to a client and taken from it, and the last one only with its guest tokens")
    func changes() async throws {
        let server = try await serverOfTwo()
        try await server.guest("sub-1")
        let integrator = try await server.integrator()
        var change = try ClientChange.parse([])
        change.guests.addedLoyaltyMerchants = [Self.other]
        change.guests.removedLoyaltyMerchants = [LoyaltyServer.merchant]
        let changed = try await server.administer { [change] in
            try await ClientAdministration($0).update("integrator", change)
        }
        #expect(changed["loyaltyMerchants"]?.strings == [String(Self.other)])
        #expect(try await integrator.signIn("sub-1").code == .unknownMerchant)
        change = try ClientChange.parse([])
        change.guests.removedLoyaltyMerchants = [Self.other]
        let last = await server.server.administration.execute { [change] in
            try await ClientAdministration($0).update("integrator", change)
        }
        #expect(last.status == .refused)
        change.guests.removedLoyaltyMerchants = [7]
        let unknown = await server.server.administration.execute { [change] in
            try await ClientAdministration($0).update("integrator", change)
        }
        #expect(unknown.refusal?.code == "not_found")
        change = try ClientChange.parse([])
        change.guests.addedLoyaltyMerchants = [LoyaltyServer.merchant]
        try await server.administer { [change] in try await ClientAdministration($0).update("integrator", change) }
        #expect(try await integrator.signIn("sub-1").code == nil)
    }
}
