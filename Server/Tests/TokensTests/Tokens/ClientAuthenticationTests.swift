import Core
import Crypto
import FlowSupport
import Kernel
import Store
import Testing
import WalletAuthWire

@testable import Operations
@testable import Tokens

@Suite("How clients authenticate")
struct ClientAuthenticationTests {
    private static func ask(
        _ server: TestServer, as client: ClientAuthentication, proof key: TestKey? = nil
    ) async throws -> OAuthRefusal? {
        try await server.flows.tokens.grants.token(
            TokenRequest(client: client, grant: .clientCredentials),
            proof: try key.map { try $0.present(to: server) } ?? .none, origin: TestServer.origin
        ).refusal
    }

    @Test("attack: a wrong secret, an unknown client and a confidential client without its secret get one answer")
    func refusals() async throws {
        let server = try await TestServer.start()
        let client = try await server.confidentialClient()
        let wrong = try ClientSecret("wrong")
        let expected: [(ClientAuthentication, ClientFault)] = [
            (.basic(client.id, wrong), .secret), (.basic(try ClientID("nobody"), wrong), .unknown),
            (.none(client.id), .method(.clientSecretBasic)),
        ]
        for (credentials, fault) in expected {
            let refusal = try #require(try await Self.ask(server, as: credentials))
            #expect(refusal == .invalidClient(fault))
            #expect(refusal.code == "invalid_client" && refusal.reason == "Client authentication failed.")
        }
    }

    @Test(
        "A secret counts in the header and in the form, whichever of the two the client was registered for",
        arguments: ["client_secret_basic", "client_secret_post"])
    func headerOrForm(registered: String) async throws {
        let server = try await TestServer.start()
        let client = try await server.confidentialClient { $0.authenticationMethod = registered }
        let secret = try #require(client.secret)
        let wrong = try ClientSecret("wrong")
        #expect(try await Self.ask(server, as: .basic(client.id, secret)) == nil)
        #expect(try await Self.ask(server, as: .post(client.id, secret)) == nil)
        #expect(try await Self.ask(server, as: .basic(client.id, wrong)) == .invalidClient(.secret))
        #expect(try await Self.ask(server, as: .post(client.id, wrong)) == .invalidClient(.secret))
    }

    @Test("a public client gets no tokens for itself")
    func publicClients() async throws {
        let server = try await TestServer.start()
        let app = try await server.bearerClient()
        #expect(try await Self.ask(server, as: app.authentication) == .unauthorizedClient)
    }

    @Test("a deleted client is refused at once")
    func deleted() async throws {
        let server = try await TestServer.start()
        let client = try await server.confidentialClient()
        #expect(try await Self.ask(server, as: client.authentication) == nil)
        try await server.administer(["client", "delete", client.id.rawValue])
        #expect(try await Self.ask(server, as: client.authentication) == .invalidClient(.unknown))
    }

    @Test("private_key_jwt proves a client by its own key, once")
    func privateKeyJWT() async throws {
        let server = try await TestServer.start()
        let keyClient = try await KeyClient(server)
        let assertion = try keyClient.assertion()
        #expect(try await Self.ask(server, as: assertion) == nil)
        #expect(try await Self.ask(server, as: assertion) == .invalidClient(.usedAssertion))
    }

