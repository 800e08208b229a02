import Core
import Crypto
import Kernel
import Testing
import WalletAuthWire

@testable import Operations
@testable import Tokens

@Suite("How clients authenticate")
struct ClientAuthenticationTests {
    private static func ask(_ server: TestServer, as client: ClientAuthentication) async throws -> OAuthRefusal? {
        try await server.flows.tokens.grants.token(
            TokenRequest(client: client, grant: .clientCredentials), proof: .none, origin: TestServer.origin
        ).refusal
    }

    @Test("attack: a wrong secret, an unknown client and a confidential client without its secret get one answer")
    func refusals() async throws {
        let server = try await TestServer.start()
        let client = try await server.confidentialClient()
        let wrong = try ClientSecret("wrong")
        #expect(try await Self.ask(server, as: .basic(client.id, wrong)) == .invalidClient)
        #expect(try await Self.ask(server, as: .basic(try ClientID("nobody"), wrong)) == .unknownClient)
        #expect(try await Self.ask(server, as: .none(client.id)) == .invalidClient)
        #expect(OAuthRefusal.unknownClient.code == OAuthRefusal.invalidClient.code)
        #expect(OAuthRefusal.unknownClient.reason == OAuthRefusal.invalidClient.reason)
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
        #expect(try await Self.ask(server, as: client.authentication) == .unknownClient)
    }

    /// A client with a key of its own, and what it signs.
    private struct KeyClient {
        let signer: P256Signer
        let client: TestClient

        init(
            _ server: TestServer, _ adjust: (inout ClientRegistration) -> Void = { _ in }
        ) async throws {
            let signer = P256Signer(P256.Signing.PrivateKey(), keyID: "k1")
            let key = try #require(signer.publicJWK)
            client = try await server.confidentialClient("key-client") {
                $0.authenticationMethod = "private_key_jwt"
                $0.keySet = JSONValue.object(JWKSet([key]).json).text
                adjust(&$0)
            }
            self.signer = signer
        }

        func assertion(
            issuer: String = "key-client", subject: String = "key-client",
            audience: String = "https://auth.example.com", id: String = "a-unique-id-of-an-assertion",
            lifetime: Int64 = 60, signer: P256Signer? = nil
        ) throws -> ClientAuthentication {
            let now = client.server.clock.now().seconds
            var claims = JSONObject()
            claims.set("iss", issuer)
            claims.set("sub", subject)
            claims.set("aud", audience)
            claims.set("jti", id)
            claims.set("iat", now)
            claims.set("exp", now + lifetime)
            let signer = signer ?? self.signer
            let encoder = try CompactJWSEncoder(signer: signer, type: .jwt)
            return .privateKeyJWT(client.id, try ClientAssertion(encoder.encode(claims.bytes, signer: signer)))
        }
    }

    @Test("private_key_jwt proves a client by its own key, once")
    func privateKeyJWT() async throws {
        let server = try await TestServer.start()
        let keyClient = try await KeyClient(server)
        let assertion = try keyClient.assertion()
        #expect(try await Self.ask(server, as: assertion) == nil)
        #expect(try await Self.ask(server, as: assertion) == .invalidClient, "the assertion was used before")
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
        #expect(try await Self.ask(server, as: former) == .invalidClient)
        let current = try keyClient.assertion(id: "an-assertion-by-the-current-key", signer: next)
        #expect(try await Self.ask(server, as: current) == nil)
    }

    @Test("An assertion may name the endpoint that it is for, and no other's but the token endpoint's")
    func endpointAudiences() async throws {
        let server = try await TestServer.start()
        let keyClient = try await KeyClient(server)
        func url(_ endpoint: Endpoint) -> String { "https://auth.example.com" + endpoint.path }
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
        #expect(try await revoke(url(Endpoints.introspect), "3") == .invalidClient)
        #expect(try await introspect(url(Endpoints.introspect), "4") == nil)
        #expect(try await introspect(url(Endpoints.revoke), "5") == .invalidClient)
        let token = try keyClient.assertion(audience: url(Endpoints.revoke), id: "6")
        #expect(try await Self.ask(server, as: token) == .invalidClient)
    }

    @Test("Under the FAPI profile an assertion names the issuer, and no endpoint")
    func issuerAsAudience() async throws {
        let server = try await TestServer.start()
        let keyClient = try await KeyClient(server) { $0.fapi = true }
        let endpoint = try keyClient.assertion(audience: "https://auth.example.com" + Endpoints.token.path)
        #expect(try await Self.ask(server, as: endpoint) == .invalidClient)
        #expect(try await Self.ask(server, as: keyClient.assertion()) == nil)
    }

    @Test(
        "attack: an assertion for another audience, by another key, for another client or too far in the future",
        .threat("Replayed proofs and assertions"))
    func badAssertions() async throws {
        let server = try await TestServer.start()
        let keyClient = try await KeyClient(server)
        let bad: [ClientAuthentication] = [
            try keyClient.assertion(audience: "https://other.example.com"),
            try keyClient.assertion(issuer: "somebody"), try keyClient.assertion(subject: "somebody"),
            try keyClient.assertion(lifetime: 86_400 * 365), try keyClient.assertion(lifetime: -120),
            try keyClient.assertion(signer: P256Signer(P256.Signing.PrivateKey(), keyID: "k1")),
            .none(keyClient.client.id), .basic(keyClient.client.id, try ClientSecret("wrong")),
        ]
        for assertion in bad {
            #expect(try await Self.ask(server, as: assertion) == .invalidClient)
        }
        #expect(try await Self.ask(server, as: keyClient.assertion()) == nil)
    }
}
