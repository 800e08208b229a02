import Core
import Kernel
import Operations
import Store
import Testing
import WalletAuthWire
import Web

@testable import Loyalty

@Suite("Guests' own passwords", .covers("the other grants"))
struct GuestPasswordTests {
    private static let password = "correct horse battery"

    private func bring(
        _ integrator: Integrator, _ password: String = password, username: String = "ada"
    ) async throws -> Result<GuestTokenResponse, LoyaltyFailure> {
        try await integrator.token(.password(username: username, Password(password)))
    }

    @Test("A password is accepted where the operator turned that on, and nowhere else")
    func switchedOn() async throws {
        let server = try await LoyaltyServer.start()
        try await server.guest("sub-1", password: Self.password)
        let off = try await server.integrator()
        #expect(try await bring(off).code == .clientNotAllowed)
        let on = try await server.integrator("passwords") { $0.guestPasswords = true }
        let tokens = try await bring(on).get().tokens
        #expect(tokens.username == "ada")
        #expect(try await bring(on, username: "\u{A0}Ada\t").get().tokens.username == "ada")
        #expect(try await bring(on, "wrong password").code == .invalidCredentials)
        #expect(try await bring(on, username: "nobody").code == .invalidCredentials)
        #expect(try await bring(on, username: "no name at all").code == .invalidCredentials)
        let elsewhere = try await on.token(.password(username: "ada", Password(Self.password)), merchant: 5)
        #expect(elsewhere.code == .unknownMerchant)
    }

    @Test("An expired password and a second factor send the guest to the app's own sign-in")
    func gate() async throws {
        let server = try await LoyaltyServer.start()
        let account = try await server.guest("sub-1", password: Self.password)
        let integrator = try await server.integrator { $0.guestPasswords = true }
        try await server.administer(["account", "expire-password", "--account", account.uuid])
        #expect(try await bring(integrator).code == .passwordExpired)
        try await server.guest("sub-2", username: "bob", password: Self.password) {
            $0.email = "bob@example.com"
            $0.emailVerified = true
        }
        #expect(try await bring(integrator, username: "bob").code == .secondFactorRequired)
    }

    @Test("attack: one password tried at many names is compared a bounded number of times; other passwords go on")
    func spraying() async throws {
        let server = try await LoyaltyServer.start { $0.lockout.sharedFailures = 4 }
        try await server.guest("sub-1", username: "zoe", password: "sprayed password")
        try await server.guest("sub-2", password: Self.password)
        let integrator = try await server.integrator { $0.guestPasswords = true }
        for number in 0..<8 {
            let tried = try await bring(integrator, "sprayed password", username: "name-\(number)")
            #expect(tried.code == .invalidCredentials)
        }
        // Spraying does not reveal the name that has it.
        #expect(try await bring(integrator, "sprayed password", username: "zoe").code == .invalidCredentials)
        #expect(try await bring(integrator).code == nil)
        server.clock.advance(by: .hours(1))
        #expect(try await bring(integrator, "sprayed password", username: "zoe").code == nil)
    }

    @Test("attack: guesses are counted at the name, not at the backend's address: others go on, the name does not")
    func guesses() async throws {
        let server = try await LoyaltyServer.start {
            $0.lockout.unknownDeviceFailures = 3
            $0.lockout.sharedFailures = 4
        }
        try await server.guest("sub-1", password: Self.password)
        try await server.guest("sub-2", username: "bob", password: Self.password)
        let integrator = try await server.integrator { $0.guestPasswords = true }
        for _ in 0..<8 { #expect(try await bring(integrator, "wrong password").code == .invalidCredentials) }
        #expect(try await bring(integrator).code == .invalidCredentials)
        #expect(try await bring(integrator, username: "bob").code == nil)
        server.clock.advance(by: .hours(1))
        #expect(try await bring(integrator).code == nil)
    }
}
