import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import Tokens

@Suite(
    "Revocation by an app or a backend", .threat("Refresh token reuse"),
    .covers("POST /oauth2/revoke, /oauth2/introspect"))
struct RevocationTests {
    private func proof(
        of key: TestKey, to endpoint: Endpoint = Endpoints.revoke, on server: TestServer
    ) throws -> String {
        try key.proof(
            method: "POST", url: server.context.settings.issuer.url(path: endpoint.path), server: server,
            nonce: server.context.proofs.currentNonce())
    }

    @Test("Revoking either token ends the session, and anything that is not a token gets the same response")
    func revocation() async throws {
        let server = try await TestServer.start()
        let account = try await server.account()
        let client = try await server.bearerClient()
        let first = try await client.signIn(account)
        try await client.revoke(try #require(first.refreshToken).reveal())
        #expect(try await client.refresh(try #require(first.refreshToken)).refusal == .invalidGrant)
        let second = try await client.signIn(account)
        try await client.revoke(second.accessToken.reveal())
        #expect(try await client.refresh(try #require(second.refreshToken)).refusal == .invalidGrant)
        try await client.revoke("garbage")
    }

    @Test("An app whose last answer was lost can sign out by the token it still has")
    func revocationAfterLostAnswer() async throws {
        let server = try await TestServer.start()
        let client = try await server.bearerClient()
        let tokens = try await client.signIn(try await server.account())
        let renewed = try await client.refresh(try #require(tokens.refreshToken)).tokens()
        try await client.revoke(try #require(tokens.refreshToken).reveal())
        #expect(try await client.refresh(try #require(renewed.refreshToken)).refusal == .invalidGrant)
    }

    @Test("attack: another client's revocation, or one by a token long spent, ends nothing, and no 200 says it did")
    func foreignRevocation() async throws {
        let server = try await TestServer.start()
        let client = try await server.bearerClient()
        let other = try await server.bearerClient("other")
        let tokens = try await client.signIn(try await server.account())
        let spent = try #require(tokens.refreshToken)
        // Its MAC covers the client: for another, it is no token.
        try await other.revoke(spent.reveal())
        #expect(
            try await other.refusal(toRevoke: tokens.accessToken.reveal())?.code == "unsupported_token_type",
            "it lives on, and the caller hears that")
        var living = spent
        for _ in 0..<2 { living = try #require(try await client.refresh(living).tokens().refreshToken) }
        try await client.revoke(spent.reveal())
        _ = try await client.refresh(living).tokens()
    }

    @Test("attack: a stolen key-bound access token does not sign its holder out; the refresh token does")
    func revocationByStolenToken() async throws {
        let server = try await TestServer.start()
        let client = try await server.bearerClient()
        let (key, thief) = (TestKey(), TestKey())
        let tokens = try await client.signIn(try await server.account(), proof: key)
        let stolen = tokens.accessToken.reveal()
        let bare = try await client.refusal(toRevoke: stolen)
        #expect(bare?.code == "unsupported_token_type")
        for proof in [
            try proof(of: thief, on: server), try proof(of: key, to: Endpoints.token, on: server), "a.b.c",
        ] {
            let refusal = try await client.refusal(toRevoke: stolen, proof: proof)
            #expect(refusal?.code == "invalid_dpop_proof")
        }
        let other = try await server.bearerClient("other")
        let foreign = try await other.refusal(toRevoke: stolen, proof: try proof(of: key, on: server))
        #expect(foreign?.code == "unsupported_token_type")
        let renewed = try await client.refresh(try #require(tokens.refreshToken), proof: key).tokens()
        try await client.revoke(try #require(renewed.refreshToken).reveal())
        #expect(
            try await client.refresh(try #require(renewed.refreshToken), proof: key).refusal == .invalidGrant)
    }

    @Test("A bound access token and a proof of its key end the session; the answer depends on the token alone")
    func revocationByProof() async throws {
        let server = try await TestServer.start()
        let client = try await server.bearerClient()
        let key = TestKey()
        let tokens = try await client.signIn(try await server.account(), proof: key)
        let token = tokens.accessToken.reveal()
        let proof = try proof(of: key, on: server)
        try await client.revoke(token, proof: proof)
        let renewal = try await client.refresh(try #require(tokens.refreshToken), proof: key).refusal
        #expect(renewal == .invalidGrant)
        // Sent again, as after a lost response.
        try await client.revoke(token, proof: try self.proof(of: key, on: server))
        let replayed = try await client.refusal(toRevoke: token, proof: proof)
        #expect(replayed?.code == "invalid_dpop_proof")
        let bare = try await client.refusal(toRevoke: token)
        #expect(bare?.code == "unsupported_token_type")
        server.clock.advance(by: .minutes(60))
        try await client.revoke(token)
    }

    @Test("What is refused to another client says nothing of the session, and an expired token is nothing to revoke")
    func foreignAfterTheEnd() async throws {
        let server = try await TestServer.start()
        let client = try await server.bearerClient()
        let backend = try await server.confidentialClient()
        let token = try await client.signIn(try await server.account()).accessToken.reveal()
        let living = try await backend.refusal(toRevoke: token)
        try await client.revoke(token)
        #expect(try await backend.refusal(toRevoke: token) == living)
        #expect(living?.code == "unsupported_token_type")
        server.clock.advance(by: .minutes(60))
        try await backend.revoke(token)
    }

    @Test(
        "A session that its app replaced by a new sign-in says so, and one that the person ended that they signed out")
    func replaced() async throws {
        let server = try await TestServer.start()
        let account = try await server.account()
        let client = try await server.bearerClient()
        let key = TestKey()
        let former = try await client.signIn(account, proof: key)
        // Another device's.
        _ = try await client.signIn(account, proof: TestKey())
        let present = try await client.signIn(account, proof: key)
        for tokens in [former, present] {
            server.clock.advance(by: .seconds(1))
            try await client.revoke(try #require(tokens.refreshToken).reveal())
        }
        let id = try #require(UniqueID(bytes: account.bytes))
        let events = try await server.context.database.read { try SecurityEvents.list(of: id, limit: 10, on: $0) }
        let said = events.filter { $0.kind == "session.signed_out" }
            .compactMap { ActivityList.entry($0, app: nil, in: .english)?.text }
        #expect(said == ["You signed out.", "A new sign-in replaced an earlier session."])
    }

    @Test(
        "Of a sign-in and what it replaced in the same second, the sign-in comes first; nothing else changes its place")
    func order() throws {
        func event(_ number: UInt8, _ kind: String, at milliseconds: Int64, _ details: String = "{}") throws
            -> SecurityEvent
        {
            SecurityEvent(
                id: try #require(UniqueID.random([UInt8](repeating: number, count: 16))), clientID: "app", kind: kind,
                occurredAt: Timestamp(milliseconds: milliseconds), details: details)
        }
        let replaced = #"{"replaced":true}"#
        let events = [
            try event(1, "session.signed_out", at: 9000),
            try event(2, "session.signed_out", at: 8900, replaced), try event(3, "account.signed_in", at: 8100),
            try event(4, "account.signed_in", at: 8050), try event(5, "session.signed_out", at: 7000),
            try event(6, "account.signed_in", at: 7000), try event(7, "session.signed_out", at: 6000, replaced),
            try event(8, "account.signed_in", at: 5999),
        ]
        let ordered = ActivityList.causesFirst(events)
        #expect(ordered == [0, 2, 1, 3, 4, 5, 6, 7].map { events[$0] })
    }

    @Test("A proof without a nonce is answered with one, and one with a refresh token or garbage is not looked at")
    func nonceOfRevocation() async throws {
        let server = try await TestServer.start()
        let client = try await server.bearerClient()
        let key = TestKey()
        let tokens = try await client.signIn(try await server.account(), proof: key)
        let url = server.context.settings.issuer.url(path: Endpoints.revoke.path)
        let bare = try key.proof(method: "POST", url: url, server: server, nonce: nil)
        let refusal = try await client.refusal(toRevoke: tokens.accessToken.reveal(), proof: bare)
        #expect(refusal == .useDPoPNonce(server.context.proofs.currentNonce()))
        try await client.revoke("garbage", proof: "a.b.c")
        try await client.revoke(try #require(tokens.refreshToken).reveal(), proof: bare)
        let renewal = try await client.refresh(try #require(tokens.refreshToken), proof: key).refusal
        #expect(renewal == .invalidGrant)
    }

    @Test("A confidential client ends a session by a bound access token; revoking its own token is refused")
    func revocationByConfidentialClient() async throws {
        let server = try await TestServer.start()
        let client = try await server.confidentialClient()
        let tokens = try await client.signIn(try await server.account(), proof: TestKey())
        try await client.revoke(tokens.accessToken.reveal())
        let renewal = try await client.refresh(try #require(tokens.refreshToken), proof: TestKey()).refusal
        #expect(renewal == .invalidGrant)
        let own = try await server.flows.tokens.grants.token(
            TokenRequest(client: client.authentication, grant: .clientCredentials), proof: .none,
            origin: TestServer.origin
        ).tokens()
        let refusal = try await client.refusal(toRevoke: own.accessToken.reveal())
        #expect(refusal?.code == "unsupported_token_type")
    }
}

extension TestClient {
    func revoke(_ token: String, proof: String? = nil) async throws {
        let refusal = try await refusal(toRevoke: token, proof: proof)
        #expect(refusal == nil)
    }

    func refusal(toRevoke token: String, proof: String? = nil) async throws -> OAuthRefusal? {
        let request = TokenStateRequest(client: authentication, token: try PresentedToken(token))
        let outcome = try await server.flows.tokens.revocation.revoke(
            request, proof: PresentedProof(header: proof, method: "POST", path: Endpoints.revoke.path),
            origin: TestServer.origin)
        guard case .failure(let refusal) = outcome else { return nil }
        return refusal
    }
}
