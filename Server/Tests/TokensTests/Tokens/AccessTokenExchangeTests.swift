import Core
import FlowSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import Tokens

@Suite(
    "Exchanging access tokens", .covers("exchange of access tokens"), .threat("Stolen access and refresh tokens"))
struct AccessTokenExchangeTests {
    private static let orders = "https://orders.example.com"
    private static let stock = "https://stock.example.com"

    /// A person's app calls one service, which calls another.
    private struct Scene {
        let server: TestServer
        let account: AccountID
        let app: TestClient
        let orders: TestClient
        let stock: TestClient

        func token(scope: String = "openid stock", proof: TestKey? = nil) async throws -> AccessToken {
            try await app.signIn(account, scope: scope, proof: proof).accessToken
        }

        func exchange(
            _ token: AccessToken, by client: TestClient? = nil,
            for audiences: [String] = [AccessTokenExchangeTests.stock],
            resources: [String] = [], proof: TestKey? = nil, scope: String? = nil
        ) async throws -> TokenOutcome {
            try await (client ?? orders).token(
                .accessTokenExchange(token, audiences: audiences), proof: proof, scope: scope.map { try Scope($0) },
                resources: resources)
        }

        func isActive(_ token: AccessToken, by client: TestClient? = nil) async throws -> Bool {
            let client = client ?? orders
            let request = TokenStateRequest(
                client: client.authentication, token: try PresentedToken(token.reveal()))
            guard case .active = try await server.flows.tokens.introspection.introspect(request).get() else {
                return false
            }
            return true
        }
    }

    private func scene(
        app adjustApp: (inout ClientRegistration) -> Void = { _ in },
        orders adjustOrders: (inout ClientRegistration) -> Void = { _ in }
    ) async throws -> Scene {
        let server = try await TestServer.start()
        let app = try await server.bearerClient {
            $0.scopes += ["stock"]
            $0.resources = [Self.orders]
            adjustApp(&$0)
        }
        let orders = try await server.confidentialClient("orders") {
            $0.scopes = ["stock", "prices"]
            $0.resources = [Self.orders, Self.stock]
            $0.tokenExchange = true
            adjustOrders(&$0)
        }
        let stock = try await server.confidentialClient("stock") {
            $0.scopes = ["stock"]
            $0.resources = [Self.stock, Self.orders]
            $0.tokenExchange = true
        }
        return Scene(
            server: server, account: try await server.account(), app: app, orders: orders, stock: stock)
    }

    /// Refused because of the subject token; with the sentence that says why.
    private func isUnusable(_ outcome: TokenOutcome, _ fault: String) -> Bool {
        outcome.refusal?.code == "invalid_request" && outcome.refusal?.reason.contains(fault) == true
    }

    @Test("The service gets the person's token for another service, with its own name as the actor")
    func exchanges() async throws {
        let scene = try await scene()
        let subject = try await scene.server.claims(of: scene.app.signIn(scene.account, scope: "openid stock"))
        let token = try await scene.token()
        let tokens = try await scene.exchange(token).tokens()
        #expect(tokens.issuedTokenType == TokenResponse.accessTokenType)
        #expect(tokens.refreshToken == nil && tokens.idToken == nil)
        #expect(tokens.tokenType == .bearer)
        #expect(try tokens.scope == Scope("stock"), "what both the person's token and the service have")
        let claims = try await scene.server.claims(of: tokens)
        #expect(claims.subject == scene.account.rawValue)
        #expect(claims.audience == [Self.stock])
        #expect(claims.clientID == scene.orders.id)
        #expect(claims.actors == [scene.orders.id])
        #expect(claims.json["act"] == .object(JSONObject(strings: ["sub": "orders"])))
        #expect(claims.acr == subject.acr && claims.amr == subject.amr)
        #expect(claims.authenticatedAt == subject.authenticatedAt)
        #expect(try await scene.isActive(tokens.accessToken))
        let byResource = try await scene.exchange(token, for: [], resources: [Self.stock], scope: "stock").tokens()
        #expect(try await scene.server.claims(of: byResource).audience == [Self.stock])
    }

