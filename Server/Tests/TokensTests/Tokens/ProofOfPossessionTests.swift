import Core
import FlowSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import Tokens

@Suite("DPoP proofs")
struct ProofOfPossessionTests {
    private static func clientCredentials(
        _ client: TestClient, header: String?, method: String = "POST"
    ) async throws -> OAuthRefusal? {
        try await client.server.flows.tokens.grants.token(
            TokenRequest(client: client.authentication, grant: .clientCredentials),
            proof: PresentedProof(header: header, method: method, path: Endpoints.token.path),
            origin: TestServer.origin
        ).refusal
    }

    private static func proof(
        _ key: TestKey, _ server: TestServer, method: String = "POST",
        url: String = "https://auth.example.com/oauth2/token", nonce: String? = nil, id: String? = nil,
        clockAhead: Duration = .zero
    ) throws -> String {
        try key.proof(
            method: method, url: url, server: server, nonce: nonce ?? server.context.proofs.currentNonce(), id: id,
            clockAhead: clockAhead)
    }

    @Test("a first proof without a nonce is answered with one, and the next is taken")
    func nonces() async throws {
        let server = try await TestServer.start()
        let client = try await server.confidentialClient()
        let key = TestKey()
        let bare = try key.proof(
            method: "POST", url: "https://auth.example.com/oauth2/token", server: server, nonce: nil)
        let nonce = server.context.proofs.currentNonce()
        #expect(try await Self.clientCredentials(client, header: bare) == .useDPoPNonce(nonce))
        #expect(try await Self.clientCredentials(client, header: Self.proof(key, server, nonce: nonce)) == nil)
    }

    @Test("attack: a nonce that was never issued, or was issued minutes ago, is refused with a fresh one")
    func badNonces() async throws {
        let server = try await TestServer.start()
        let client = try await server.confidentialClient()
        let key = TestKey()
        let old = server.context.proofs.currentNonce()
        server.clock.advance(by: .minutes(5))
        let fresh = server.context.proofs.currentNonce()
        #expect(fresh != old)
        for nonce in [old, "AAAAAAAAAAAAAAAAAAAAAA"] {
            let header = try Self.proof(key, server, nonce: nonce)
            #expect(try await Self.clientCredentials(client, header: header) == .useDPoPNonce(fresh))
        }
    }

    @Test("attack: a replayed proof is refused", .conformance("fapi2-security-profile-final-dpop-negative-tests"))
    func replay() async throws {
        let server = try await TestServer.start()
        let client = try await server.confidentialClient()
        let header = try Self.proof(TestKey(), server)
        #expect(try await Self.clientCredentials(client, header: header) == nil)
        #expect(try await Self.clientCredentials(client, header: header)?.code == "invalid_dpop_proof")
    }

    @Test(
        "attack: a request that arrived first and is served last makes the server forget used proofs",
        .threat("Replayed proofs and assertions"))
    func lateRequest() async throws {
        let replays = ReplayMemory(shared: nil)
        let (start, life) = (Timestamp(seconds: 1_700_000_000), DPoPNonces.life)
        _ = try await replays.remember([1], life: life, now: start)
        let isNew = try await replays.remember([2], life: life, now: start + life - .milliseconds(1))
        #expect(isNew)
        // The first begins the next generation.
        for (proof, moment) in [([3], 2), ([4], 1)] as [([UInt8], Int64)] {
            _ = try await replays.remember(proof, life: life, now: start + life + .milliseconds(moment))
        }
        let isNewAgain = try await replays.remember([2], life: life, now: start + life + .milliseconds(2))
        #expect(!isNewAgain)
    }

    @Test(
        "attack: a proof for another method, another path or another host is refused",
        .conformance("fapi2-security-profile-final-dpop-negative-tests"))
    func otherRequests() async throws {
        let server = try await TestServer.start()
        let client = try await server.confidentialClient()
        let key = TestKey()
        let headers = [
            try Self.proof(key, server, method: "GET"),
            try Self.proof(key, server, url: "https://auth.example.com/oauth2/revoke"),
            try Self.proof(key, server, url: "https://evil.example.com/oauth2/token"),
            try Self.proof(key, server, url: "http://auth.example.com/oauth2/token"),
        ]
        for header in headers {
            #expect(try await Self.clientCredentials(client, header: header)?.code == "invalid_dpop_proof")
        }
    }

