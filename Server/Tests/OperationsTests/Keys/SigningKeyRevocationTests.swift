import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import Tokens

@Suite("Signing keys that an operator withdraws")
struct SigningKeyRevocationTests {
    private func keyID(of token: AccessToken) throws -> String {
        try #require(try CompactJWS(token.reveal()).header.keyID)
    }

    private func accepts(_ token: AccessToken, on server: TestServer) async throws -> Bool {
        let request = PresentedProof(header: nil, method: "GET", path: Endpoints.userInfo.path)
        let outcome = try await server.flows.tokens.userInfo.claims(.bearer(token), proof: request)
        guard case .success = outcome else { return false }
        return true
    }

    @Test("A revoked key leaves the key set and its tokens are refused at once; the session goes on under a new key")
    func active() async throws {
        let server = try await TestServer.start()
        let client = try await server.bearerClient()
        let before = try await client.signIn(server.account())
        let leaked = try keyID(of: before.accessToken)
        #expect(try await accepts(before.accessToken, on: server))
        let answer = try await server.administer(["keys", "revoke", "--", leaked])

        let published = try await server.flows.discovery.keySet().set
        #expect(published[leaked] == nil)
        #expect(published.keys.count == SigningAlgorithm.allCases.count)
        #expect(try await !accepts(before.accessToken, on: server))
        let after = try await client.refresh(try #require(before.refreshToken)).tokens()
        let successor = try keyID(of: after.accessToken)
        #expect(answer["keyIds"]?.strings == [successor])
        #expect(try await accepts(after.accessToken, on: server))
    }

    @Test("attack: a token forged with a revoked key is refused, although its claims are those of a living session")
    func forged() async throws {
        let server = try await TestServer.start()
        let tokens = try await server.bearerClient().signIn(server.account())
        let leaked = try server.context.keyRing.signer(.es256)
        let claims = try AccessTokenClaims(
            JSONValue.object(parsing: CompactJWS(tokens.accessToken.reveal()).unverifiedPayload))
        let forged = try leaked.accessToken(claims)
        #expect(try await accepts(forged, on: server))
        try await server.administer(["keys", "revoke", "--", leaked.id])
        #expect(try await !accepts(forged, on: server))
        #expect(try await !accepts(leaked.accessToken(claims), on: server))
    }

    @Test("The published successor takes the place of a revoked key, unless it is revoked with it")
    func successors() async throws {
        let server = try await TestServer.start()
        try await server.administer(["keys", "rotate"])
        let first = try server.context.keyRing.signer(.es256).id
        let next = try #require(
            try await server.context.database.read { try SigningKeys.published(on: $0) }
                .first { $0.algorithm == "ES256" && $0.state == .next }?.kid)
        try await server.administer(["keys", "revoke", "--", first])
        #expect(try server.context.keyRing.signer(.es256).id == next)
        try await server.administer(["keys", "rotate"])
        let ids = try await server.context.database.read { try SigningKeys.published(on: $0) }.map(\.kid)
        let answer = try await server.administer(AdminRequest(["keys", "revoke", "--"] + ids))
        #expect(Set(answer["revokedKeyIds"]?.strings ?? []) == Set(ids))
        let published = try await server.flows.discovery.keySet().set
        #expect(published.keys.count == SigningAlgorithm.allCases.count)
        for algorithm in SigningAlgorithm.allCases {
            #expect(try !ids.contains(server.context.keyRing.signer(algorithm).id))
        }
    }

    @Test("A key that does not sign is withdrawn without a successor; a retired one verifies nothing any more")
    func others() async throws {
        let server = try await TestServer.start()
        let client = try await server.bearerClient()
        let before = try await client.signIn(server.account())
        try await server.administer(["keys", "rotate"])
        server.clock.advance(by: SigningKeySchedule().publicationLead)
        try await server.flows.maintenance.run()
        let renewed = try await client.refresh(try #require(before.refreshToken)).tokens()
        let signer = try keyID(of: renewed.accessToken)
        let retired = try keyID(of: before.accessToken)
        let answer = try await server.administer(["keys", "revoke", "--", retired])
        #expect(answer["keyIds"] == nil)
        #expect(try server.context.keyRing.signer(.es256).id == signer)
        #expect(try await accepts(renewed.accessToken, on: server))

        try await server.administer(["keys", "rotate"])
        let next = try await server.context.database.read { try SigningKeys.published(on: $0) }
            .filter { $0.state == .next }.map(\.kid)
        try await server.administer(AdminRequest(["keys", "revoke", "--"] + next))
        #expect(try server.context.keyRing.signer(.es256).id == signer)
        // The way is free for another successor.
        try await server.administer(["keys", "rotate"])
    }

    @Test("An id of no published key changes nothing, not even next to one that is", arguments: ["1", "none"])
    func unknown(id: String) async throws {
        let server = try await TestServer.start()
        let before = try await server.administer(["keys", "list"])
        let signer = try server.context.keyRing.signer(.es256).id
        for ids in [[id], [signer, id]] {
            let answer = await server.flows.administration.execute(AdminRequest(["keys", "revoke", "--"] + ids))
            #expect(answer.refusal?.code == "not_found")
            #expect(answer.refusal?.message.hasSuffix("the id \(id).") == true)
        }
        #expect(try await server.administer(["keys", "list"]) == before)
        try await server.administer(["keys", "revoke", "--", signer])
        let again = await server.flows.administration.execute(["keys", "revoke", "--", signer])
        #expect(again.refusal?.code == "not_found")
    }

    @Test("A revocation is in the audit log, or does not happen")
    func audited() async throws {
        let server = try await TestServer.start()
        let signer = try server.context.keyRing.signer(.es256).id
        try await server.context.database.write { connection in
            try connection.define(
                """
                CREATE TRIGGER refusing BEFORE INSERT ON security_events BEGIN SELECT RAISE(ABORT, 'refused'); END
                """)
        }
        let refused = await server.flows.administration.execute(["keys", "revoke", "--", signer])
        #expect(refused.status == .refused)
        #expect(try server.context.keyRing.signer(.es256).id == signer)
        try await server.context.database.write { try $0.define("DROP TRIGGER refusing") }
        try await server.administer(["keys", "revoke", "--", signer])
        let tail = try await server.administer(["audit", "tail", "--kind", "keys.revoked"])
        let details = tail["entries"]?.array?.compactMap { $0.object?["details"]?.object }
        #expect(details?.map { $0["revokedKeyIds"]?.strings } == [[signer]])
        let successor = try server.context.keyRing.signer(.es256).id
        #expect(details?.map { $0["keyIds"]?.strings } == [[successor]])
    }

    @Test("The answer names what stops working, for how long caches accept the key, and what ends that")
    func answer() async throws {
        let server = try await TestServer.start()
        let signer = try server.context.keyRing.signer(.es256).id
        let answer = await server.flows.administration.execute(["keys", "revoke", "--", signer])
        let text = answer.lines.joined(separator: "\n")
        #expect(text.contains("Revoked \(signer). Signing instead, from now on: "))
        #expect(text.contains("refresh tokens and sessions go on"))
        #expect(text.contains("600 s (10 minutes)"))
        #expect(text.contains("\(server.context.settings.issuer.rawValue)/.well-known/jwks.json"))
    }
}