    @Test("A chain names every service, the one that calls first; attack: it does not go on without end")
    func chains() async throws {
        let scene = try await scene()
        var token = try await scene.exchange(scene.token()).tokens().accessToken
        let second = try await scene.exchange(token, by: scene.stock, for: [Self.orders]).tokens()
        let claims = try await scene.server.claims(of: second)
        #expect(claims.actors == [scene.stock.id, scene.orders.id])
        #expect(
            JSONValue.object(claims.json["act"]?.object ?? JSONObject()).text
                == #"{"sub":"stock","act":{"sub":"orders"}}"#)
        token = second.accessToken
        for (client, audience) in [(scene.orders, Self.stock), (scene.stock, Self.orders)] {
            token = try await scene.exchange(token, by: client, for: [audience]).tokens().accessToken
        }
        #expect(try await isUnusable(scene.exchange(token), "exchanged 4 times"))
    }

    @Test("attack: an exchange widens no scope, neither beyond the person's token nor beyond the service")
    func scopes() async throws {
        let scene = try await scene()
        let token = try await scene.token(scope: "openid wallet stock")
        let refused = [
            ("wallet", ["wallet"]), ("stock wallet", ["wallet"]), ("prices", ["prices"]),
            ("stock admin", ["admin"]),
        ]
        for (scope, unknown) in refused {
            #expect(try await scene.exchange(token, scope: scope).refusal == .invalidScope(unknown), "\(scope)")
        }
        let none = try await scene.token(scope: "openid wallet")
        #expect(try await scene.exchange(none).refusal == .invalidScope([]), "the service has none of them")
    }

    @Test("attack: an exchange is for no audience but the service's resources, and never for this server")
    func audiences() async throws {
        let issuer = "https://auth.example.com"
        let scene = try await scene(orders: { $0.resources += [issuer] })
        #expect(scene.server.context.settings.issuer.rawValue == issuer)
        let token = try await scene.token()
        for wrong in ["https://evil.example", issuer, Self.stock + "/", "stock", "app"] {
            #expect(try await scene.exchange(token, for: [wrong]).refusal == .invalidTarget, "\(wrong)")
            #expect(try await scene.exchange(token, for: [Self.stock, wrong]).refusal == .invalidTarget, "\(wrong)")
        }
        #expect(try await scene.exchange(token, for: []).refusal?.code == "invalid_request", "for nothing")
        let twice = try await scene.exchange(token, for: [Self.stock], resources: [Self.stock]).tokens()
        #expect(try await scene.server.claims(of: twice).audience == [Self.stock])
    }

    @Test("attack: an exchanged token outlives neither the token that it comes from nor the session")
    func lifetimes() async throws {
        let scene = try await scene(orders: { $0.accessTokenLifetime = 3600 })
        let token = try await scene.token()
        let subject = try #require(
            try await scene.server.context.accessTokens.claims(of: token, now: scene.server.clock.now()))
        scene.server.clock.advance(by: .seconds(200))
        let tokens = try await scene.exchange(token).tokens()
        #expect(try await scene.server.claims(of: tokens).expiresAt == subject.expiresAt)
        #expect(tokens.expiresIn == 100)
        scene.server.clock.advance(by: .seconds(100))
        #expect(try await scene.exchange(token).refusal?.code == "invalid_request", "in its last second")