    @Test("The refusal of a proof for another method or URL names the member, and not its value")
    func namedMembers() async throws {
        let server = try await TestServer.start()
        let client = try await server.confidentialClient()
        let key = TestKey()
        let method = try await Self.clientCredentials(client, header: Self.proof(key, server, method: "GET"))
        #expect(method == .invalidDPoPProof("The proof's htm is for another method."))
        let url = "https://auth.example.com/oauth2/token/"
        let target = try await Self.clientCredentials(client, header: Self.proof(key, server, url: url))
        #expect(target == .invalidDPoPProof("The proof's htu is for another URL."))
    }

    @Test("attack: garbage in the DPoP header is refused before any secret is compared")
    func garbage() async throws {
        let server = try await TestServer.start()
        let id = try await server.confidentialClient().id
        // Compared, it would be an invalid client.
        let client = TestClient(server: server, id: id, secret: try ClientSecret("wrong"))
        for header in ["", ".", "..", "e30.e30.", String(repeating: "A", count: 100_000)] {
            #expect(try await Self.clientCredentials(client, header: header)?.code == "invalid_dpop_proof")
        }
    }

    @Test("a client that has to send proofs gets nothing without one")
    func required() async throws {
        let server = try await TestServer.start()
        let client = try await server.confidentialClient { $0.requiresDPoP = true }
        #expect(try await Self.clientCredentials(client, header: nil)?.code == "invalid_dpop_proof")
        #expect(try await Self.clientCredentials(client, header: Self.proof(TestKey(), server)) == nil)
    }

    @Test("A public client learns that it may not use client credentials, and is not sent for a proof first")
    func publicClient() async throws {
        let server = try await TestServer.start()
        let client = try await server.publicClient()
        #expect(try await Self.clientCredentials(client, header: nil) == .unauthorizedClient)
        let proved = try await Self.clientCredentials(client, header: Self.proof(TestKey(), server))
        #expect(proved == .unauthorizedClient)
    }

    @Test(
        "With a fresh nonce, a proof from a clock within five minutes is accepted",
        .conformance(
            "fapi2-security-profile-final-ensure-dpopproof-with-iat-10seconds-before-succeeds",
            "fapi2-security-profile-final-ensure-dpopproof-with-iat-10seconds-after-succeeds"),
        arguments: [-300, -120, 45, 300])
    func skew(ahead: Int64) async throws {
        let server = try await TestServer.start()
        let client = try await server.confidentialClient()
        let header = try Self.proof(TestKey(), server, clockAhead: .seconds(ahead))
        let refusal = try await Self.clientCredentials(client, header: header)
        #expect(refusal == nil)
    }

    @Test("The refusal of a proof from a clock further off names the clock", arguments: [-301, 301, -7200, 90_000])
    func wrongClock(ahead: Int64) async throws {
        let server = try await TestServer.start()
        let client = try await server.confidentialClient()
        let header = try Self.proof(TestKey(), server, clockAhead: .seconds(ahead))
        let refusal = try #require(try await Self.clientCredentials(client, header: header))
        #expect(refusal.code == "invalid_dpop_proof")
        let seconds = ahead.magnitude % 60 == 0 ? "" : " \(ahead.magnitude % 60) s"
        let distance = "\(ahead.magnitude / 60) min\(seconds) \(ahead > 0 ? "ahead of" : "behind")"
        #expect(refusal.reason.contains("clock of the device") && refusal.reason.contains(distance))
    }

    @Test("A wrong clock is asked for a nonce first; attack: a fresh nonce makes no old proof fresh")
    func nonceBeforeClock() async throws {
        let server = try await TestServer.start()
        let client = try await server.confidentialClient()
        let key = TestKey()
        let url = "https://auth.example.com/oauth2/token"
        let bare = try key.proof(method: "POST", url: url, server: server, nonce: nil, clockAhead: .seconds(7200))
        let asked = try await Self.clientCredentials(client, header: bare)
        #expect(asked == .useDPoPNonce(server.context.proofs.currentNonce()))
        // Made in advance, for a time that has come.
        let kept = try Self.proof(key, server, clockAhead: .seconds(300))
        server.clock.advance(by: .seconds(300))
        let late = try await Self.clientCredentials(client, header: kept)
        #expect(late == .useDPoPNonce(server.context.proofs.currentNonce()))
    }
}
