import Core
import Foundation
import Kernel
import Operations
import Testing
import WalletAuthWire
import Web

@testable import Loyalty

@Suite(
    "Attacks on tokens for guests", .threat("Sign in with Apple at the server"),
    .covers("externalAccessToken: the authorization code"))
struct GuestTokenAttackTests {
    @Test("attack: another person's identifier with one's own code opens no account")
    func swappedSubject() async throws {
        let server = try await LoyaltyServer.start()
        try await server.guest("victim")
        let integrator = try await server.integrator()
        let swapped = try await integrator.token("victim", server.vendor.code(of: "attacker"))
        #expect(swapped.code == .externalAccountMismatch)
        #expect(try await server.rows(of: "sessions") == 0)
    }

    @Test("attack: the token of one person with the code of another opens no account")
    func twoPeople() async throws {
        let server = try await LoyaltyServer.start()
        try await server.guest("victim")
        try await server.guest("attacker", username: "mallory")
        let integrator = try await server.integrator()
        let stolen = server.vendor.token(of: "victim", issuedAt: server.clock.now())
        #expect(try await integrator.token(stolen, server.vendor.code(of: "attacker")).code == .externalAccountMismatch)
        let own = server.vendor.token(of: "attacker", issuedAt: server.clock.now())
        #expect(try await integrator.token(own, server.vendor.code(of: "victim")).code == .externalAccountMismatch)
        #expect(try await server.rows(of: "sessions") == 0)
    }

    @Test("attack: a code replayed by 64 requests at once opens one session")
    func replay() async throws {
        let server = try await LoyaltyServer.start { $0.lockout.unknownDeviceFailures = 1000 }
        try await server.guest("sub-1")
        let integrator = try await server.integrator()
        let (token, code) = (
            server.vendor.token(of: "sub-1", issuedAt: server.clock.now()), server.vendor.code(of: "sub-1")
        )
        let codes = try await withThrowingTaskGroup(of: LoyaltyErrorCode?.self) { group in
            for _ in 0..<64 { group.addTask { try await integrator.token(token, code).code } }
            return try await group.reduce(into: [LoyaltyErrorCode?]()) { $0.append($1) }
        }
        #expect(codes.count { $0 == nil } == 1)
        #expect(codes.count { $0 == .externalCodeRefused } == 63)
        #expect(try await server.rows(of: "sessions") == 1)
    }

    @Test("attack: an identity token that is older than five minutes, or from the future, proves nothing")
    func staleToken() async throws {
        let server = try await LoyaltyServer.start()
        try await server.guest("sub-1")
        let integrator = try await server.integrator()
        let now = server.clock.now()
        for issuedAt in [now - .minutes(5) - .seconds(1), now + .minutes(2)] {
            let token = server.vendor.token(of: "sub-1", issuedAt: issuedAt)
            #expect(try await integrator.token(token, server.vendor.code(of: "sub-1")).code == .invalidExternalAccount)
        }
        #expect(server.vendor.redeemed.isEmpty)
        let fresh = server.vendor.token(of: "sub-1", issuedAt: now - .minutes(5))
        #expect(try await integrator.token(fresh, server.vendor.code(of: "sub-1")).code == nil)
    }

    @Test("attack: a token that the vendor does not know is refused before its code is looked at")
    func forgedToken() async throws {
        let server = try await LoyaltyServer.start()
        try await server.guest("sub-1")
        let integrator = try await server.integrator()
        let forged = ["eyJhbGciOiJub25lIn0.eyJzdWIiOiJzdWItMSJ9.", "eyJhbGciOiJIUzI1NiJ9.e30.AAAA"]
        for token in forged {
            #expect(try await integrator.token(token, server.vendor.code(of: "sub-1")).code == .invalidExternalAccount)
        }
        #expect(server.vendor.redeemed.isEmpty)
    }

    @Test("attack: where a nonce is sent, a token or code of another request, or one without, proves nothing")
    func nonce() async throws {
        let server = try await LoyaltyServer.start()
        try await server.guest("sub-1")
        let (integrator, vendor, now) = (try await server.integrator(), server.vendor, server.clock.now())
        for other in ["another-nonce", nil] {
            let token = vendor.token(of: "sub-1", issuedAt: now, nonce: other)
            let refused = try await integrator.token(token, vendor.code(of: "sub-1", nonce: "n-1"), nonce: "n-1")
            #expect(refused.code == .invalidExternalAccount)
            let bare = try await integrator.token("sub-1", vendor.code(of: "sub-1", nonce: other), nonce: "n-1")
            #expect(bare.code == .externalCodeRefused)
        }
        let token = vendor.token(of: "sub-1", issuedAt: now, nonce: "n-1")
        let right = try await integrator.token(token, vendor.code(of: "sub-1", nonce: "n-1"), nonce: "n-1")
        #expect(right.code == nil)
    }