        let brief = try await self.scene(app: {
            $0.accessTokenLifetime = 3600
            $0.refreshIdleLifetime = 60
            $0.refreshAbsoluteLifetime = 60
        })
        let ofSession = try await brief.exchange(brief.token()).tokens()
        #expect(ofSession.expiresIn == 60)
    }

    @Test("An exchanged token is inactive when the session has ended, and no other comes from its subject")
    func ended() async throws {
        let scene = try await scene()
        let tokens = try await scene.app.signIn(scene.account, scope: "openid stock")
        let exchanged = try await scene.exchange(tokens.accessToken).tokens().accessToken
        #expect(try await scene.isActive(exchanged))
        try await scene.app.revoke(try #require(tokens.refreshToken).reveal())
        #expect(try await !scene.isActive(exchanged))
        #expect(try await isUnusable(scene.exchange(tokens.accessToken), "was revoked"))
        #expect(try await isUnusable(scene.exchange(exchanged, by: scene.stock, for: [Self.orders]), "was revoked"))
        let other = try await scene.exchange(scene.token()).tokens().accessToken
        try await scene.server.administer(["account", "deactivate", "ada"])
        #expect(try await !scene.isActive(other))
    }

    @Test("An exchanged token is inactive when the service that has it was deleted")
    func deletedService() async throws {
        let scene = try await scene()
        let resource = try await scene.server.confidentialClient("api") { $0.introspection = true }
        let exchanged = try await scene.exchange(scene.token()).tokens().accessToken
        #expect(try await scene.isActive(exchanged, by: resource))
        try await scene.server.administer(["client", "delete", "orders"])
        #expect(try await !scene.isActive(exchanged, by: resource))
        #expect(try await isUnusable(scene.exchange(exchanged, by: scene.stock, for: [Self.orders]), "was revoked"))
    }

    @Test(
        "attack: a service that has lost the right goes on with no token from before, nor does the one that it called")
    func withdrawnRight() async throws {
        let scene = try await scene()
        let resource = try await scene.server.confidentialClient("api") { $0.introspection = true }
        let subject = try await scene.token()
        let first = try await scene.exchange(subject).tokens().accessToken
        let second = try await scene.exchange(first, by: scene.stock, for: [Self.orders]).tokens().accessToken
        for token in [subject, first, second] { #expect(try await scene.isActive(token, by: resource)) }
        try await scene.server.administer(["client", "update", "orders", "--no-token-exchange"])
        for token in [first, second] { #expect(try await !scene.isActive(token, by: resource)) }
        #expect(try await isUnusable(scene.exchange(first, by: scene.stock, for: [Self.orders]), "was revoked"))
        #expect(try await scene.isActive(subject, by: resource), "it is the app's own")
    }

    @Test("attack: a token that is forged, expired, another issuer's or no access token is not exchanged")
    func wrongSubjects() async throws {
        let scene = try await scene(app: { $0.idTokenAlgorithm = "ES256" })
        let tokens = try await scene.app.signIn(scene.account, scope: "openid stock")
        let text = tokens.accessToken.reveal()
        let signer = try scene.server.context.keyRing.signer(.es256)
        var claims = try await scene.server.claims(of: tokens)
        claims.issuer = "https://other.example.com"
        let foreign = try signer.accessToken(claims)
        claims = try await scene.server.claims(of: tokens)
        let ownKey = try SigningKey.generate(.es256, id: signer.id).accessToken(claims)
        let wrong = [
            "forged": try AccessToken(String(text.dropLast(4)) + "AAAA"), "garbage": try AccessToken("garbage"),
            "another issuer's": foreign, "signed by another key": ownKey,
            "an ID token": try AccessToken(try #require(tokens.idToken).reveal()),
            "a refresh token": try AccessToken(try #require(tokens.refreshToken).reveal()),
        ]
        for (name, token) in wrong {
            #expect(try await isUnusable(scene.exchange(token), "malformed, expired or no access token"), "\(name)")
        }
        let own = try await scene.orders.token(.clientCredentials).tokens().accessToken
        #expect(try await isUnusable(scene.exchange(own), "a client's own"))
        scene.server.clock.advance(by: .seconds(302))
        #expect(try await isUnusable(scene.exchange(tokens.accessToken), "expired"))
    }

    @Test("attack: a service exchanges no token that was meant for another")
    func otherAudience() async throws {
        let scene = try await scene(app: { $0.resources = ["https://ledger.example.com"] })
        #expect(try await isUnusable(scene.exchange(scene.token()), "another audience"))
    }

    @Test("attack: a service with this server among its resources exchanges no token that is for another and userinfo")
    func userInfoAudience() async throws {
        let issuer = "https://auth.example.com"
        let ledger = "https://ledger.example.com"
        let scene = try await scene(app: { $0.resources = [ledger] }, orders: { $0.resources += [issuer] })
        let tokens = try await scene.app.signIn(scene.account, scope: "openid stock")
        #expect(try await scene.server.claims(of: tokens).audience == [ledger, issuer])
        #expect(try await isUnusable(scene.exchange(tokens.accessToken), "another audience"))
    }

    @Test("attack: a public client and a client without the right exchange nothing")
    func unauthorized() async throws {
        let scene = try await scene()
        let token = try await scene.token()
        let backend = try await scene.server.confidentialClient("backend") {
            $0.resources = [Self.orders, Self.stock]
            $0.scopes = ["stock"]
        }
        for client in [scene.app, backend] {
            #expect(try await scene.exchange(token, by: client).refusal == .unauthorizedClient, "\(client.id)")
        }
        try await scene.server.administer(["client", "update", "orders", "--no-token-exchange"])
        #expect(try await scene.exchange(token).refusal == .unauthorizedClient)
    }

    @Test("attack: a bound token becomes no bearer token: the service proves a key of its own, once for each token")
    func bound() async throws {
        let scene = try await scene()
        let (appKey, ownKey) = (TestKey(), TestKey())
        let token = try await scene.token(proof: appKey)
        #expect(try await scene.exchange(token).refusal?.code == "invalid_dpop_proof")
        let tokens = try await scene.exchange(token, proof: ownKey).tokens()
        #expect(tokens.tokenType == .dpop)
        #expect(try await scene.server.claims(of: tokens).keyThumbprint == ownKey.thumbprint)
        let request = TokenRequest(
            client: scene.orders.authentication, grant: .accessTokenExchange(token, audiences: [Self.stock]))
        let proof = try ownKey.present(to: scene.server)
        func send() async throws -> TokenOutcome {
            try await scene.server.flows.tokens.grants.token(request, proof: proof, origin: TestServer.origin)
        }
        _ = try await send().tokens()
        #expect(try await send().refusal?.code == "invalid_dpop_proof", "the proof was used")
        let unbound = try await scene.exchange(scene.token(), proof: ownKey).tokens()
        #expect(unbound.tokenType == .dpop, "bound although its subject is not")
    }

    @Test("A client that must use DPoP exchanges nothing without a proof")
    func requiredProof() async throws {
        let scene = try await scene(orders: { $0.requiresDPoP = true })
        let token = try await scene.token()
        #expect(try await scene.exchange(token).refusal?.code == "invalid_dpop_proof")
        _ = try await scene.exchange(token, proof: TestKey()).tokens()
    }

    @Test("attack: a service does not sign the person out with an exchanged token, and reads no userinfo")
    func powerless() async throws {
        let scene = try await scene()
        let tokens = try await scene.app.signIn(scene.account, scope: "openid stock")
        let exchanged = try await scene.exchange(tokens.accessToken).tokens().accessToken
        let refusal = try await scene.orders.refusal(toRevoke: exchanged.reveal())
        #expect(refusal?.code == "unsupported_token_type")
        _ = try await scene.app.refresh(try #require(tokens.refreshToken)).tokens()
        let userInfo = try await scene.server.flows.tokens.userInfo.claims(
            .bearer(exchanged), proof: PresentedProof(header: nil, method: "GET", path: Endpoints.userInfo.path))
        guard case .failure(.unusableToken(.otherAudience)) = userInfo else {
            Issue.record("userinfo was given to a service: \(String(describing: userInfo))")
            return
        }
    }
}
