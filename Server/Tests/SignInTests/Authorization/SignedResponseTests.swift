import Core
import FlowSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite(
    "Signed authorization responses", .covers("signed authorization requests and responses"),
    .threat("a response forged or meant for another app"))
struct SignedResponseTests {
    private let server: TestServer

    init() async throws {
        server = try await TestServer.start()
        _ = try await server.account()
    }

    /// The claims of a response, which has to be all that the app gets.
    private func claims(
        of redirect: AuthorizationRedirect, _ algorithm: SigningAlgorithm = .rs256
    ) throws -> JSONObject {
        #expect(redirect.sent.map(\.name) == ["response"])
        let jws = try CompactJWS(#require(redirect.sent.first?.value))
        #expect(jws.header.algorithm == algorithm)
        let keyID = try #require(jws.header.keyID)
        let key = try #require(server.context.keyRing.signingKey(keyID))
        let claims = try jws.verified(by: key.verifier, type: .jwt).claims()
        let rules = JWTRules(
            issuer: "https://auth.example.com", audiences: ["app"], leeway: .zero, maximumLifetime: .minutes(10))
        try claims.validate(rules, now: NumericDate(clamping: server.clock.now().seconds))
        #expect(claims.subject == nil)
        return claims.object
    }

    @Test(
        "A code comes as a JWT of the issuer for the client, in the query or in a form",
        arguments: [("jwt", "query"), ("query.jwt", "query"), ("form_post.jwt", "form_post")])
    func code(mode: String, place: String) async throws {
        let client = try await server.bearerClient()
        let redirect = try await TestBrowser(server).signIn(client.request { $0["response_mode"] = mode }).redirect()
        #expect(redirect.mode.rawValue == place)
        let claims = try claims(of: redirect)
        #expect(claims["state"]?.string == "s-1")
        #expect(claims["iss"]?.string == "https://auth.example.com")
        let code = try AuthorizationCode(#require(claims["code"]?.string))
        #expect(!redirect.location.contains(code.reveal()))
        _ = try await client.redeem(code).tokens()
    }

    @Test("The algorithm is that of the client's ID tokens", arguments: [SigningAlgorithm.es256, .edDSA])
    func algorithms(algorithm: SigningAlgorithm) async throws {
        let client = try await server.bearerClient("app") { $0.idTokenAlgorithm = algorithm.rawValue }
        let redirect = try await TestBrowser(server).signIn(client.request { $0["response_mode"] = "jwt" }).redirect()
        #expect(try claims(of: redirect, algorithm)["code"] != nil)
    }

    @Test("Errors are signed as well: of the request, of a page, and of a silent sign-in")
    func errors() async throws {
        let client = try await server.bearerClient()
        for (name, value, error) in [
            ("scope", "admin", "invalid_scope"), ("response_type", "token", "unsupported_response_type"),
            ("prompt", "none", "login_required"), ("request_uri", "https://evil.example", "request_uri_not_supported"),
        ] {
            for mode in ["jwt", "form_post.jwt"] {
                let redirect = try await TestBrowser(server).open(
                    client.request {
                        $0["response_mode"] = mode
                        $0[name] = value
                    }
                ).redirect()
                let claims = try claims(of: redirect)
                #expect(claims["error"]?.string == error)
                #expect(claims["state"]?.string == "s-1")
                #expect(claims["code"] == nil)
            }
        }
        let browser = TestBrowser(server)
        let page = try await browser.open(client.request { $0["response_mode"] = "jwt" }).page()
        #expect(try await claims(of: browser.submit(page, .cancel).redirect())["error"]?.string == "access_denied")
    }

    @Test(
        "A pushed request has its response signed, and the page before an app's own scheme signs it again when it is loaded"
    )
    func ownScheme() async throws {
        let client = try await server.bearerClient("app") { $0.redirectURIs = ["com.example.app:/callback"] }
        let browser = TestBrowser(server)
        let link = try await client.pushed {
            $0["redirect_uri"] = "com.example.app:/callback"
            $0["response_mode"] = "query.jwt"
        }
        let redirect = try await browser.signIn(link).redirect()
        let code = try claims(of: redirect)["code"]
        let address = try #require(redirect.page)
        let returning = try #require(try await browser.load(address).returning)
        #expect(try claims(of: returning.redirect)["code"] == code)
    }

    @Test(
        "attack: a response in the fragment is refused, signed or not",
        arguments: ["fragment", "fragment.jwt", "web_message"])
    func fragment(mode: String) async throws {
        let client = try await server.bearerClient()
        let redirect = try await TestBrowser(server).open(client.request { $0["response_mode"] = mode }).redirect()
        #expect(redirect["error"] == "invalid_request")
    }

    @Test("attack: a signed response is no ID token and names no one")
    func noIDToken() async throws {
        let client = try await server.bearerClient()
        let redirect = try await TestBrowser(server).signIn(client.request { $0["response_mode"] = "jwt" }).redirect()
        let response = try #require(redirect.sent.first?.value)
        let hinted = try await TestBrowser(server).open(client.request { $0["id_token_hint"] = response }).page()
        #expect(hinted.step == .credentials(username: nil))
    }

    @Test("The metadata names the modes and the algorithms")
    func metadata() {
        let json = server.flows.discovery.metadata().json
        #expect(
            json["response_modes_supported"]?.strings == ["query", "form_post", "jwt", "query.jwt", "form_post.jwt"])
        #expect(json["authorization_signing_alg_values_supported"]?.strings == ["RS256", "ES256", "EdDSA"])
    }
}
