import FlowSupport
import Testing
import WalletAuthWire

@testable import Consent
@testable import Kernel
@testable import Operations

/// A partner's backend redeems the app's code: the app has a bearer token and no key.
@Suite("A session whose code a redeemer redeemed", .covers("a session whose code a partner redeemed"))
struct RedeemedSessionTests {
    private struct Setting {
        let server: TestServer
        let backend: TestClient
        let app: TestClient
        let shop: TestShop
        let event: SCAEventID
        let tokens: TokenResponse

        /// - Parameter key: the backend's, where it uses DPoP.
        init(key: TestKey? = nil) async throws {
            server = try await TestServer.start()
            let backend = try await server.confidentialClient("partner") { $0.firstParty = true }
            self.backend = backend
            app = try await server.publicClient { $0.redeemer = backend.id.rawValue }
            let account = try await server.reachableAccount()
            let code = try await app.code(for: account)
            tokens = try await backend.token(
                .authorizationCode(code, redirectURI: nil, verifier: TestClient.verifier), proof: key
            ).tokens()
            shop = TestShop(
                server: server, client: try await server.confidentialClient("shop"), account: account,
                device: TestDevice(app: TestApp(client: backend, key: key ?? TestKey()), tokens: tokens))
            event = try await shop.required(TestShop.transfer())
        }

        /// A call by the app, as a bearer of the token.
        func challenge(_ tokens: TokenResponse) async throws -> Result<SCAChallengeResponse, ConsentRefusal> {
            let presented = PresentedCredentials(
                authorization: .bearer(tokens.accessToken),
                proof: PresentedProof(header: nil, method: "POST", path: Endpoints.scaChallenges.path(event)),
                origin: TestServer.origin)
            return try await server.flows.consent.events.challenge(
                SCAChallengeRequest(operationID: WalletOperationID("op-1"), verification: .email, returnURL: nil),
                by: shop.call(Endpoints.scaChallenges, about: event, id: "op-1", presented))
        }
    }

    @Test(
        "It approves by codes with a bearer token, even if the app itself has to use DPoP, and after the partner renewed it"
    )
    func agrees() async throws {
        let setting = try await Setting()
        #expect(setting.tokens.tokenType == .bearer)
        let challenge = try await setting.challenge(setting.tokens).get()
        #expect(challenge.verification == .email)
        let renewed = try await setting.backend.refresh(try #require(setting.tokens.refreshToken)).tokens()
        #expect(try await setting.challenge(renewed).refusal == nil)
    }

    @Test("attack: the partner's own key, at the code or later, opens neither devices nor factors")
    func ownKey() async throws {
        let key = TestKey()
        let setting = try await Setting(key: key)
        let renewed = try await setting.backend.refresh(try #require(setting.tokens.refreshToken), proof: key).tokens()
        for tokens in [setting.tokens, renewed] {
            #expect(tokens.tokenType == .dpop)
            let partner = TestDevice(app: TestApp(client: setting.backend, key: key), tokens: tokens)
            let refusal = OAuthRefusal.unusableToken(.otherSessionKey)
            await #expect(throws: refusal) { try await partner.list(factors: ()) }
            await #expect(throws: refusal) { try await partner.beginAuthenticator() }
            #expect(try await setting.shop.with(partner).challenge(.email, of: setting.event).refusal == nil)
        }
    }

    @Test(
        "attack: the token of a partner that was removed no longer approves anything",
        .threat("Stolen access and refresh tokens"))
    func removedPartner() async throws {
        let setting = try await Setting()
        try await setting.server.administer(["client", "delete", setting.backend.id.rawValue])
        await #expect(throws: OAuthRefusal.unusableToken(.ended)) { try await setting.challenge(setting.tokens) }
    }

    @Test("attack: a code that is bound to the app's key is redeemed by no backend without it")
    func boundCode() async throws {
        let setting = try await Setting()
        let code = try await setting.app.code(for: setting.shop.account, boundTo: TestKey())
        for proof in [nil, TestKey()] {
            let outcome = try await setting.backend.token(
                .authorizationCode(code, redirectURI: nil, verifier: TestClient.verifier), proof: proof)
            #expect(outcome.refusal == .invalidGrant)
        }
    }
}
