import Core
import Kernel
import Operations
import Store
import Testing
import WalletAuthWire
import Web

@testable import Loyalty

@Suite(
    "Tokens for guests whom a provider knows",
    .covers(
        "externalIdentifier: the integration", "externalAccountCode", "authentication.no_matching_guest",
        "SuccessTokenResponse"))
struct GuestTokenTests {
    @Test("A linked guest gets tokens of a session of its own, without a merchant in them")
    func known() async throws {
        let server = try await LoyaltyServer.start()
        let account = try await server.guest("sub-1")
        let integrator = try await server.integrator()
        let tokens = try await integrator.signIn("sub-1").get().tokens
        #expect(tokens.username == "ada")
        #expect(tokens.scope == integrator.scope)
        #expect(tokens.expiresIn == 300)
        let claims = try server.claims(of: tokens.accessToken)
        #expect(claims.subject == account.uuid)
        #expect(claims.amr == ["fed"])
        #expect(claims.merchantID == nil)
        #expect(claims.keyThumbprint == nil)
        #expect(claims.clientID == integrator.id)
        #expect(try await server.rows(of: "sessions") == 1)
        #expect(server.vendor.kept.count == 1)
    }

    @Test("A narrower scope is granted as asked; a wider one is refused and costs no code")
    func scope() async throws {
        let server = try await LoyaltyServer.start()
        try await server.guest("sub-1")
        let integrator = try await server.integrator()
        let (token, code) = (
            server.vendor.token(of: "sub-1", issuedAt: server.clock.now()), server.vendor.code(of: "sub-1")
        )
        let wider = try await integrator.token(token, code, scope: "user_read admin")
        #expect(wider.code == .invalidScope)
        #expect(server.vendor.redeemed.isEmpty)
        let narrow = try await integrator.token(token, code, scope: "account_read").get()
        #expect(narrow.tokens.scope.rawValue == "account_read")
    }

    @Test(
        "A guest without an account gets that response before the code is redeemed, and the same code enrolls the guest"
    )
    func noMatchingGuest() async throws {
        let server = try await LoyaltyServer.start()
        let integrator = try await server.integrator()
        let request = try integrator.enrollment(of: "sub-1")
        let account = request.externalAccount
        let unknown = try await integrator.token(.fields(account))
        #expect(unknown.code == .noMatchingGuest)
        #expect(server.vendor.redeemed.isEmpty)
        _ = try await integrator.enroll(request).get()
        #expect(try await integrator.signIn("sub-1").get().tokens.username == "ada")
    }

    @Test("A bare identifier counts if the redeemed code confirms it")
    func bareSubject() async throws {
        let server = try await LoyaltyServer.start()
        try await server.guest("001234.0a1b2c3d4e5f.0456")
        let integrator = try await server.integrator()
        let code = server.vendor.code(of: "001234.0a1b2c3d4e5f.0456")
        let tokens = try await integrator.token("001234.0a1b2c3d4e5f.0456", code).get()
        #expect(tokens.tokens.username == "ada")
    }

    @Test(
        "An unknown merchant and an unknown integration have a failure of their own, and so have those of another brand"
    )
    func unknownCodes() async throws {
        let server = try await LoyaltyServer.start()
        try await server.guest("sub-1")
        try await server.addIntegration("other", of: 77, provider: "apple", brand: "acme")
        let integrator = try await server.integrator { $0.loyaltyMerchants += [5, 77] }
        let (token, code) = (
            server.vendor.token(of: "sub-1", issuedAt: server.clock.now()), server.vendor.code(of: "sub-1")
        )
        #expect(try await integrator.token(token, code, merchant: 5).code == .unknownMerchant)
        #expect(try await integrator.token(token, code, merchant: 77, integration: "other").code == .unknownMerchant)
        #expect(try await integrator.token(token, code, integration: "other").code == .unknownIntegration)
        #expect(server.vendor.redeemed.isEmpty)
    }

    @Test("A merchant has several integrations, and each team's people are separate")
    func severalIntegrations() async throws {
        let server = try await LoyaltyServer.start()
        try await server.addIntegration("second", provider: "apple2", namespace: "team-2")
        try await server.guest("sub-1")
        let integrator = try await server.integrator()
        let (token, code) = (
            server.vendor.token(of: "sub-1", issuedAt: server.clock.now()), server.vendor.code(of: "sub-1")
        )
        #expect(try await integrator.token(token, code, integration: "second").code == .noMatchingGuest)
        #expect(try await integrator.token(token, code).code == nil)
    }

    @Test("An outage comes with a time to try again, and is not counted")
    func outage() async throws {
        let server = try await LoyaltyServer.start { $0.lockout.unknownDeviceFailures = 2 }
        try await server.guest("sub-1")
        let integrator = try await server.integrator()
        for isWholly in [true, false] {
            server.vendor.setDown(isWholly)
            server.vendor.setDownForCodes(!isWholly)
            for _ in 0..<4 {
                let failure = try await integrator.signIn("sub-1").failure
                #expect(failure?.code == .providerUnavailable)
                #expect(failure?.retryAfter == 10)
            }
        }
        #expect(server.server.context.providerActivity.metrics.map(\.unavailable) == [8])
        #expect(server.server.context.providerActivity.metrics.map(\.refused) == [0])
        server.vendor.setDown(false)
        server.vendor.setDownForCodes(false)
        #expect(try await integrator.signIn("sub-1").code == nil)
    }

