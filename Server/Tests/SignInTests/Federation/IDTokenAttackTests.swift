import Core
import Crypto
import FlowSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import SignIn

@Suite("ID tokens that name the wrong person")
struct IDTokenAttackTests {
    private func setUp() async throws -> ProviderApp {
        try await ProviderApp.setUp { $0.lockout.network.failures = 1000 }
    }

    @Test(
        "attack: a token for another audience, of another issuer, expired, from the future, or for another party to use"
    )
    func claims() async throws {
        let setting = try await setUp()
        let now = setting.server.clock.now().seconds
        let changes: [(String, @Sendable (inout JSONObject) -> Void)] = [
            ("aud", { $0.set("aud", "another-client") }),
            ("aud without azp", { $0["aud"] = .strings(["wallet-server", "another-client"]) }),
            ("azp", { $0.set("azp", "another-client") }),
            ("iss", { $0.set("iss", "https://id.example.com/") }),
            ("exp", { $0.set("exp", now - 61) }),
            ("iat", { $0.set("iat", now + 120) }),
            ("no exp", { $0["exp"] = nil }),
            ("no sub", { $0["sub"] = nil }),
            ("empty sub", { $0.set("sub", "") }),
            ("endless sub", { $0.set("sub", String(repeating: "s", count: 256)) }),
        ]
        for (name, change) in changes {
            let outcome = try await setting.app.signIn(at: setting.provider, change)
            #expect(outcome.errorCode == "invalid_credentials", "\(name)")
            #expect(outcome.refusal?.status == 401)
        }
        #expect(try await setting.app.signIn(at: setting.provider).errorCode == "no_matching_guest")
    }