    @Test("A client's key set is replaced: its new key proves it from then on, and the former one no longer")
    func replacedKeys() async throws {
        let server = try await TestServer.start()
        let keyClient = try await KeyClient(server)
        let next = P256Signer(P256.Signing.PrivateKey(), keyID: "k2")
        let keys = JSONValue.object(JWKSet([try #require(next.publicJWK)]).json).text
        let answer = await server.flows.administration.execute(
            AdminRequest(["client", "update", "key-client", "--jwks", "keys.json"], input: keys))
        #expect(
            answer.status == .done && answer.lines.contains { $0.contains("keys of the new set") }, "\(answer.lines)")
        let former = try keyClient.assertion(id: "an-assertion-by-the-former-key")
        #expect(try await Self.ask(server, as: former) == .invalidClient(.assertion(.unknownKey)))
        let current = try keyClient.assertion(id: "an-assertion-by-the-current-key", signer: next)
        #expect(try await Self.ask(server, as: current) == nil)
    }

    @Test("An assertion may name the endpoint that it is for, and no other's but the token endpoint's")
    func endpointAudiences() async throws {
        let server = try await TestServer.start()
        let keyClient = try await KeyClient(server)
        func url(_ endpoint: Endpoint) -> String { "https://auth.example.com" + endpoint.path }
        func isForAnother(_ refusal: OAuthRefusal?) -> Bool {
            guard case .invalidClient(.claim(.claim(name: "aud", .mismatch), _)) = refusal else { return false }
            return true
        }
        func revoke(_ audience: String, _ id: String) async throws -> OAuthRefusal? {
            let request = TokenStateRequest(
                client: try keyClient.assertion(audience: audience, id: id), token: try PresentedToken("unknown"))
            let outcome = try await server.flows.tokens.revocation.revoke(
                request, proof: .none, origin: TestServer.origin)
            guard case .failure(let refusal) = outcome else { return nil }
            return refusal
        }
        func introspect(_ audience: String, _ id: String) async throws -> OAuthRefusal? {
            let request = TokenStateRequest(
                client: try keyClient.assertion(audience: audience, id: id), token: try PresentedToken("unknown"))
            guard
                case .failure(let refusal) = try await server.flows.tokens.introspection.introspect(request)
            else { return nil }
            return refusal
        }
        #expect(try await revoke(url(Endpoints.revoke), "1") == nil)
        #expect(try await revoke(url(Endpoints.token), "2") == nil)
        #expect(isForAnother(try await revoke(url(Endpoints.introspect), "3")))
        #expect(try await introspect(url(Endpoints.introspect), "4") == nil)
        #expect(isForAnother(try await introspect(url(Endpoints.revoke), "5")))
        let token = try keyClient.assertion(audience: url(Endpoints.revoke), id: "6")
        #expect(isForAnother(try await Self.ask(server, as: token)))
    }

    @Test(
        "Under the FAPI profile an assertion names the issuer, and no endpoint",
        .conformance("fapi2-security-profile-final-par-test-token-endpoint-url-as-audience-fails"))
    func issuerAsAudience() async throws {
        let server = try await TestServer.start()
        let keyClient = try await KeyClient(server) { $0.fapi = true }
        let endpoint = try keyClient.assertion(audience: "https://auth.example.com" + Endpoints.token.path)
        let issuer = ClientFault.claim(
            .claim(name: "aud", .mismatch), audiences: ["https://auth.example.com"])
        #expect(try await Self.ask(server, as: endpoint) == .invalidClient(issuer))
        #expect(try await Self.ask(server, as: keyClient.assertion(), proof: TestKey()) == nil)
    }

    @Test(
        "attack: an assertion for another audience, by another key, for another client or too far in the future",
        .conformance(
            "fapi2-security-profile-final-ensure-client-assertion-with-exp-is-5-minutes-in-past-fails",
            "fapi2-security-profile-final-ensure-client-assertion-with-wrong-aud-fails"),
        .threat("Replayed proofs and assertions"))
    func badAssertions() async throws {
        let server = try await TestServer.start()
        let keyClient = try await KeyClient(server)
        let audiences = ["https://auth.example.com", "https://auth.example.com/oauth2/token"]
        func claim(_ name: String, _ fault: JOSEError.ClaimFault) -> ClientFault {
            .claim(.claim(name: name, fault), audiences: audiences)
        }
        let bad: [(ClientAuthentication, ClientFault)] = [
            (try keyClient.assertion(audience: "https://other.example.com"), claim("aud", .mismatch)),
            (try keyClient.assertion(issuer: "somebody"), claim("iss", .mismatch)),
            (try keyClient.assertion(subject: "somebody"), claim("sub", .mismatch)),
            (try keyClient.assertion(lifetime: 86_400 * 365), claim("exp", .tooFar)),
            (try keyClient.assertion(issuedAgo: nil, lifetime: 3600), claim("exp", .tooFar)),
            (try keyClient.assertion(issuedAgo: 631, lifetime: 60), claim("iat", .expired)),
            (try keyClient.assertion(issuedAgo: -60, lifetime: 60), claim("iat", .tooEarly)),
            (try keyClient.assertion(lifetime: -120), claim("exp", .expired)),
            (try keyClient.assertion(id: nil), claim("jti", .missing)),
            (try keyClient.assertion(id: ""), claim("jti", .malformed)),
            (
                try keyClient.assertion(signer: P256Signer(P256.Signing.PrivateKey(), keyID: "k1")),
                .assertion(.invalidSignature)
            ),
            (
                try keyClient.assertion(signer: P256Signer(P256.Signing.PrivateKey(), keyID: "k2")),
                .assertion(.unknownKey)
            ),
            (try keyClient.assertion(type: .accessToken), .assertion(.wrongType)),
            (.none(keyClient.client.id), .method(.privateKeyJWT)),
            (.basic(keyClient.client.id, try ClientSecret("wrong")), .method(.privateKeyJWT)),
        ]
        for (assertion, fault) in bad {
            #expect(try await Self.ask(server, as: assertion) == .invalidClient(fault))
        }
        #expect(try await Self.ask(server, as: keyClient.assertion()) == nil)
    }

    @Test("The log has a sentence for each fault, and the answer only where the client proved its key")
    func sentences() throws {
        let audiences = ["https://auth.example.com"]
        let proved: [ClientFault] = [
            .claim(.claim(name: "aud", .mismatch), audiences: audiences),
            .claim(.claim(name: "exp", .expired), audiences: audiences),
            .claim(.claim(name: "exp", .tooFar), audiences: audiences),
            .claim(.claim(name: "iat", .expired), audiences: audiences),
            .claim(.claim(name: "jti", .missing), audiences: audiences), .usedAssertion, .beforeRestore,
        ]
        let strangers: [ClientFault] = [
            .unknown, .method(.none), .method(.privateKeyJWT), .secret, .publicClient, .keysUnavailable,
            .assertion(.unknownKey),
            .assertion(.invalidSignature), .assertion(.wrongType),
        ]
        let sentences = (proved + strangers).map { OAuthRefusal.invalidClient($0).loggedReason }
        #expect(Set(sentences).count == sentences.count)
        #expect(sentences.allSatisfy { $0.utf8.allSatisfy { (0x20...0x7E).contains($0) } })
        for fault in proved {
            let refusal = OAuthRefusal.invalidClient(fault)
            #expect(refusal.reason == refusal.loggedReason)
        }
        #expect(Set(strangers.map { OAuthRefusal.invalidClient($0).reason }) == ["Client authentication failed."])
    }

    @Test(
        "attack: an assertion with iat that expires in an hour, as Authlib's, is used again, or after ten minutes",
        .threat("Replayed proofs and assertions"), arguments: [false, true])
    func longExpiry(_ fapi: Bool) async throws {
        let server = try await TestServer.start()
        let keyClient = try await KeyClient(server) { $0.fapi = fapi }
        let used = try keyClient.assertion(id: "used", lifetime: 3600)
        let kept = try keyClient.assertion(id: "kept", lifetime: 3600)
        #expect(try await Self.ask(server, as: used, proof: fapi ? TestKey() : nil) == nil)
        server.clock.advance(by: .seconds(629))
        #expect(try await Self.ask(server, as: used) == .invalidClient(.usedAssertion))
        server.clock.advance(by: .seconds(2))
        for assertion in [used, kept] {
            guard
                case .invalidClient(.claim(.claim(name: "iat", .expired), _)) = try await Self.ask(
                    server, as: assertion)
            else {
                Issue.record("an old assertion was accepted")
                continue
            }
        }
        let now = server.clock.now()
        let remembered = try await server.context.database.read {
            try $0.row("SELECT 1 FROM seen_jtis WHERE expires_at > $1", [.time(now)])
        }
        #expect(remembered == nil, "what can no longer be used is not remembered")
    }

    @Test(
        "attack: an assertion is used again after a sweep, in the last second in which it would be accepted",
        .threat("Replayed proofs and assertions"))
    func lastSecond() async throws {
        let server = try await TestServer.start()
        let keyClient = try await KeyClient(server)
        let assertion = try keyClient.assertion(lifetime: 3600)
        #expect(try await Self.ask(server, as: assertion) == nil)
        server.clock.advance(by: .seconds(630))
        try await server.flows.maintenance.run()
        #expect(try await Self.ask(server, as: assertion) == .invalidClient(.usedAssertion))
    }
}
