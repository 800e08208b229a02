import Kernel
import Operations
import Store
import Testing
import WalletAuthWire
import Web

@testable import Loyalty
@testable import SignIn

@Suite("Guests who signed in on the hosted page", .threat("Integrators' backends"))
struct GuestCodeTests {
    private static func verifier() throws -> CodeVerifier {
        try CodeVerifier(random: [UInt8](repeating: 7, count: 32))
    }

    /// A code for a client, as the hosted page gives it after the sign-in.
    private func code(
        for integrator: Integrator, of account: UniqueID, scope: String = "user_read account_read"
    ) async throws -> AuthorizationCode {
        let call = try await integrator.call()
        let record = try #require(try await integrator.server.read { try Accounts.find(account, on: $0) })
        let signIn = integrator.server.server.signIn
        let outcome = try await signIn.gate.admit(
            account,
            factors: SignInPolicy.Factors(
                securityVersion: record.securityVersion, amr: [AuthenticationStrength.password], authTime: call.now),
            intent: SignInIntent(
                client: call.client, challenge: CodeChallenge(verifier: try Self.verifier()), scope: try Scope(scope),
                resources: [], entrance: .backend, origin: LoyaltyServer.origin), now: call.now)
        guard case .admitted(let admission) = outcome else {
            Issue.record("not admitted: \(outcome)")
            throw CancellationError()
        }
        return try await signIn.codes.code(for: admission)
    }

    private func redeem(
        _ code: AuthorizationCode, _ integrator: Integrator, verifier: CodeVerifier? = nil,
        redirectURI: RedirectURI? = nil, merchant: Int64 = LoyaltyServer.merchant, scope: String? = nil
    ) async throws -> Result<GuestTokenResponse, LoyaltyFailure> {
        let grant = GuestTokenRequest.Grant.authorizationCode(
            code, redirectURI: redirectURI, try verifier ?? Self.verifier())
        return try await integrator.token(grant, merchant: merchant, scope: scope)
    }

    @Test("A page's code is redeemed for a guest's tokens, narrowed where a scope is named, and renewed like others")
    func redeemed() async throws {
        let server = try await LoyaltyServer.start()
        let account = try await server.guest("sub-1")
        let integrator = try await server.integrator()
        let all = try await redeem(code(for: integrator, of: account), integrator).get().tokens
        #expect(all.username == "ada" && all.scope.rawValue == "user_read account_read")
        #expect(try server.claims(of: all.accessToken).subject == account.uuid)
        #expect(try await integrator.token(.refreshToken(all.refreshToken)).get().tokens.username == "ada")
        let part = try await redeem(code(for: integrator, of: account), integrator, scope: "user_read").get().tokens
        #expect(part.scope.rawValue == "user_read")
    }

    @Test("attack: a code works once, with its own verifier and redirect URI, for a minute; a replay ends the session")
    func misused() async throws {
        let server = try await LoyaltyServer.start()
        let account = try await server.guest("sub-1")
        let integrator = try await server.integrator()
        let code = try await code(for: integrator, of: account)
        let other = try CodeVerifier(random: [UInt8](repeating: 8, count: 32))
        #expect(try await redeem(code, integrator, verifier: other).code == .invalidAuthorizationCode)
        let elsewhere = try RedirectURI("https://evil.example.com/")
        #expect(try await redeem(code, integrator, redirectURI: elsewhere).code == .invalidAuthorizationCode)
        #expect(try await redeem(code, integrator, merchant: 5).code == .unknownMerchant)
        let tokens = try await redeem(code, integrator).get().tokens
        #expect(try await redeem(code, integrator).code == .invalidAuthorizationCode)
        #expect(try await integrator.token(.refreshToken(tokens.refreshToken)).code == .invalidRefreshToken)
        let late = try await self.code(for: integrator, of: account)
        server.clock.advance(by: .seconds(61))
        #expect(try await redeem(late, integrator).code == .invalidAuthorizationCode)
        #expect(try await redeem(AuthorizationCode("wac_made-up"), integrator).code == .invalidAuthorizationCode)
    }

    @Test("attack: a backend redeems another client's code, or the code of another merchant's guest")
    func others() async throws {
        let server = try await LoyaltyServer.start()
        try await server.addIntegration("second", of: 20_202_020, provider: "apple-2", namespace: "team-2")
        let integrator = try await server.integrator()
        let other = try await server.integrator("other") { $0.loyaltyMerchants = [20_202_020] }
        _ = try await integrator.enroll(integrator.enrollment(of: "sub-1")).get()
        let account = try #require(
            try await server.read { try Accounts.find(named: "ada", brand: "default", on: $0) })
        let stolen = try await code(for: integrator, of: account.id)
        #expect(try await redeem(stolen, other, merchant: 20_202_020).code == .invalidAuthorizationCode)
        let own = try await code(for: other, of: account.id)
        #expect(try await redeem(own, other, merchant: 20_202_020).code == .noMatchingGuest)
        #expect(try await redeem(stolen, integrator).code == nil)
    }
}