    @Test("attack: alg none, a MAC by the published key or by the client's secret, a key that the token brings along")
    func algorithms() async throws {
        let setting = try await setUp()
        let (app, provider) = (setting.app, setting.provider)
        let published = try #require(provider.keys.last?.publicJWK)
        func forged(_ header: String, mac key: [UInt8]?) async throws -> NativeSignInOutcome {
            let nonce = try await app.federatedNonce()
            let claims = provider.claims(nonce: nonce.nonce.rawValue, now: setting.server.clock.now())
            let input = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(claims.bytes)
            let signature = key.map {
                Array(HMAC<SHA256>.authenticationCode(for: Array(input.utf8), using: SymmetricKey(data: $0)))
            }
            return try await app.signIn(
                idToken: input + "." + Base64URL.encode(signature ?? []), nonce.challengeID)
        }
        let jwk = JSONValue.object(published.publicMembers).text
        for (header, key) in [
            (#"{"alg":"none"}"#, nil), (#"{"alg":"None","kid":"key-1"}"#, nil),
            (#"{"alg":"HS256","kid":"key-1"}"#, Array(jwk.utf8)),
            (#"{"alg":"HS256"}"#, Array("a secret: with marks/".utf8)),
            (#"{"alg":"ES256","kid":"key-1"}"#, [1, 2, 3]),
        ] as [(String, [UInt8]?)] {
            #expect(try await forged(header, mac: key).errorCode == "invalid_credentials", "\(header)")
        }
        let nonce = try await app.federatedNonce()
        let thief = P256Signer(P256.Signing.PrivateKey())
        let own = try await CompactJWSEncoder(signer: thief, type: .jwt, embeddedKey: .required)
            .encode(
                provider.claims(nonce: nonce.nonce.rawValue, now: setting.server.clock.now()).bytes, signer: thief)
        #expect(try await app.signIn(idToken: own, nonce.challengeID).errorCode == "invalid_credentials")
    }

    @Test("attack: an access token of the provider is no ID token, though the same key signed it")
    func accessToken() async throws {
        let setting = try await setUp()
        let nonce = try await setting.app.federatedNonce()
        let token = try setting.provider.token(
            setting.provider.claims(nonce: nonce.nonce.rawValue, now: setting.server.clock.now()), type: .accessToken)
        #expect(try await setting.app.signIn(idToken: token, nonce.challengeID).errorCode == "invalid_credentials")
    }

    @Test(
        "attack: the nonce missing, another one, replayed, of another device's key, too old, or made for something else"
    )
    func nonces() async throws {
        let setting = try await setUp()
        let (server, app, provider) = (setting.server, setting.app, setting.provider)
        #expect(try await app.signIn(at: provider) { $0["nonce"] = nil }.errorCode == "invalid_credentials")
        #expect(try await app.signIn(at: provider) { $0.set("nonce", "mine") }.errorCode == "invalid_credentials")

        let nonce = try await app.federatedNonce()
        let token = try provider.token(provider.claims(nonce: nonce.nonce.rawValue, now: server.clock.now()))
        // A copy of the token on another device, whose key the nonce was not made for.
        let thief = TestApp(client: app.client)
        #expect(try await thief.signIn(idToken: token, nonce.challengeID).errorCode == "invalid_credentials")
        let own = try await thief.federatedNonce()
        #expect(try await thief.signIn(idToken: token, own.challengeID).errorCode == "invalid_credentials")
        let outcomes = try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<16 { group.addTask { try await app.signIn(idToken: token, nonce.challengeID).errorCode } }
            return try await group.reduce(into: [String?]()) { $0.append($1) }
        }
        #expect(outcomes.count { $0 == "no_matching_guest" } == 1)
        #expect(outcomes.count { $0 == "invalid_credentials" } == 15)

        let late = try await app.federatedNonce()
        server.clock.advance(by: .minutes(5))
        let lateToken = try provider.token(provider.claims(nonce: late.nonce.rawValue, now: server.clock.now()))
        #expect(try await app.signIn(idToken: lateToken, late.challengeID).errorCode == "invalid_credentials")
    }

    @Test("attack: provider mix-up: one provider's token is worth nothing as another's, whatever it says of itself")
    func mixUp() async throws {
        let (honest, evil) = (TestProvider(), TestProvider(issuer: "https://evil.example.net"))
        let server = try await TestServer.start(providers: TestProvider.http(honest, evil))
        try await server.add(honest, as: "honest")
        try await server.add(evil, as: "evil")
        let app = TestApp(client: try await server.publicClient())
        _ = try await app.createAccount(app.signIn(at: honest, named: "honest").guest()).code()
        // The same subject at the other provider is another person.
        #expect(try await app.signIn(at: evil, named: "evil").errorCode == "no_matching_guest")
        #expect(try await app.signIn(at: honest, named: "evil").errorCode == "invalid_credentials")
        let lying = try await app.signIn(at: evil, named: "evil") { $0.set("iss", honest.issuer) }
        #expect(lying.errorCode == "invalid_credentials")
        let posing = try await app.signIn(at: evil, named: "honest") { $0.set("iss", honest.issuer) }
        #expect(posing.errorCode == "invalid_credentials")
    }

    @Test(
        "attack: a discovery document of another issuer, or that leads to this machine or off https, is not followed",
        .threat("A forged or misused provider identity"))
    func discovery() async throws {
        for (name, value) in [
            ("issuer", "https://evil.example.net"), ("jwks_uri", "http://127.0.0.1:8080/keys"),
            ("jwks_uri", "http://id.example.com/keys"), ("token_endpoint", "http://169.254.169.254/latest"),
            ("jwks_uri", "file:///etc/passwd"), ("token_endpoint", "gopher://127.0.0.1/"),
        ] {
            let setting = try await setUp()
            setting.provider.publish(name, .string(value))
            let outcome = try await setting.app.signIn(at: setting.provider)
            #expect(outcome.refusal?.status == 503, "\(name) \(value)")
            #expect(setting.provider.requests.count == 1, "\(value) was asked")
        }
        let setting = try await setUp()
        _ = try await setting.app.signIn(at: setting.provider)
        #expect(setting.provider.requests.allSatisfy { $0.reach == .publicInternet })
    }

    @Test(
        "A key that the provider changes to while people sign in is fetched once; made-up ones fetch once more",
        .threat("A forged or misused provider identity"))
    func keyRotation() async throws {
        let setting = try await setUp()
        let (server, app, provider) = (setting.server, setting.app, setting.provider)
        #expect(try await app.signIn(at: provider).errorCode == "no_matching_guest")
        #expect(provider.asked("/keys") == 1)
        let old = try #require(provider.keys.first)
        provider.keys = [old, P256Signer(P256.Signing.PrivateKey(), keyID: "key-2")]
        server.clock.advance(by: .seconds(31))
        #expect(try await app.signIn(at: provider).errorCode == "no_matching_guest")
        #expect(provider.asked("/keys") == 2)
        server.clock.advance(by: .seconds(10))
        for number in 0..<20 {
            let nonce = try await app.federatedNonce()
            let token = try provider.token(
                provider.claims(nonce: nonce.nonce.rawValue, now: server.clock.now()),
                key: P256Signer(P256.Signing.PrivateKey(), keyID: "made-up-\(number)"))
            let answer = try await app.signIn(idToken: token, nonce.challengeID)
            // The provider is asked once for a key of that name. Until it may be asked again, the answer is open.
            #expect(answer.refusal?.status == (number == 0 ? 401 : 503))
        }
        #expect(provider.asked("/keys") == 3)
        provider.keys = [old]
        server.clock.advance(by: .hours(1))
        let nonce = try await app.federatedNonce()
        let withdrawn = try provider.token(
            provider.claims(nonce: nonce.nonce.rawValue, now: server.clock.now()),
            key: P256Signer(P256.Signing.PrivateKey(), keyID: "key-2"))
        #expect(try await app.signIn(idToken: withdrawn, nonce.challengeID).errorCode == "invalid_credentials")
    }

    @Test("attack: an access token that the ID token does not name (at_hash)")
    func accessTokenHash() throws {
        let provider = TestProvider()
        let now = Timestamp(seconds: 1_800_000_000)
        let nonce = try Nonce("nonce-nonce-nonce-nonce")
        var claims = provider.claims(nonce: nonce.rawValue, now: now)
        claims.set("at_hash", IDTokenClaims.hash(of: try AccessToken("the-right-one")))
        let keys = JWKSet(provider.keys.compactMap(\.publicJWK))
        let signed = try ProviderIDToken.signed(
            provider.token(claims), by: keys, algorithms: ProviderIDToken.algorithms)
        func verified(_ accessToken: String) throws {
            _ = try ProviderIDToken.verified(
                signed,
                for: ProviderIDToken.Expectation(
                    issuer: provider.issuer, clientID: provider.clientID, nonce: nonce, accessToken: accessToken),
                now: NumericDate(clamping: now.seconds))
        }
        try verified("the-right-one")
        #expect(throws: ProviderIDToken.Refusal.wrong(.claim(name: "at_hash", .mismatch))) {
            try verified("another-one")
        }
    }
}
