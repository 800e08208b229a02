import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthWire

@Suite("The app leads the sign-in, the SDK redeems", .covers("Partial OAuth, OAuthCodeChallenge"))
struct PartialTests {
    private func response(_ world: World) throws -> OAuthCodeResponse {
        let challenge = OAuthCodeChallenge()
        var request = AuthorizationRequest(
            clientID: try ClientID("com.example.wallet"),
            redirectURI: try RedirectURI(World.redirectURI.absoluteString),
            codeChallenge: challenge.challenge, scope: try Scope("openid"),
            state: try OAuthState("state-of-the-app-123"))
        request.nonce = try Nonce("nonce-of-the-app-123")
        let page = try url("https://auth.example.com/oauth2/authorize?" + request.form.encoded)
        let answer = try world.server.signIn(at: page, as: "alice")
        let form = try FormParameters(parsing: answer.query() ?? "")
        return OAuthCodeResponse(
            code: try #require(form["code"]), challenge: challenge, redirectURI: World.redirectURI,
            nonce: "nonce-of-the-app-123")
    }

    @Test("A code response is redeemed once, even if the app passes in the same one at each start")
    func once() async throws {
        let world = World()
        let response = try response(world)
        #expect(try await world.wallet(.partial(codeResponse: response)).setUp() == .signedIn)
        #expect(try await world.wallet(.partial(codeResponse: response)).setUp() == .restored)
        #expect(try await world.wallet(.partial(codeResponse: nil)).setUp() == .restored)
        #expect(world.server.requests.count { $0.form["code"] != nil && $0.status == 200 } == 1)
    }

    @Test("A code is redeemed without its redirect URI, where the server leaves that to the verifier")
    func withoutRedirectURI() async throws {
        let world = World()
        let complete = try response(world)
        let bare = OAuthCodeResponse(code: complete.code, challenge: complete.challenge, nonce: complete.nonce)
        #expect(try await world.wallet(.partial(codeResponse: bare)).setUp() == .signedIn)
        #expect(world.server.requests.last { $0.form["code"] != nil }?.form["redirect_uri"] == nil)
    }

    @Test("A new code response replaces the session, and the former one is revoked")
    func replaced() async throws {
        let world = World()
        _ = try await world.signedIn()
        let wallet = try world.wallet(.partial(codeResponse: try response(world)))
        #expect(try await wallet.setUp() == .signedIn)
        try await wallet.logout()
        #expect(world.living.isEmpty)
    }

    @Test("Without a code and without a session it says that no one is signed in")
    func nothing() async throws {
        let wallet = try World().wallet(.partial(codeResponse: nil))
        #expect(await failure { try await wallet.setUp() }?.outcome == .signedOut(.neverSignedIn))
    }

    @Test("An ID token whose nonce is not the request's is refused")
    func wrongNonce() async throws {
        let world = World()
        let good = try response(world)
        let forged = OAuthCodeResponse(
            code: good.code, challenge: good.challenge, redirectURI: good.redirectURI, nonce: "another-nonce-0123")
        let wallet = try world.wallet(.partial(codeResponse: forged))
        #expect(await failure { try await wallet.setUp() }?.code == .invalidIDToken)
        #expect(!wallet.isLoggedIn)
    }

    @Test("A challenge is the SHA-256 of its verifier (RFC 7636 appendix B)")
    func challenge() throws {
        let verifier = try CodeVerifier("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
        #expect(
            OAuthCodeChallenge(verifier: verifier).challenge.rawValue == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
        #expect(OAuthCodeChallenge().verifier != OAuthCodeChallenge().verifier)
    }
}
