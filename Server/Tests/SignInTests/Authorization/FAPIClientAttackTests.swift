import Core
import Crypto
import FlowSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import Tokens

@Suite("Clients of FAPI 2.0, and what would make them weaker", .threat("a client of FAPI 2.0 held to less"))
struct FAPIClientAttackTests {
    private let server: TestServer
    private let app: KeyClient

    init() async throws {
        server = try await TestServer.start()
        _ = try await server.account()
        app = try await KeyClient(server) {
            $0.fapi = true
            $0.firstParty = true
            $0.redirectURIs = ["https://app.example.com/callback"]
        }
    }

    private func push(_ adjust: (inout [String: String?]) -> Void = { _ in }) async throws -> RequestPushing.Outcome {
        try await app.client.push(app.client.request(adjust), as: app.authentication())
    }

    private func code() async throws -> AuthorizationCode {
        let link = try await push().response().form(of: app.client.id)
        return try await TestBrowser(server).signIn(link).code()
    }

    private func redeem(_ code: AuthorizationCode, proof: TestKey?) async throws -> TokenOutcome {
        try await app.client.token(
            .authorizationCode(code, redirectURI: nil, verifier: TestClient.verifier), as: app.authentication(),
            proof: proof)
    }

    @Test("It pushes its request, proves a key, and gets a bound token and an ID token by ES256")
    func signIn() async throws {
        let key = TestKey()
        let tokens = try await redeem(code(), proof: key).tokens()
        let idToken = try CompactJWS(#require(tokens.idToken).reveal())
        #expect(idToken.header.algorithm == .es256)
        let claims = try JSONValue.object(parsing: CompactJWS(tokens.accessToken.reveal()).unverifiedPayload)
        #expect(claims["cnf"]?.object?["jkt"]?.string == key.thumbprint.rawValue)
    }

    @Test(
        "attack: a request that a URL brings opens no page, and neither does one that it signed",
        .conformance("fapi2-security-profile-final-ensure-unsigned-authorization-request-without-using-par-fails"))
    func byURL() async throws {
        let direct = try await TestBrowser(server).open(app.client.request()).redirect()
        #expect(direct["error"] == "invalid_request")
        #expect(direct["error_description"]?.contains("push") == true)
        let signer = try await TestSigner(server) {
            $0.authenticationMethod = "private_key_jwt"
            $0.fapi = true
        }
        let signed = try await TestBrowser(server).open(signer.form(signer.object())).redirect()
        #expect(signed["error"] == "invalid_request")
    }

    @Test(
        "attack: a secret, or its id alone, in place of its assertion",
        .conformance("fapi2-security-profile-final-ensure-client-assertion-in-token-endpoint"))
    func secret() async throws {
        let id = app.client.id
        let refusal = OAuthRefusal.invalidClient(.method(.privateKeyJWT))
        let secret = try ClientSecret("wcs_guessed")
        for weaker in [.basic(id, secret), .post(id, secret), .none(id)] as [ClientAuthentication] {
            #expect(try await app.client.push(app.client.request(), as: weaker).error == "invalid_client")
            let answer = try await app.client.token(.clientCredentials, as: weaker, proof: TestKey())
            #expect(answer.refusal == refusal)
        }
    }

    @Test(
        "attack: an assertion by RS256, with an RSA key that the client publishes for something else",
        .conformance("fapi2-security-profile-final-ensure-signed-client-assertion-with-RS256-fails"))
    func publishedRSAKey() async throws {
        let key = P256Signer(P256.Signing.PrivateKey(), keyID: "k1")
        let rsa = try RS256Signer.generate(keyID: "r1")
        let keys = JSONValue.object(JWKSet([key.publicJWK, rsa.publicJWK].compactMap { $0 }).json).text
        let server = try await TestServer.start(
            providers: ProviderHTTP { _ in ProviderHTTP.Answer(status: 200, body: Array(keys.utf8)) })
        let app = try await KeyClient(server, signer: key) {
            $0.keySet = nil
            $0.jwksURI = "https://app.example.com/keys"
            $0.fapi = true
        }
        func refusal(of assertion: ClientAuthentication) async throws -> OAuthRefusal? {
            try await app.client.token(.clientCredentials, as: assertion, proof: TestKey()).refusal
        }
        let byRSA = try app.assertion(signer: rsa)
        #expect(try await refusal(of: byRSA) == .invalidClient(.assertion(.algorithmNotAllowed)))
        #expect(try await refusal(of: app.authentication()) == nil)
        try await server.administer(["client", "update", "key-client", "--no-fapi"])
        #expect(try await refusal(of: byRSA) == nil, "nothing else was wrong with it")
    }

    @Test(
        "attack: an assertion for a list of audiences, even if this server is the only one in it",
        .conformance("fapi2-security-profile-final-par-test-array-as-audience-fails"))
    func audiences() async throws {
        for others in [[], ["https://evil.example"]] as [[String]] {
            let listed = try app.assertion { $0.set("aud", ["https://auth.example.com"] + others) }
            let answer = try await app.client.token(.clientCredentials, as: listed, proof: TestKey())
            guard case .invalidClient(.claim(.claim(name: "aud", .malformed), _)) = answer.refusal else {
                Issue.record("a list was accepted: \(String(describing: answer.refusal))")
                continue
            }
        }
    }

    @Test(
        "attack: an assertion without a subject, for the pushing endpoint, or for a time over a minute ahead pushes nothing",
        .conformance(
            "fapi2-security-profile-final-ensure-client-assertion-with-no-sub-fails",
            "fapi2-security-profile-final-par-test-par-endpoint-url-as-audience-fails",
            "fapi2-security-profile-final-par-ensure-jwt-client-assertions-nbf-8-seconds-in-the-future-is-accepted",
            "fapi2-security-profile-final-par-ensure-jwt-client-assertions-nbf-over-60-seconds-in-the-future-fails"))
    func assertions() async throws {
        let now = server.clock.now().seconds
        func push(_ id: String, _ change: (inout JSONObject) -> Void) async throws -> String? {
            try await app.client.push(app.client.request(), as: app.assertion(id: id, change)).error
        }
        #expect(try await push("1") { $0["sub"] = nil } == "invalid_client")
        #expect(try await push("2") { $0.set("aud", "https://auth.example.com/oauth2/par") } == "invalid_client")
        #expect(try await push("3") { $0.set("nbf", now + 61) } == "invalid_client")
        #expect(try await push("4") { $0.set("nbf", now + 8) } == nil)
    }

    @Test(
        "attack: tokens without a proof, for a code, for a refresh token or for itself; none of them is used up",
        .conformance("fapi2-security-profile-final-ensure-holder-of-key-required"))
    func withoutProof() async throws {
        let (key, issued) = (TestKey(), try await code())
        #expect(try await redeem(issued, proof: nil).refusal?.code == "invalid_dpop_proof")
        let token = try #require(try await redeem(issued, proof: key).tokens().refreshToken)
        for grant in [.refreshToken(token, attempt: nil), .clientCredentials] as [TokenRequest.Grant] {
            let bearer = try await app.client.token(grant, as: app.authentication())
            #expect(bearer.refusal?.code == "invalid_dpop_proof")
            _ = try await app.client.token(grant, as: app.authentication(), proof: key).tokens()
        }
    }

    @Test("attack: a proof made in advance, for a time more than a minute ahead", arguments: [60, 61, 300])
    func proofAhead(seconds: Int64) async throws {
        let url = server.context.settings.issuer.url(path: Endpoints.token.path)
        let header = try TestKey().proof(
            method: "POST", url: url, server: server, nonce: server.context.proofs.currentNonce(),
            clockAhead: .seconds(seconds))
        let request = TokenRequest(client: try app.authentication(), grant: .clientCredentials)
        let proof = PresentedProof(header: header, method: "POST", path: Endpoints.token.path)
        let answer = try await server.flows.tokens.grants.token(request, proof: proof, origin: TestServer.origin)
        #expect(answer.refusal?.code == (seconds > 60 ? "invalid_dpop_proof" : nil))
    }

    @Test(
        "attack: a pushed request without PKCE or with a plain one, for tokens in the URL, in a fragment, or to http",
        .conformance(
            "fapi2-security-profile-final-par-ensure-pkce-required",
            "fapi2-security-profile-final-par-plain-pkce-rejected",
            "fapi2-security-profile-final-ensure-response-type-code-idtoken-fails",
            "fapi2-security-profile-final-ensure-response-type-token-fails",
            "fapi2-security-profile-final-ensure-redirect-uri-in-authorization-request"),
        arguments: [
            ("code_challenge", nil), ("code_challenge_method", "plain"), ("code_challenge_method", nil),
            ("response_type", "token"), ("response_type", "code id_token"), ("response_mode", "fragment"),
            ("redirect_uri", "http://app.example.com/callback"), ("redirect_uri", "http://127.0.0.1/callback"),
            ("redirect_uri", nil),
        ] as [(String, String?)])
    func weakerRequest(name: String, value: String?) async throws {
        #expect(try await push { $0[name] = .some(value) }.error != nil)
        #expect(try await server.rows(of: "pushed_requests") == 0)
    }

    @Test("attack: anyone asks for the URL of its sign-in page, which only a request of its own may open")
    func authenticationDetails() async throws {
        let reset = "https://app.example.com/reset"
        let pushing = try await server.publicClient("pushing") {
            $0.requiresPushedRequests = true
            $0.resetCredentialsURLs = [reset]
        }
        let signer = try await TestSigner(server) { $0.resetCredentialsURLs = [reset] }
        for client in [app.client, pushing, signer.client] {
            let request = AuthenticationDetailsRequest(
                clientID: client.id, codeChallenge: CodeChallenge(verifier: TestClient.verifier),
                resetCredentialsURL: try WebURL(reset), state: try OAuthState("s-1"),
                redirectURI: try RedirectURI("https://app.example.com/callback"))
            let answer = try await server.flows.signIn.authorization.details.of(request, brand: BrandID("default"))
            guard case .unauthorizedClient = answer else {
                Issue.record("\(client.id): \(answer)")
                continue
            }
        }
    }
}
