import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import Tokens

@Suite("Redeeming a code", .threat("a stolen or replayed code"), .covers("POST /oauth2/token"))
struct CodeRedemptionTests {
    private static func redeem(
        _ code: AuthorizationCode, by client: TestClient, verifier: CodeVerifier = TestClient.verifier,
        redirectURI: RedirectURI? = nil, proof: TestKey? = nil
    ) async throws -> TokenOutcome {
        try await client.token(
            .authorizationCode(code, redirectURI: redirectURI, verifier: verifier), proof: proof)
    }

    @Test("a code opens one session with an access token, a refresh token and, for openid, an ID token")
    func opensASession() async throws {
        let server = try await TestServer.start()
        let app = try await server.bearerClient()
        let account = try await server.account()
        let tokens = try await Self.redeem(app.code(for: account), by: app).tokens()
        #expect(tokens.tokenType == .bearer)
        #expect(tokens.expiresIn == 300)
        #expect(tokens.refreshToken != nil)
        #expect(tokens.idToken != nil)
        let plain = try await Self.redeem(app.code(for: account, scope: "wallet"), by: app).tokens()
        #expect(plain.idToken == nil)
    }

    @Test("An ID token says that it is a JWT in the letters that every client compares with")
    func idTokenType() async throws {
        let server = try await TestServer.start()
        for algorithm in ["RS256", "ES256", "EdDSA"] {
            let app = try await server.bearerClient("app-\(algorithm)") { $0.idTokenAlgorithm = algorithm }
            let tokens = try await Self.redeem(app.code(for: server.account("ada-\(algorithm)")), by: app).tokens()
            let token = try #require(tokens.idToken).reveal()
            let header = try JSONValue.object(
                parsing: try #require(Base64URL.decode(String(token.prefix { $0 != "." }))))
            #expect(header["typ"]?.string == "JWT", "\(algorithm)")
            #expect(header["alg"]?.string == algorithm)
        }
    }

    @Test("A redemption that repeats the request's scope gets what was granted of it, and none where nothing of it was")
    func repeatedScope() async throws {
        let server = try await TestServer.start()
        let app = try await server.bearerClient()
        let account = try await server.account()
        for (asked, granted) in [("openid wallet admin", "openid wallet"), ("admin wallet", "wallet")] {
            let code = try await app.code(for: account)
            let grant = TokenRequest.Grant.authorizationCode(code, redirectURI: nil, verifier: TestClient.verifier)
            let tokens = try await app.token(grant, scope: Scope(asked)).tokens()
            #expect(tokens.scope?.rawValue == granted)
        }
        let code = try await app.code(for: account)
        let grant = TokenRequest.Grant.authorizationCode(code, redirectURI: nil, verifier: TestClient.verifier)
        #expect(try await app.token(grant, scope: Scope("admin")).refusal == .invalidScope(["admin"]))
        _ = try await app.token(grant).tokens()
    }

    @Test("attack: one code redeemed sixty-four times at once opens one session, which the replays end")
    func raceOfRedemptions() async throws {
        let server = try await TestServer.start()
        let app = try await server.bearerClient()
        let account = try await server.account()
        let code = try await app.code(for: account)
        let outcomes = try await withThrowingTaskGroup(of: TokenOutcome.self) { group in
            for _ in 0..<64 { group.addTask { try await Self.redeem(code, by: app) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let opened = outcomes.filter { $0.refusal == nil }
        #expect(opened.count == 1)
        let id = try #require(UniqueID(bytes: account.bytes))
        let sessions = try await server.context.database.read { try Sessions.list(of: id, limit: 10, on: $0) }
        #expect(sessions.count == 1)
        #expect(sessions.first?.ended?.why == .codeReuse)
    }

    @Test("attack: a replayed code without the verifier is refused, and the session goes on")
    func replayWithLess() async throws {
        let server = try await TestServer.start()
        let app = try await server.bearerClient()
        let thief = try await server.bearerClient("thief")
        let code = try await app.code(for: server.account())
        let tokens = try await Self.redeem(code, by: app).tokens()
        let wrong = try CodeVerifier(String(repeating: "x", count: 43))
        #expect(try await Self.redeem(code, by: app, verifier: wrong).refusal == .invalidGrant)
        #expect(try await Self.redeem(code, by: thief).refusal == .invalidGrant)
        _ = try await app.refresh(try #require(tokens.refreshToken)).tokens()
    }

    @Test(
        "attack: a code replayed after its minute still ends the session that it opened",
        .conformance(
            "oidcc-codereuse-30seconds",
            "fapi2-security-profile-final-attempt-reuse-authorization-code-after-one-second"))
    func lateReplay() async throws {
        let server = try await TestServer.start()
        let app = try await server.bearerClient()
        let code = try await app.code(for: server.account())
        let tokens = try await Self.redeem(code, by: app).tokens()
        server.clock.advance(by: .seconds(90))
        #expect(try await Self.redeem(code, by: app).refusal == .invalidGrant)
        #expect(try await app.refresh(try #require(tokens.refreshToken)).refusal == .invalidGrant)
    }

    @Test(
        "attack: a code for another client, with another verifier or another redirect URI opens nothing",
        .conformance(
            "fapi2-security-profile-final-ensure-authorization-code-is-bound-to-client",
            "fapi2-security-profile-final-incorrect-pkce-code-verifier-rejected"))
    func swaps() async throws {
        let server = try await TestServer.start()
        let app = try await server.bearerClient()
        let other = try await server.bearerClient("other")
        let account = try await server.account()
        let code = try await app.code(for: account)
        #expect(try await Self.redeem(code, by: other).refusal == .invalidGrant)
        let verifier = try CodeVerifier(String(repeating: "y", count: 43))
        #expect(try await Self.redeem(code, by: app, verifier: verifier).refusal == .invalidGrant)
        let elsewhere = try RedirectURI("https://app.example.com/elsewhere")
        #expect(try await Self.redeem(code, by: app, redirectURI: elsewhere).refusal == .invalidGrant)
        _ = try await Self.redeem(code, by: app).tokens()
    }

    @Test("attack: a code bound to a key opens nothing without that key")
    func bound() async throws {
        let server = try await TestServer.start()
        let app = try await server.bearerClient()
        let key = TestKey()
        let code = try await app.code(for: server.account(), boundTo: key)
        #expect(try await Self.redeem(code, by: app).refusal == .invalidGrant)
        #expect(try await Self.redeem(code, by: app, proof: TestKey()).refusal == .invalidGrant)
        let tokens = try await Self.redeem(code, by: app, proof: key).tokens()
        #expect(tokens.tokenType == .dpop)
    }

    @Test(
        "a code lives for sixty seconds",
        .conformance("fapi2-security-profile-final-ensure-token-endpoint-fails-with-expired-auth-code"))
    func lifetime() async throws {
        let server = try await TestServer.start()
        let app = try await server.bearerClient()
        let account = try await server.account()
        let code = try await app.code(for: account)
        server.clock.advance(by: .seconds(59))
        _ = try await Self.redeem(code, by: app).tokens()
        let late = try await app.code(for: account)
        server.clock.advance(by: .seconds(60))
        #expect(try await Self.redeem(late, by: app).refusal == .invalidGrant)
    }

    @Test("a password change between code and token makes the code worthless")
    func securityVersion() async throws {
        let server = try await TestServer.start()
        let app = try await server.bearerClient()
        let account = try await server.account()
        let code = try await app.code(for: account)
        try await server.administer(
            AdminRequest(
                ["account", "set-password", "--account", account.rawValue], input: "another long password"))
        #expect(try await Self.redeem(code, by: app).refusal == .invalidGrant)
    }

    @Test("attack: a code with one bit changed anywhere is refused")
    func changedBits() async throws {
        let server = try await TestServer.start()
        let app = try await server.bearerClient()
        let code = try await app.code(for: server.account())
        #expect(code.reveal().utf8.count <= 512)
        let bytes = try #require(Base64URL.decode(String(code.reveal().dropFirst(4))))
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1
            let forged = try AuthorizationCode("wac_" + Base64URL.encode(changed))
            #expect(try await Self.redeem(forged, by: app).refusal == .invalidGrant)
        }
        _ = try await Self.redeem(code, by: app).tokens()
    }

    @Test("a grant too long for a code of 512 bytes is kept in a row and redeemed once as well")
    func longGrants() async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        let redirectURI = "https://app.example.com/" + String(repeating: "path/", count: 200)
        let app = try await server.bearerClient { $0.redirectURIs = [redirectURI] }
        let request = try app.request { $0["redirect_uri"] = redirectURI }
        let code = try await TestBrowser(server).signIn(request).code()
        #expect(code.reveal().utf8.count <= 512)
        #expect(try await server.rows(of: "stored_codes") == 1)
        _ = try await Self.redeem(code, by: app).tokens()
        #expect(try await Self.redeem(code, by: app).refusal == .invalidGrant)
    }

    @Test("only a registered redeemer may redeem a public client's code; the tokens are then its own")
    func redeemer() async throws {
        let server = try await TestServer.start()
        let backend = try await server.confidentialClient()
        let stranger = try await server.confidentialClient("stranger")
        let app = try await server.publicClient { $0.redeemer = backend.id.rawValue }
        let code = try await app.code(for: server.account(), scope: "wallet")
        #expect(try await Self.redeem(code, by: stranger).refusal == .invalidGrant)
        let tokens = try await Self.redeem(code, by: backend).tokens()
        let token = try #require(tokens.refreshToken)
        #expect(try await app.refresh(token, proof: TestKey()).refusal == .invalidGrant)
        _ = try await backend.refresh(token).tokens()
    }
}
