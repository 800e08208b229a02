import Core
import Crypto
import FlowSupport
import Logging
import Synchronization
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import Tokens

@Suite(
    "Keys that clients publish", .covers("client create --jwks-uri"), .threat("Server-side request forgery"))
struct ClientKeySetTests {
    /// What a client publishes, and how often it was asked.
    private final class Endpoint: Sendable {
        static let url = "https://shop.example.com/keys"

        private struct State {
            var answer = ProviderHTTP.Answer(status: 200, body: [])
            var isDown = false
            var requests: [ProviderHTTP.Request] = []
        }

        private struct Down: Error {}

        private let state = Mutex(State())

        var http: ProviderHTTP {
            ProviderHTTP { [self] request in
                try state.withLock { state in
                    state.requests.append(request)
                    if state.isDown { throw Down() }
                    return state.answer
                }
            }
        }

        var requests: [ProviderHTTP.Request] { state.withLock { $0.requests } }

        func setDown(_ isDown: Bool) { state.withLock { $0.isDown = isDown } }

        func publish(_ keys: P256Signer...) {
            answer(200, JSONValue.object(JWKSet(keys.compactMap(\.publicJWK)).json).text)
        }

        func answer(_ status: Int, _ body: String) {
            state.withLock { $0.answer = ProviderHTTP.Answer(status: status, body: Array(body.utf8)) }
        }
    }

    private struct Setting {
        let endpoint = Endpoint()
        let key = P256Signer(P256.Signing.PrivateKey(), keyID: "k1")
        let server: TestServer

        init() async throws {
            endpoint.publish(key)
            server = try await TestServer.start(providers: endpoint.http)
            _ = try await server.confidentialClient("shop") {
                $0.authenticationMethod = "private_key_jwt"
                $0.jwksURI = Endpoint.url
            }
        }

        /// Asks for tokens with an assertion by a key.
        func refusal(by signer: P256Signer) async throws -> OAuthRefusal? {
            let id = try ClientID("shop")
            let now = server.clock.now().seconds
            var claims = JSONObject()
            for name in ["iss", "sub"] { claims.set(name, id.rawValue) }
            claims.set("aud", "https://auth.example.com")
            claims.set("jti", Base64URL.encode(server.context.random.bytes(16)))
            claims.set("iat", now)
            claims.set("exp", now + 60)
            let encoder = try CompactJWSEncoder(signer: signer, type: .jwt)
            let assertion = try await ClientAssertion(encoder.encode(claims.bytes, signer: signer))
            return try await server.flows.tokens.grants.token(
                TokenRequest(client: .privateKeyJWT(id, assertion), grant: .clientCredentials), proof: .none,
                origin: TestServer.origin
            ).refusal
        }
    }

    private static let unknownKey = OAuthRefusal.invalidClient(.assertion(.unknownKey))

