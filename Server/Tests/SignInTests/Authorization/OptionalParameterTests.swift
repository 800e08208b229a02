import Core
import FlowSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import Tokens

@Suite("Optional parameters of authorization requests")
struct OptionalParameterTests {
    @Test(
        "A request without a nonce, or with a parameter that changes nothing here, gets its code and ID token",
        .conformance(
            "oidcc-ensure-request-without-nonce-succeeds-for-code-flow", "oidcc-display-page", "oidcc-display-popup",
            "oidcc-ui-locales", "oidcc-claims-locales", "oidcc-login-hint",
            "oidcc-ensure-request-with-unknown-parameter-succeeds"),
        arguments: [
            ("nonce", nil), ("display", "page"), ("display", "popup"), ("ui_locales", "se"), ("claims_locales", "se"),
            ("login_hint", "buffy@example.com"), ("extra", "foobar"),
        ] as [(String, String?)])
    func optional(name: String, value: String?) async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        let client = try await server.bearerClient()
        let link = try client.request { $0[name] = .some(value) }
        let tokens = try await client.redeem(TestBrowser(server).signIn(link).code()).tokens()
        #expect(tokens.idToken != nil)
    }

    @Test(
        "A client of FAPI 2.0 pushes a request without state or nonce, with long ones, or with its scopes in any order",
        .conformance(
            "fapi2-security-profile-final-ensure-authorization-request-without-state-success",
            "fapi2-security-profile-final-ensure-authorization-request-without-nonce-success",
            "fapi2-security-profile-final-ensure-authorization-request-with-64-char-nonce-success",
            "fapi2-security-profile-final-ensure-authorization-request-with-long-nonce",
            "fapi2-security-profile-final-ensure-authorization-request-with-long-state",
            "fapi2-security-profile-final-ensure-other-scope-order-succeeds"),
        arguments: [
            ("state", nil), ("nonce", nil), ("nonce", String(repeating: "n", count: 64)),
            ("nonce", String(repeating: "n", count: 384)), ("state", String(repeating: "s", count: 384)),
            ("scope", "wallet openid"),
        ] as [(String, String?)])
    func ofFAPI(name: String, value: String?) async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        let app = try await KeyClient(server) {
            $0.fapi = true
            $0.firstParty = true
            $0.redirectURIs = ["https://app.example.com/callback"]
        }
        let request = try app.client.request { $0[name] = .some(value) }
        let link = try await app.client.push(request, as: app.authentication()).response().form(of: app.client.id)
        let redirect = try await TestBrowser(server).signIn(link).redirect()
        #expect(redirect["state"] == (name == "state" ? value : "s-1"))
        let code = try AuthorizationCode(#require(redirect["code"]))
        let tokens = try await app.client.token(
            .authorizationCode(code, redirectURI: nil, verifier: TestClient.verifier), as: app.authentication(),
            proof: TestKey()
        ).tokens()
        #expect(tokens.idToken != nil)
    }
}
