import Crypto
import Testing
import WalletAuthTransport
import WalletAuthWire

@testable import WalletAuthVerifier

@Suite("The issuer's keys", .threat("a storm of tokens by invented keys")) struct KeyFetchTests {
    @Test("Keys are found through the metadata and fetched once for many requests, before the first by prepare")
    func fetchedOnce() async throws {
        let server = try TestIssuer()
        let verifier = try server.verifier()
        try await verifier.issuer.prepare()
        #expect(server.keyFetches == 1)
        for _ in 0..<20 {
            let refusal = await verifier.refusal(of: .bearer(try server.token()))
            #expect(refusal == nil)
        }
        #expect(server.keyFetches == 1)
        #expect(server.state.withLock { $0.requests.count } == 2)
    }

    @Test("A thousand first requests at once lead to one fetch")
    func oneFlight() async throws {
        let server = try TestIssuer()
        let verifier = try server.verifier()
        let request = PresentedRequest.bearer(try server.token())
        let letIn = await Self.count(1000, holding: server.gate) { _ in await verifier.refusal(of: request) == nil }
        #expect(letIn == 1000)
        #expect(server.keyFetches == 1)
    }

    @Test("attack: a storm of tokens by invented keys leads to one fetch in half a minute, and honest ones go on")
    func inventedKeys() async throws {
        let server = try TestIssuer()
        let verifier = try server.verifier()
        try await verifier.issuer.prepare()
        server.clock.advance(by: .seconds(31))
        let stranger = P256.Signing.PrivateKey()
        let forged = try (0..<200).map {
            PresentedRequest.bearer(try server.token(by: P256Signer(stranger, keyID: "invented-\($0)")))
        }
        let refused = await Self.count(200, holding: server.gate) {
            await verifier.refusal(of: forged[$0])?.code == .invalidToken
        }
        #expect(refused == 200)
        #expect(server.keyFetches == 2)
        server.clock.advance(by: .seconds(29))
        let early = await verifier.refusal(of: forged[0])
        #expect(early?.code == .invalidToken)
        #expect(server.keyFetches == 2)
        server.clock.advance(by: .seconds(1))
        let later = await verifier.refusal(of: forged[0])
        #expect(later?.code == .invalidToken)
        #expect(server.keyFetches == 3)
        let honest = await verifier.refusal(of: .bearer(try server.token()))
        #expect(honest == nil)
    }

    @Test("A roll-over that was published ahead is not noticed by anybody; one that was not is found by one fetch")
    func rollOver() async throws {
        let server = try TestIssuer()
        let verifier = try server.verifier()
        let old = try server.token()
        let before = await verifier.refusal(of: .bearer(old))
        #expect(before == nil)
        server.rollOver(to: "key-2")
        server.clock.advance(by: .seconds(31))
        let tokens = try (0..<100).map { _ in PresentedRequest.bearer(try server.token()) }
        let letIn = await Self.count(100, holding: server.gate) { await verifier.refusal(of: tokens[$0]) == nil }
        #expect(letIn == 100)
        #expect(server.keyFetches == 2)
        let still = await verifier.refusal(of: .bearer(old))
        #expect(still == nil)
    }

    @Test("A key that is withdrawn verifies nothing after the next fetch, not even what is remembered")
    func withdrawal() async throws {
        let server = try TestIssuer()
        let verifier = try server.verifier()
        let token = try server.token(["exp": .integer(server.clock.now().secondsSince1970 + 1000)])
        let before = await verifier.refusal(of: .bearer(token))
        #expect(before == nil)
        let next = server.rollOver(to: "key-2")
        server.publish([next])
        server.clock.advance(by: .seconds(300))
        let after = await verifier.refusal(of: .bearer(token))
        #expect(after?.code == .invalidToken)
    }

    @Test("attack: a token by a stolen key stays valid for another day after the issuer withdrew all its keys at once")
    func withdrawalOfAll() async throws {
        let server = try TestIssuer()
        let verifier = try server.verifier()
        let token = try server.token(["exp": .integer(server.clock.now().secondsSince1970 + 1000)])
        let before = await verifier.refusal(of: .bearer(token))
        #expect(before == nil)
        server.publish([])
        server.clock.advance(by: .seconds(300))
        let after = try await verifier.requiredRefusal(of: .bearer(token))
        #expect(after.code == .temporarilyUnavailable)
        #expect(after.reason.hasSuffix("it publishes none for ES256 or EdDSA"), "\(after.reason)")
        // `WalletOperations.authorize` asks this before it spends a consent whose code it then could not verify.
        await #expect(throws: IssuerUnavailable.self) { try await verifier.issuer.prepare() }
        // It is asked again, and no more often than one that is down.
        let asked = server.keyFetches
        for _ in 0..<20 { _ = await verifier.refusal(of: .bearer(token)) }
        #expect(server.keyFetches == asked)
        let next = server.rollOver(to: "key-2")
        server.publish([next])
        server.clock.advance(by: .seconds(30))
        let old = await verifier.refusal(of: .bearer(token))
        #expect(old?.code == .invalidToken)
        let new = await verifier.refusal(of: .bearer(try server.token()))
        #expect(new == nil)
    }

    @Test(
        "Keys are refreshed in the background before they expire, and waited for once they have",
        .timeLimit(.minutes(5)))
    func refreshAhead() async throws {
        let server = try TestIssuer()
        let issuer = server.trusted()
        try await issuer.prepare()
        server.clock.advance(by: .seconds(239))
        try await issuer.prepare()
        #expect(server.keyFetches == 1)
        server.clock.advance(by: .seconds(1))
        // While the answer is kept back, only what does not wait for it returns.
        server.gate.close()
        for _ in 0..<5 { try await issuer.prepare() }
        server.gate.open()
        // An unknown key waits for the fetch that is running, and starts none so soon after it.
        _ = try await issuer.keys(for: "unknown")
        #expect(server.keyFetches == 2)
        server.clock.advance(by: .seconds(300))
        try await issuer.prepare()
        #expect(server.keyFetches == 3)
    }

    @Test(
        "What Cache-Control says counts, less Age, between a minute and an hour",
        arguments: [
            ("max-age=600", 600), ("public, MAX-AGE=600", 600), ("max-age=10", 60), ("max-age=999999", 3600),
            ("no-store", 60), ("no-cache, max-age=600", 60), ("max-age=x", 300), ("", 300), (nil, 300),
        ] as [(String?, Int64)])
    func cacheControl(header: String?, seconds: Int64) async throws {
        let server = try TestIssuer()
        server.state.withLock { $0.cacheControl = header }
        let issuer = server.trusted()
        try await issuer.prepare()
        // Just before four fifths of it nothing is fetched, and at its end it is.
        server.clock.advance(by: .seconds(seconds * 4 / 5 - 1))
        try await issuer.prepare()
        #expect(server.keyFetches == 1)
        server.clock.advance(by: .seconds(seconds / 5 + 1))
        try await issuer.prepare()
        #expect(server.keyFetches == 2)
    }

    @Test("attack: metadata of another issuer, keys by http, private keys, and nonsense are refused")
    func otherMetadata() async throws {
        let cases: [@Sendable (inout TestIssuer.State) -> Void] = [
            { $0.metadata["issuer"] = "https://auth.example/" }, { $0.metadata["issuer"] = nil },
            { $0.metadata["jwks_uri"] = nil }, { $0.metadata["jwks_uri"] = "http://127.0.0.1/keys" },
            { $0.metadata["jwks_uri"] = "http://auth.example/keys" },
            { $0.metadata["jwks_uri"] = "file:///etc/passwd" },
            { $0.published = JSONObject() }, { $0.published["keys"] = [] }, { $0.status = 302 }, { $0.status = 500 },
            { $0.published["keys"] = [["kty": "EC", "crv": "P-256", "d": "AA"]] },
        ]
        for (number, change) in cases.enumerated() {
            let server = try TestIssuer()
            let token = try server.token()
            server.state.withLock { change(&$0) }
            let verifier = try server.verifier()
            let refusal = await verifier.refusal(of: .bearer(token))
            #expect(refusal?.code == .temporarilyUnavailable, "case \(number)")
            #expect(refusal?.answer.status == 503)
        }
    }

    @Test("Keys of kinds that are not for access tokens are passed over")
    func otherKeys() async throws {
        let server = try TestIssuer()
        let modulus = Base64URL.encode([UInt8](repeating: 0xFF, count: 256))
        let rsa: JSONValue = ["kty": "RSA", "kid": "rsa-1", "n": .string(modulus), "e": "AQAB"]
        let own = try #require(server.key.publicJWK).json
        server.state.withLock { $0.published["keys"] = [rsa, ["kty": "AKP", "kid": "future"], .object(own)] }
        let verifier = try server.verifier()
        let refusal = await verifier.refusal(of: .bearer(try server.token()))
        #expect(refusal == nil)
        let byRSA = await verifier.refusal(of: .bearer(try server.token(header: ["kid": "rsa-1", "alg": "RS256"])))
        #expect(byRSA?.code == .invalidToken)
    }

    @Test("A server that serves only OpenID Connect metadata will do")
    func openIDConfiguration() async throws {
        let server = try TestIssuer("https://auth.example/tenant")
        let metadata = server.state.withLock { $0.metadata }
        server.on("GET", Endpoints.openIDConfiguration.path) { _ in
            OutboundResponse(status: 200, body: metadata.bytes)
        }
        let notHere = server.issuer.oauthMetadataURL
        server.state.withLock { $0.handlers["GET \(notHere)"] = { _ in OutboundResponse(status: 404) } }
        try await server.trusted().prepare()
        #expect(server.keyFetches == 1)
    }

    static func count(_ number: Int, _ body: @escaping @Sendable (Int) async -> Bool) async -> Int {
        await withTaskGroup(of: Bool.self) { group in
            for index in 0..<number { group.addTask { await body(index) } }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
    }

    static func count(_ number: Int, _ body: @escaping @Sendable () async -> Bool) async -> Int {
        await count(number) { _ in await body() }
    }

    /// The same, with the server's answers kept back until every body has begun.
    static func count(
        _ number: Int, holding gate: Gate, _ body: @escaping @Sendable (Int) async -> Bool
    ) async -> Int {
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        gate.close()
        async let all = count(number) { index in
            begin.yield()
            return await body(index)
        }
        var left = number
        for await _ in begun {
            left -= 1
            if left == 0 { break }
        }
        gate.open()
        return await all
    }
}
