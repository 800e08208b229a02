import Testing
import WalletAuthTransport
import WalletAuthWire

@testable import WalletAuthVerifier

@Suite("While the issuer cannot be reached", .threat("a storm of tokens by invented keys")) struct OutageTests {
    private let server: TestIssuer
    private let verifier: AccessTokenVerifier

    init() throws {
        server = try TestIssuer()
        verifier = try server.verifier()
    }

    private func setDown(_ isDown: Bool) { server.state.withLock { $0.isDown = isDown } }

    private func longToken() throws -> PresentedRequest {
        .bearer(try server.token(["exp": .integer(server.clock.now().secondsSince1970 + 600)]))
    }

    @Test("Requests go on by the keys at hand for a day, then end with 503, and go on once the issuer is back")
    func outage() async throws {
        try await verifier.issuer.prepare()
        setDown(true)
        for hour in 0..<24 {
            let refusal = await verifier.refusal(of: try longToken())
            #expect(refusal == nil, "hour \(hour): \(refusal?.reason ?? "")")
            server.clock.advance(by: .seconds(3600))
        }
        server.clock.advance(by: .seconds(300))
        let over = try await verifier.requiredRefusal(of: try longToken())
        #expect(over.code == .temporarilyUnavailable)
        #expect(over.answer.status == 503)
        #expect(over.answer.values("WWW-Authenticate").isEmpty)
        setDown(false)
        server.clock.advance(by: .seconds(30))
        let back = await verifier.refusal(of: try longToken())
        #expect(back == nil)
    }

    @Test("An outage is no flood: attempts are made ever more seldom, down to one in thirty seconds")
    func attempts() async throws {
        setDown(true)
        let request = try longToken()
        for _ in 0..<50 {
            let refusal = await verifier.refusal(of: request)
            #expect(refusal?.code == .temporarilyUnavailable)
        }
        #expect(attemptsMade == 1)
        for _ in 0..<600 {
            server.clock.advance(by: .seconds(1))
            _ = await verifier.refusal(of: request)
        }
        // 1, 2, 4, 8 and 16 seconds, then each half minute.
        #expect((20...26).contains(attemptsMade), "\(attemptsMade)")
        setDown(false)
        server.clock.advance(by: .seconds(30))
        let back = await verifier.refusal(of: try longToken())
        #expect(back == nil)
    }

    @Test("A token by a key that is not known is 503 meanwhile, not 401: it may be good")
    func newKeyMeanwhile() async throws {
        try await verifier.issuer.prepare()
        setDown(true)
        server.rollOver(to: "key-2")
        server.clock.advance(by: .seconds(31))
        let request = try longToken()
        for _ in 0..<3 {
            let refusal = await verifier.refusal(of: request)
            #expect(refusal?.code == .temporarilyUnavailable)
        }
        setDown(false)
        server.clock.advance(by: .seconds(2))
        let back = await verifier.refusal(of: request)
        #expect(back == nil)
    }

    @Test("attack: requests by invented keys do not hang one after another on a fetch from a server that is down")
    func inventedKeysMeanwhile() throws {
        let settings = TrustedIssuer.Settings()
        let set = JWKSet([try #require(server.key.publicJWK)])
        var cache = JWKSCache()
        cache.begin(at: .zero)
        cache.end(.success(IssuerDocuments.KeyDocument(set: set, lifetime: .seconds(300))), at: .zero)
        func need(at now: Duration) -> JWKSCache.Need { cache.need(of: "invented", now: now, settings: settings) }
        // A server that answers may be about to name a new key.
        cache.begin(at: .seconds(31))
        let inReach = need(at: .seconds(31))
        #expect(inReach == .wait)
        cache.end(.failure(IssuerUnavailable(reason: "connection refused")), at: .seconds(46))
        let first = need(at: .seconds(46))
        #expect(first == .wait)
        cache.begin(at: .seconds(46))
        let next = need(at: .seconds(47))
        #expect(next == .nothing)
    }

    @Test(
        "Once a server is known to be down, no request waits for it",
        .timeLimit(.minutes(5)))
    func knownOutage() async throws {
        let slow = try TestIssuer()
        let issuer = slow.trusted()
        try await issuer.prepare()
        slow.state.withLock { $0.isDown = true }
        slow.clock.advance(by: .seconds(300))
        try await issuer.prepare()
        slow.clock.advance(by: .seconds(60))
        // While the answer is kept back, only what does not wait for it returns.
        slow.gate.close()
        for _ in 0..<20 { try await issuer.prepare() }
        slow.gate.open()
    }

    private var attemptsMade: Int {
        server.state.withLock { [url = server.issuer.oauthMetadataURL] state in
            state.requests.filter { $0.url == url }.count
        }
    }
}
