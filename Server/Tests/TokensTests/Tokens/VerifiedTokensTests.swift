import Core
import FlowSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import Tokens

@Suite("Access tokens that were verified before")
struct VerifiedTokensTests {
    @Test("attack: a token that was verified before is refused once it has expired, and by a clock that was moved back")
    func expiry() async throws {
        let server = try await TestServer.start()
        let app = try await server.bearerClient()
        let token = try await app.signIn(server.account()).accessToken
        let check = server.context.accessTokens
        for _ in 0..<2 {
            let claims = try await check.claims(of: token, now: server.clock.now())
            #expect(claims != nil)
        }
        let now = server.clock.now()
        let late = try await check.claims(of: token, now: now + .seconds(302))
        #expect(late == nil)
        let early = try await check.claims(of: token, now: now - .seconds(10))
        #expect(early == nil)
    }

    @Test("attack: one changed character of a token that was verified before makes it unknown")
    func changed() async throws {
        let server = try await TestServer.start()
        let app = try await server.bearerClient()
        let token = try await app.signIn(server.account()).accessToken
        let check = server.context.accessTokens
        let genuine = try await check.claims(of: token, now: server.clock.now())
        #expect(genuine != nil)
        var text = Array(token.reveal())
        text[text.count - 10] = text[text.count - 10] == "A" ? "B" : "A"
        let forged = try await check.claims(of: AccessToken(String(text)), now: server.clock.now())
        #expect(forged == nil)
    }

    @Test("attack: the session of a token that was verified before is asked about each time")
    func endedSession() async throws {
        let server = try await TestServer.start()
        let app = try await server.bearerClient()
        let tokens = try await app.signIn(server.account())
        let check = server.context.accessTokens
        let claims = try #require(try await check.claims(of: tokens.accessToken, now: server.clock.now()))
        let before = try await check.lives(claims, now: server.clock.now())
        #expect(before)
        _ = try await server.flows.tokens.revocation.revoke(
            TokenStateRequest(
                client: app.authentication, token: PresentedToken(try #require(tokens.refreshToken).reveal())),
            proof: .none, origin: TestServer.origin)
        let again = try #require(try await check.claims(of: tokens.accessToken, now: server.clock.now()))
        let after = try await check.lives(again, now: server.clock.now())
        #expect(!after)
    }

    @Test("What is remembered stays bounded, and what is in use stays remembered")
    func bounded() throws {
        let memory = VerifiedTokens(capacity: 4)
        let claims = AccessTokenClaims(
            issuer: "https://auth.example.com", subject: "s", audience: ["a"], clientID: try ClientID("c"),
            expiresAt: NumericDate(clamping: 100), issuedAt: NumericDate(clamping: 0), id: "1", scope: .none)
        let digests = try (0..<12).map { VerifiedTokens.digest(of: try AccessToken("token\($0)")) }
        for digest in digests {
            memory.remember(VerifiedTokens.Entry(claims: claims, keyID: "k"), digest)
            _ = memory.find(digests[0])
        }
        #expect(memory.find(digests[0]) != nil)
        #expect(memory.find(digests[1]) == nil)
        #expect(digests.count { memory.find($0) != nil } <= 8)
    }
}