    @Test("attack: wrong codes are counted by guest: the guest has to wait, another guest of the same backend does not")
    func guesses() async throws {
        let server = try await LoyaltyServer.start { $0.lockout.unknownDeviceFailures = 3 }
        try await server.guest("sub-1")
        try await server.guest("sub-2", username: "bob")
        let integrator = try await server.integrator()
        for _ in 0..<3 { #expect(try await integrator.token("sub-1", "wrong").code == .externalCodeRefused) }
        let locked = try await integrator.token("sub-1", server.vendor.code(of: "sub-1")).failure
        #expect(locked?.code == .locked)
        #expect(locked?.retryAfter == 30)
        #expect(try await integrator.signIn("sub-2").code == nil)
        server.clock.advance(by: .seconds(30))
        #expect(try await integrator.token("sub-1", server.vendor.code(of: "sub-1")).code == nil)
    }

    @Test(
        "attack: a consent that the guest ended while the provider was asked opens nothing, and counts as no guess",
        .threat("Integrators' backends"))
    func consentEnded() async throws {
        let server = try await LoyaltyServer.start { $0.lockout.unknownDeviceFailures = 2 }
        try await server.guest("sub-1")
        let integrator = try await server.integrator()
        server.vendor.setConsentEnded(true)
        for _ in 0..<4 {
            #expect(try await integrator.signIn("sub-1").code == .externalCodeRefused)
            let enrollment = try integrator.enrollment(of: "sub-2", username: "bob")
            #expect(try await integrator.enroll(enrollment).code == .externalCodeRefused)
        }
        #expect(try await server.rows(of: "sessions") == 0)
        #expect(try await server.rows(of: "accounts") == 1)
        server.vendor.setConsentEnded(false)
        #expect(try await integrator.signIn("sub-1").code == nil)
        #expect(try await integrator.enroll(integrator.enrollment(of: "sub-2", username: "bob")).code == nil)
    }

    @Test("A guest's equal requests at once are one try: one opens a session, the others lock no one out")
    func impatient() async throws {
        let server = try await LoyaltyServer.start()
        try await server.guest("sub-1")
        let integrator = try await server.integrator()
        let (token, code) = (
            server.vendor.token(of: "sub-1", issuedAt: server.clock.now()), server.vendor.code(of: "sub-1")
        )
        let codes = try await withThrowingTaskGroup(of: LoyaltyErrorCode?.self) { group in
            for _ in 0..<16 { group.addTask { try await integrator.token(token, code).code } }
            return try await group.reduce(into: [LoyaltyErrorCode?]()) { $0.append($1) }
        }
        #expect(codes.count { $0 == nil } == 1)
        #expect(codes.count { $0 == .externalCodeRefused } == 15)
        #expect(server.vendor.redeemed.count == 1)
        #expect(try await integrator.signIn("sub-1").code == nil)
    }

    @Test("attack: knowing a guest's identifier alone does not keep out the guest, who brings the provider's token")
    func lockout() async throws {
        let server = try await LoyaltyServer.start { $0.lockout.unknownDeviceFailures = 1 }
        try await server.guest("sub-1")
        let integrator = try await server.integrator()
        for _ in 0..<5 { _ = try await integrator.token("sub-1", "wrong") }
        #expect(try await integrator.token("sub-1", "wrong").code == .locked)
        #expect(try await integrator.signIn("sub-1").code == nil)
    }

    @Test(
        "attack: a client without guest tokens, with a wrong secret or without one, or that another way registered, is refused"
    )
    func clients() async throws {
        let server = try await LoyaltyServer.start()
        let integrator = try await server.integrator()
        let plain = try await server.integrator("plain") { $0.guestTokens = false }
        let flows = server.loyalty
        func code(_ authorization: String?) async throws -> LoyaltyErrorCode? {
            try await flows.callers.call(authorization: authorization, origin: LoyaltyServer.origin).code
        }
        #expect(try await code(integrator.authorization) == nil)
        #expect(try await code(plain.authorization) == .clientNotAllowed)
        #expect(try await code(nil) == .invalidClient)
        #expect(try await code("Bearer token") == .invalidClient)
        #expect(try await code("Basic ???") == .invalidClient)
        let wrong = ClientAuthentication.basic(integrator.id, plain.secret)
        #expect(try await code(wrong.authorizationHeader) == .invalidClient)
        let unknown = ClientAuthentication.basic(try ClientID("nobody"), plain.secret)
        #expect(try await code(unknown.authorizationHeader) == .invalidClient)
        var registration = ClientRegistration(name: "App", kind: .public)
        registration.id = "public"
        registration.redirectURIs = ["com.example.app:/callback"]
        registration.scopes = ["openid"]
        try await server.administer { try await ClientAdministration($0).create(registration) }
        for id in ["public", integrator.id.rawValue] {
            #expect(try await code("Basic " + Data("\(id):".utf8).base64EncodedString()) == .invalidClient)
        }
    }

    @Test("attack: another brand's client reaches neither the merchant nor its guests")
    func otherBrand() async throws {
        let server = try await LoyaltyServer.start()
        try await server.guest("sub-1")
        try await server.administer(["brand", "create", "acme", "--name", "Acme"])
        let stranger = try await server.integrator("stranger") { $0.brand = "acme" }
        #expect(try await stranger.signIn("sub-1").code == .unknownMerchant)
        #expect(try await stranger.enroll(stranger.enrollment(of: "sub-9")).code == .unknownMerchant)
    }
}