    @Test("A refresh token of the client's renews the guest's session once, and tells the guest's name")
    func renewal() async throws {
        let server = try await LoyaltyServer.start()
        try await server.guest("sub-1")
        let integrator = try await server.integrator()
        let first = try await integrator.signIn("sub-1").get().tokens
        let renewed = try await integrator.token(.refreshToken(first.refreshToken), scope: "user_read").get().tokens
        #expect(renewed.username == "ada")
        #expect(renewed.scope.rawValue == "user_read")
        #expect(renewed.refreshToken != first.refreshToken)
        let other = try await server.integrator("other")
        #expect(try await other.token(.refreshToken(renewed.refreshToken)).code == .invalidRefreshToken)
        let unknown = try await integrator.token(.refreshToken(renewed.refreshToken), merchant: 5)
        #expect(unknown.code == .unknownMerchant)
        let wider = try await integrator.token(.refreshToken(renewed.refreshToken), scope: "admin")
        #expect(wider.code == .invalidScope)
        #expect(try await server.rows(of: "sessions") == 1)
        // A lost answer may be asked for again for thirty seconds.
        server.clock.advance(by: .seconds(31))
        #expect(try await integrator.token(.refreshToken(first.refreshToken)).code == .invalidRefreshToken)
    }

    @Test("What the gate finds has a code of its own each")
    func gate() async throws {
        let server = try await LoyaltyServer.start()
        let account = try await server.guest("sub-1", password: "correct horse battery") {
            $0.email = "ada@example.com"
        }
        let integrator = try await server.integrator()
        #expect(try await integrator.signIn("sub-1").code == .emailUnverified)
        try await server.administer(["account", "verify-email", "--account", account.uuid])
        #expect(try await integrator.signIn("sub-1").code == nil)
        try await server.change(
            """
            INSERT INTO totp_secrets (account_id, state, sealed, last_step, created_at)
            SELECT id, 'active', x'00', 0, 0 FROM accounts
            """)
        #expect(try await integrator.signIn("sub-1").code == .secondFactorRequired)
        try await server.administer(["account", "deactivate", "--account", account.uuid])
        #expect(try await integrator.signIn("sub-1").code == .deactivated)
    }

    @Test("A request given up while the provider redeems its code is carried through, and its repetition is no guess")
    func givenUp() async throws {
        let server = try await LoyaltyServer.start { $0.lockout.unknownDeviceFailures = 1 }
        try await server.guest("sub-1")
        let integrator = try await server.integrator()
        let (token, code) = (
            server.vendor.token(of: "sub-1", issuedAt: server.clock.now()), server.vendor.code(of: "sub-1")
        )
        await server.vendor.givingUp { _ = try await integrator.token(token, code) }
        #expect(server.vendor.redeemed == [code])
        #expect(server.vendor.kept.count == 1)
        #expect(try await integrator.token(token, code).code == .externalCodeRefused)
        #expect(server.vendor.redeemed == [code])
        #expect(try await integrator.signIn("sub-1").code == nil)
    }

    @Test("A link that is taken away while the provider is asked opens nothing")
    func unlinkedMeanwhile() async throws {
        let server = try await LoyaltyServer.start()
        try await server.guest("sub-1")
        let integrator = try await server.integrator()
        server.vendor.whileRedeeming { try await server.change("DELETE FROM federated_identities") }
        #expect(try await integrator.signIn("sub-1").code == .noMatchingGuest)
        #expect(try await server.rows(of: "sessions") == 0)
    }

    @Test(
        "attack: a session left open at the provider is not a fresh sign-in: the tokens are as old as the provider says",
        .threat("Integrators' backends")
    )
    func oldSession() async throws {
        let server = try await LoyaltyServer.start()
        try await server.guest("sub-1")
        let integrator = try await server.integrator()
        let now = server.clock.now()
        let (before, after) = (now - .days(1), now + .days(1))
        let cases: [(Timestamp?, Timestamp)] = [(before, before), (after, now), (nil, now)]
        for (authTime, expected) in cases {
            let (token, code) = (
                server.vendor.token(of: "sub-1", issuedAt: now, authTime: authTime),
                server.vendor.code(of: "sub-1", authTime: authTime)
            )
            let tokens = try await integrator.token(token, code).get().tokens
            #expect(try server.claims(of: tokens.accessToken).authenticatedAt?.secondsSince1970 == expected.seconds)
            // A renewal makes it no younger.
            let renewed = try await integrator.token(.refreshToken(tokens.refreshToken)).get().tokens
            #expect(try server.claims(of: renewed.accessToken).authenticatedAt?.secondsSince1970 == expected.seconds)
        }
    }
}

extension Integrator {
    /// All that it may ask for.
    var scope: Scope { (try? Scope("user_read account_read account_write")) ?? .none }
}
