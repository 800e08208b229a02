import FlowSupport
import Kernel
import SignIn
import Testing
import WalletAuthWire

@testable import Operations

@Suite("What a refresh asks again")
struct RefreshAdmissionTests {
    private static let attempt = Base64URL.encode([UInt8](repeating: 1, count: 16))

    private func employ(_ account: AccountID, at merchant: String, by app: TestClient) async throws {
        let server = app.server
        try await server.administer(["merchant", "create", merchant, "--name", "Merchant"])
        try await server.administer(["merchant", "install-client", merchant, "--client", app.id.rawValue])
        try await server.administer(["merchant", "add-employee", merchant, "--account", account.rawValue])
    }

    @Test("attack: an employment that ended also ends the repeated answer, and the session with it")
    func repeatedAnswer() async throws {
        let server = try await TestServer.start()
        let app = try await server.bearerClient()
        let account = try await server.account()
        try await employ(account, at: "m1", by: app)
        let first = try #require(try await app.signIn(account, merchant: MerchantID("m1")).refreshToken)
        let lost = try await app.refresh(first, attempt: RefreshAttempt(Self.attempt)).tokens()
        try await server.administer(["merchant", "remove-employee", "m1", "--account", account.rawValue])
        #expect(try await app.refresh(first, attempt: RefreshAttempt(Self.attempt)).refusal == .invalidGrant)
        try await server.administer(["merchant", "add-employee", "m1", "--account", account.rawValue])
        #expect(try await app.refresh(try #require(lost.refreshToken)).refusal == .invalidGrant)
    }

    @Test("A redeemer's session renews as long as the app that the person signed in to is installed at the merchant")
    func redeemer() async throws {
        let server = try await TestServer.start()
        let backend = try await server.confidentialClient()
        let app = try await server.publicClient { $0.redeemer = backend.id.rawValue }
        let account = try await server.account()
        try await employ(account, at: "m1", by: app)
        let code = try await app.code(for: account, scope: "wallet", merchant: MerchantID("m1"))
        let tokens = try await backend.token(
            .authorizationCode(code, redirectURI: nil, verifier: TestClient.verifier)
        ).tokens()
        let renewed = try await backend.refresh(try #require(tokens.refreshToken)).tokens()
        try await server.administer(["merchant", "remove-client", "m1", "--client", app.id.rawValue])
        #expect(try await backend.refresh(try #require(renewed.refreshToken)).refusal == .invalidGrant)
    }

    @Test("attack: a refresh reaches no resource that the sign-in did not name")
    func resources() async throws {
        let (first, second) = ("https://a.example.com", "https://b.example.com")
        let server = try await TestServer.start()
        let app = try await server.bearerClient { $0.resources = [first, second] }
        var grant = try app.grant(for: try await server.account(), scope: "wallet")
        grant.resources = [first]
        let code = try server.sealedCode(for: grant)
        var tokens = try await app.token(
            .authorizationCode(code, redirectURI: nil, verifier: TestClient.verifier)
        ).tokens()
        let wider = try await app.token(
            .refreshToken(try #require(tokens.refreshToken), attempt: nil), resources: [second])
        #expect(wider.refusal == .invalidTarget)
        tokens = try await app.refresh(try #require(tokens.refreshToken)).tokens()
        #expect(try audience(of: tokens) == [first])
    }

    @Test("A session of all the client's resources can be narrowed for one token, and is whole again for the next")
    func narrowing() async throws {
        let (first, second) = ("https://a.example.com", "https://b.example.com")
        let server = try await TestServer.start()
        let app = try await server.bearerClient { $0.resources = [first, second] }
        var tokens = try await app.signIn(try await server.account(), scope: "wallet")
        #expect(try audience(of: tokens) == [first, second])
        tokens = try await app.token(
            .refreshToken(try #require(tokens.refreshToken), attempt: nil), resources: [second]
        ).tokens()
        #expect(try audience(of: tokens) == [second])
        tokens = try await app.refresh(try #require(tokens.refreshToken)).tokens()
        #expect(try audience(of: tokens) == [first, second])
    }

    private func audience(of tokens: TokenResponse) throws -> [String] {
        try AccessTokenClaims(
            JSONValue.object(parsing: CompactJWS(tokens.accessToken.reveal()).unverifiedPayload)
        ).audience
    }
}
