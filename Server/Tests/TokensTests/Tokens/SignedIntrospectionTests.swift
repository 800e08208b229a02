import Core
import FlowSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import Tokens

@Suite("Introspection as a JWT, and user names", .covers("introspection as a JWT"))
struct SignedIntrospectionTests {
    private func request(_ token: String, by client: TestClient) throws -> TokenStateRequest {
        TokenStateRequest(client: client.authentication, token: try PresentedToken(token))
    }

    private func answer(_ token: String, by client: TestClient) async throws -> JSONObject {
        try await client.server.flows.tokens.introspection.introspect(request(token, by: client)).get().json
    }

    /// The JWT of an answer, verified with the published keys.
    private func signed(_ token: String, by client: TestClient) async throws -> VerifiedJWS {
        let jwt = try await client.server.flows.tokens.introspection
            .signedIntrospection(request(token, by: client)).get()
        let keys = JSONValue.object(client.server.context.keyRing.publishedKeys().json).text
        return try CompactJWS(jwt).verified(by: try RegisteredClient.verifiers(keys), type: .tokenIntrospection)
    }

    @Test(
        "The JWT says the same as the JSON, for the caller alone, with the algorithm of its ID tokens",
        arguments: [(nil, SigningAlgorithm.rs256), ("ES256", .es256), ("EdDSA", .edDSA)]
            as [(String?, SigningAlgorithm)])
    func sameAnswer(registered: String?, algorithm: SigningAlgorithm) async throws {
        let server = try await TestServer.start()
        let client = try await server.bearerClient()
        let resource = try await server.confidentialClient("api") {
            $0.introspection = true
            $0.idTokenAlgorithm = registered
        }
        let token = try await client.signIn(try await server.account()).accessToken.reveal()
        let jws = try await signed(token, by: resource)
        #expect(jws.header.algorithm == algorithm)
        let claims = try jws.claims().object
        #expect(claims.names == ["iss", "aud", "iat", "token_introspection"])
        #expect(claims["iss"]?.string == server.context.settings.issuer.rawValue)
        #expect(claims["aud"]?.string == "api")
        #expect(claims["iat"] == .integer(server.clock.now().seconds))
        let inner = try #require(claims["token_introspection"]?.object)
        #expect(inner["active"]?.bool == true)
        #expect(try await inner == answer(token, by: resource))
    }

    @Test("Of an expired, ended or unknown token the JWT says that it is not active, and nothing more")
    func inactive() async throws {
        let server = try await TestServer.start()
        let client = try await server.bearerClient()
        let resource = try await server.confidentialClient("api") { $0.introspection = true }
        let stranger = try await server.confidentialClient("stranger")
        let token = try await client.signIn(try await server.account()).accessToken.reveal()
        func isInactive(_ token: String, by client: TestClient) async throws -> Bool {
            let claims = try await signed(token, by: client).claims().object
            return claims["token_introspection"] == .object(IntrospectionResponse.inactive.json)
        }
        #expect(try await isInactive(token, by: stranger))
        #expect(try await isInactive("garbage", by: resource))
        try await client.revoke(token)
        #expect(try await isInactive(token, by: resource))
    }

    @Test(
        "attack: an answer passes for no access token and no ID token, and a public client gets none",
        .threat("Malformed tokens and JSON"))
    func confusion() async throws {
        let server = try await TestServer.start()
        let client = try await server.bearerClient()
        let resource = try await server.confidentialClient("api") {
            $0.introspection = true
            $0.idTokenAlgorithm = "ES256"
        }
        let token = try await client.signIn(try await server.account()).accessToken.reveal()
        let introspection = server.flows.tokens.introspection
        let jwt = try await introspection.signedIntrospection(request(token, by: resource)).get()
        #expect(
            try await server.context.accessTokens.claims(of: AccessToken(jwt), now: server.clock.now()) == nil)
        let keys = JSONValue.object(server.context.keyRing.publishedKeys().json).text
        #expect(throws: JOSEError.self) {
            try CompactJWS(jwt).verified(by: try RegisteredClient.verifiers(keys), type: .jwt)
        }
        guard
            case .failure(.invalidClient(.publicClient)) = try await introspection.signedIntrospection(
                request(token, by: client))
        else {
            Issue.record("a public client was answered")
            return
        }
    }

    @Test("The operator's own resource servers learn the user name as it was typed, and others do not")
    func username() async throws {
        let server = try await TestServer.start()
        let client = try await server.bearerClient()
        let mail = try await server.confidentialClient("mail") {
            $0.firstParty = true
            $0.introspection = true
        }
        let partner = try await server.confidentialClient("partner") { $0.introspection = true }
        let token = try await client.signIn(try await server.account("Grace.Hopper")).accessToken.reveal()
        #expect(try await answer(token, by: mail)["username"]?.string == "Grace.Hopper")
        let inner = try await signed(token, by: mail).claims().object["token_introspection"]?.object
        #expect(inner?["username"]?.string == "Grace.Hopper")
        let loyalty = try await server.confidentialClient("loyalty") {
            $0.introspection = true
            $0.guestTokens = true
            $0.loyaltyMerchants = [10_101_010]
        }
        for other in [partner, loyalty] {
            let seen = try await answer(token, by: other)
            #expect(seen["active"]?.bool == true && seen["username"] == nil, "\(other.id)")
        }
        let machine = try await mail.token(.clientCredentials).tokens().accessToken.reveal()
        let own = try await answer(machine, by: mail)
        #expect(own["active"]?.bool == true)
        #expect(own["username"] == nil, "no person")
    }

    @Test("The metadata names the algorithms of such answers")
    func metadata() async throws {
        let server = try await TestServer.start()
        let metadata = server.flows.discovery.metadata().json
        #expect(metadata["introspection_signing_alg_values_supported"]?.strings == ["RS256", "ES256", "EdDSA"])
    }
}