    @Test("Its assertions are verified by the published keys, which are fetched once in an hour")
    func fetched() async throws {
        let setting = try await Setting()
        let before = setting.endpoint.requests.count
        for _ in 0..<3 { #expect(try await setting.refusal(by: setting.key) == nil) }
        #expect(setting.endpoint.requests.count == before + 1)
        setting.server.clock.advance(by: .hours(1))
        #expect(try await setting.refusal(by: setting.key) == nil)
        #expect(setting.endpoint.requests.count == before + 2)
    }

    @Test("A rotated key counts from its first assertion on, and the one that it replaced no longer")
    func rotated() async throws {
        let setting = try await Setting()
        #expect(try await setting.refusal(by: setting.key) == nil)
        setting.server.clock.advance(by: .minutes(1))
        let next = P256Signer(P256.Signing.PrivateKey(), keyID: "k2")
        setting.endpoint.publish(next)
        #expect(try await setting.refusal(by: next) == nil)
        #expect(try await setting.refusal(by: setting.key) == Self.unknownKey)
    }

    @Test("An assertion that names no key is verified by any of the published ones, and notices a new one")
    func nameless() async throws {
        let setting = try await Setting()
        #expect(try await setting.refusal(by: setting.key) == nil)
        setting.server.clock.advance(by: .minutes(1))
        let next = P256.Signing.PrivateKey()
        setting.endpoint.publish(setting.key, P256Signer(next, keyID: "k2"))
        for _ in 0..<2 { #expect(try await setting.refusal(by: P256Signer(next)) == nil) }
    }

    @Test("Under the FAPI profile a set of RSA keys alone is refused, and the answer says what to publish")
    func onlyRSA() async throws {
        let setting = try await Setting()
        let update = AdminRequest(["client", "update", "shop", "--fapi"])
        setting.endpoint.answer(200, FAPIClientTests.onlyRSA)
        let refused = await setting.server.flows.administration.execute(update)
        #expect(refused.refusal?.code == "contradiction", "\(refused.lines)")
        #expect(refused.lines.first?.contains("no key for ES256 or EdDSA") == true, "\(refused.lines)")
        #expect(try await setting.server.administer(["client", "show", "shop"])["fapi"]?.bool == false)
        setting.endpoint.publish(setting.key)
        let done = await setting.server.flows.administration.execute(update)
        #expect(done.status == .done, "\(done.lines)")
    }

    @Test("attack: a flood of assertions with invented key ids causes one fetch a minute")
    func flood() async throws {
        let setting = try await Setting()
        #expect(try await setting.refusal(by: setting.key) == nil)
        setting.server.clock.advance(by: .minutes(1))
        let before = setting.endpoint.requests.count
        try await withThrowingTaskGroup(of: OAuthRefusal?.self) { group in
            for number in 0..<64 {
                let invented = P256Signer(P256.Signing.PrivateKey(), keyID: "invented-\(number)")
                group.addTask { try await setting.refusal(by: invented) }
            }
            for try await refusal in group { #expect(refusal == Self.unknownKey) }
        }
        #expect(setting.endpoint.requests.count == before + 1)
        #expect(try await setting.refusal(by: setting.key) == nil, "the genuine key is not held up")
        setting.server.clock.advance(by: .minutes(1))
        let other = P256Signer(P256.Signing.PrivateKey(), keyID: "invented")
        #expect(try await setting.refusal(by: other) == Self.unknownKey)
        #expect(setting.endpoint.requests.count == before + 2)
    }

    @Test("attack: a key with the published id and another value is refused without a fetch")
    func otherKey() async throws {
        let setting = try await Setting()
        #expect(try await setting.refusal(by: setting.key) == nil)
        setting.server.clock.advance(by: .minutes(1))
        let before = setting.endpoint.requests.count
        let forged = P256Signer(P256.Signing.PrivateKey(), keyID: "k1")
        #expect(try await setting.refusal(by: forged) == .invalidClient(.assertion(.invalidSignature)))
        #expect(setting.endpoint.requests.count == before)
    }

    @Test("While the endpoint is down, the former keys go on for a day, with a pause between two attempts")
    func outage() async throws {
        let setting = try await Setting()
        #expect(try await setting.refusal(by: setting.key) == nil)
        setting.endpoint.setDown(true)
        setting.server.clock.advance(by: .hours(23))
        let before = setting.endpoint.requests.count
        for _ in 0..<3 { #expect(try await setting.refusal(by: setting.key) == nil) }
        #expect(setting.endpoint.requests.count == before + 1)
        setting.server.clock.advance(by: .hours(1))
        #expect(try await setting.refusal(by: setting.key) == .invalidClient(.keysUnavailable))
        setting.endpoint.setDown(false)
        #expect(try await setting.refusal(by: setting.key) == .invalidClient(.keysUnavailable), "it failed just now")
        setting.server.clock.advance(by: .seconds(10))
        #expect(try await setting.refusal(by: setting.key) == nil)
    }

    @Test(
        "What is no set of public keys gives none: a redirect, HTML, a shared secret, too many bytes, nothing usable",
        arguments: [
            (302, ""), (404, "{}"), (200, "<html>"), (200, "[]"), (200, #"{"keys":{}}"#), (200, #"{"keys":[]}"#),
            (200, #"{"keys":[{"kty":"oct","kid":"k1","alg":"HS256","k":"c2VjcmV0"}]}"#),
            (200, #"{"keys":[{"kty":"oct","kid":"k1","alg":"none"}]}"#),
            (200, #"{"keys":[],"padding":""# + String(repeating: "a", count: 64 * 1024) + #""}"#),
        ])
    func unusable(status: Int, body: String) async throws {
        let setting = try await Setting()
        setting.endpoint.answer(status, body)
        #expect(try await setting.refusal(by: setting.key) == .invalidClient(.keysUnavailable))
        let asked = setting.endpoint.requests.suffix(1)
        #expect(asked.map(\.url) == [Endpoint.url], "no redirect is followed")
        #expect(asked.first?.timeout == .seconds(5), "a slow endpoint does not hold a request longer")
    }

    @Test("A key of no use among good ones is skipped")
    func skipped() async throws {
        let setting = try await Setting()
        let key = try #require(setting.key.publicJWK)
        let others = #"{"kty":"EC","crv":"P-384","x":"AA","y":"AA"},{"kty":"RSA","alg":"none","n":"AQAB","e":"AQAB"}"#
        setting.endpoint.answer(200, #"{"keys":[\#(others),\#(JSONValue.object(key.json).text)]}"#)
        #expect(try await setting.refusal(by: setting.key) == nil)
    }

    @Test(
        "attack: SSRF by the address of the keys: only public addresses are asked, in a sandbox also this machine",
        arguments: [
            "https://127.0.0.1/keys", "https://[::1]/keys", "https://localhost/keys", "http://127.0.0.1/keys",
        ])
    func serverSideRequests(text: String) async throws {
        let url = try WebURL(text)
        let guarded = ClientKeySets(http: .guarded, environment: .production, logger: Logger(label: "test"))
        await #expect(throws: ProviderFailure.self) { try await guarded.fetch(url) }
        let endpoint = Endpoint()
        for (environment, reach) in [(.production, .publicInternet), (.sandbox, .loopback)]
            as [(ServerSettings.Environment, ProviderHTTP.Reach)]
        {
            let sets = ClientKeySets(http: endpoint.http, environment: environment, logger: Logger(label: "test"))
            _ = try? await sets.fetch(url)
            #expect(endpoint.requests.last?.reach == reach)
        }
        let sandbox = ClientKeySets(http: endpoint.http, environment: .sandbox, logger: Logger(label: "test"))
        _ = try? await sandbox.fetch(WebURL(Endpoint.url))
        #expect(endpoint.requests.last?.reach == .publicInternet)
    }

    @Test("The operator learns at once whether the keys can be read, and changes from a file to an address and back")
    func registration() async throws {
        let setting = try await Setting()
        setting.endpoint.setDown(true)
        func update(_ words: String..., input: String? = nil) async -> AdministrationAnswer {
            await setting.server.flows.administration.execute(
                AdminRequest(["client", "update", "shop"] + words, input: input))
        }
        let moved = await update("--jwks-uri", "https://shop.example.com/other")
        #expect(moved.status == .done && moved.lines.contains { $0.contains("cannot be read") }, "\(moved.lines)")
        setting.endpoint.setDown(false)
        let back = await update("--jwks-uri", Endpoint.url)
        #expect(back.lines.contains { $0.hasSuffix("it publishes one key.") }, "\(back.lines)")
        #expect(try await setting.server.administer(["client", "show", "shop"])["jwksUri"]?.string == Endpoint.url)
        let filed = P256Signer(P256.Signing.PrivateKey(), keyID: "k3")
        let keys = JSONValue.object(JWKSet([try #require(filed.publicJWK)]).json).text
        #expect(await update("--jwks", "keys.json", input: keys).status == .done)
        #expect(try await setting.server.administer(["client", "show", "shop"])["jwksUri"] == nil)
        #expect(try await setting.refusal(by: filed) == nil)
        #expect(try await setting.refusal(by: setting.key) == Self.unknownKey)
        #expect(await update("--jwks-uri", Endpoint.url).status == .done)
        #expect(try await setting.refusal(by: setting.key) == nil)
    }

    @Test(
        "An address takes the place of a file for private_key_jwt alone, is https, and never a backend's with the scope admin"
    )
    func contradictions() {
        func isAccepted(_ adjust: (inout ClientRegistration) -> Void) -> Bool {
            var registration = ClientRegistration(name: "Shop", kind: .confidential)
            registration.authenticationMethod = "private_key_jwt"
            registration.jwksURI = Endpoint.url
            adjust(&registration)
            return (try? registration.checked(madeID: { "shop" }, in: .production, now: Timestamp(seconds: 0))) != nil
        }
        #expect(isAccepted { _ in })
        let faults: [(inout ClientRegistration) -> Void] = [
            { $0.authenticationMethod = "client_secret_basic" }, { $0.keySet = #"{"keys":[]}"# },
            { $0.jwksURI = "http://127.0.0.1/keys" }, { $0.jwksURI = "http://shop.example.com/keys" },
            { $0.jwksURI = "https://user@shop.example.com/keys" }, { $0.jwksURI = "" },
            {
                $0.scopes = ["admin"]
                $0.requiresDPoP = true
                $0.adminRole = "support"
            },
        ]
        for fault in faults { #expect(!isAccepted(fault)) }
    }
}
