import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import Tokens

@Suite("Refreshing without losing anybody", .threat("Replayed proofs and assertions"), .covers("POST /oauth2/token"))
struct RefreshTests {
    private static func attempt(_ byte: UInt8) throws -> RefreshAttempt {
        try RefreshAttempt(Base64URL.encode([UInt8](repeating: byte, count: 16)))
    }

    @Test("a refresh returns a new refresh token, and the session goes on with it", .conformance("oidcc-refresh-token"))
    func rotates() async throws {
        let server = try await TestServer.start()
        let app = try await server.bearerClient()
        let first = try await app.signIn(server.account())
        let second = try await app.refresh(try #require(first.refreshToken)).tokens()
        #expect(second.refreshToken != first.refreshToken)
        #expect(second.idToken == nil)
        _ = try await app.refresh(try #require(second.refreshToken)).tokens()
    }

    @Test(
        "an app that lost the response repeats its attempt, weeks later and after a restart, and gets the same successor"
    )
    func repeatsByAttempt() async throws {
        let server = try await TestServer.start()
        let app = try await server.bearerClient { $0.refreshIdleLifetime = 90 * 86_400 }
        let first = try await app.signIn(server.account())
        let token = try #require(first.refreshToken)
        let lost = try await app.refresh(token, attempt: Self.attempt(1)).tokens()
        let restarted = try await server.restarted()
        restarted.clock.advance(by: .days(20))
        let again = TestClient(server: restarted, id: app.id, secret: nil)
        let found = try await again.refresh(token, attempt: Self.attempt(1)).tokens()
        #expect(found.refreshToken == lost.refreshToken)
        #expect(found.accessToken != lost.accessToken)
        _ = try await again.refresh(try #require(found.refreshToken), attempt: Self.attempt(2)).tokens()
    }

    @Test("a standard client may repeat a lost refresh for thirty seconds, not longer")
    func graceForStandardClients() async throws {
        let server = try await TestServer.start()
        let app = try await server.bearerClient()
        let token = try #require(try await app.signIn(server.account()).refreshToken)
        let lost = try await app.refresh(token).tokens()
        server.clock.advance(by: .seconds(30))
        #expect(try await app.refresh(token).tokens().refreshToken == lost.refreshToken)
        server.clock.advance(by: .seconds(1))
        #expect(try await app.refresh(token).refusal == .invalidGrant)
        #expect(
            try await app.refresh(try #require(lost.refreshToken)).refusal == .invalidGrant, "the session has ended")
    }

    @Test("attack: a stolen spent token with another attempt ends the session, and the holder is notified once")
    func reuseEndsTheSession() async throws {
        let server = try await TestServer.start()
        let app = try await server.bearerClient()
        let account = try await server.account { $0.email = "ada@example.com" }
        let token = try #require(try await app.signIn(account).refreshToken)
        let successor = try await app.refresh(token, attempt: Self.attempt(1)).tokens()
        #expect(try await app.refresh(token, attempt: Self.attempt(2)).refusal == .invalidGrant)
        #expect(try await app.refresh(token, attempt: Self.attempt(2)).refusal == .invalidGrant)
        #expect(try await app.refresh(try #require(successor.refreshToken)).refusal == .invalidGrant)
        let id = try #require(UniqueID(bytes: account.bytes))
        let (events, messages) = try await server.context.database.read { connection in
            (
                try SecurityEvents.list(of: id, limit: 10, on: connection).map(\.kind),
                try Outbox.recent(limit: 10, on: connection).map(\.kind)
            )
        }
        #expect(events.filter { $0 == "session.refresh_reuse" }.count == 1)
        #expect(messages.filter { $0 == "session_ended_reuse" }.count == 1)
    }

    @Test("a token two generations old ends the session, also for its own app")
    func olderGenerationsAreReuse() async throws {
        let server = try await TestServer.start()
        let app = try await server.bearerClient()
        let first = try #require(try await app.signIn(server.account()).refreshToken)
        let second = try #require(try await app.refresh(first, attempt: Self.attempt(1)).tokens().refreshToken)
        let third = try await app.refresh(second, attempt: Self.attempt(2)).tokens()
        #expect(try await app.refresh(first, attempt: Self.attempt(1)).refusal == .invalidGrant)
        #expect(try await app.refresh(try #require(third.refreshToken)).refusal == .invalidGrant)
    }

    @Test("sixty-four refreshes of one generation at once with one attempt all get the same successor")
    func raceOfOneApp() async throws {
        let server = try await TestServer.start()
        let app = try await server.bearerClient()
        let token = try #require(try await app.signIn(server.account()).refreshToken)
        let successors = try await withThrowingTaskGroup(of: RefreshToken?.self) { group in
            for _ in 0..<64 {
                group.addTask { try await app.refresh(token, attempt: Self.attempt(9)).tokens().refreshToken }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(successors.count == 1)
    }

    @Test(
        "attack: sixty-four refreshes of one generation with different attempts leave no two living successors",
        .threat("Refresh token reuse"))
    func raceOfThieves() async throws {
        let server = try await TestServer.start()
        let app = try await server.bearerClient()
        let token = try #require(try await app.signIn(server.account()).refreshToken)
        let outcomes = try await withThrowingTaskGroup(of: TokenOutcome.self) { group in
            for number in 0..<64 {
                group.addTask { try await app.refresh(token, attempt: Self.attempt(UInt8(number))) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let winners = outcomes.filter { $0.refusal == nil }
        #expect(winners.count <= 1)
        #expect(outcomes.allSatisfy { $0.refusal == nil || $0.refusal == .invalidGrant })
        for winner in winners {
            let successor = try #require(try winner.tokens().refreshToken)
            #expect(try await app.refresh(successor).refusal == .invalidGrant, "reuse has ended the session")
        }
    }

    @Test("refreshing against signing out: once the revocation is answered, nothing renews")
    func refreshAgainstRevoke() async throws {
        let server = try await TestServer.start()
        let app = try await server.bearerClient()
        let account = try await server.account()
        for _ in 0..<20 {
            let token = try #require(try await app.signIn(account).refreshToken)
            async let refreshed = app.refresh(token, attempt: Self.attempt(1))
            _ = try await server.flows.tokens.revocation.revoke(
                TokenStateRequest(client: app.authentication, token: PresentedToken(token.reveal())),
                proof: .none, origin: TestServer.origin)
            if let successor = try? await refreshed.tokens().refreshToken {
                #expect(try await app.refresh(successor, attempt: Self.attempt(2)).refusal == .invalidGrant)
            }
            #expect(try await app.refresh(token, attempt: Self.attempt(1)).refusal == .invalidGrant)
        }
    }

    @Test("attack: another client's refresh with a stolen token is refused and changes nothing")
    func otherClient() async throws {
        let server = try await TestServer.start()
        let app = try await server.bearerClient()
        let thief = try await server.bearerClient("thief")
        let token = try #require(try await app.signIn(server.account()).refreshToken)
        #expect(try await thief.refresh(token).refusal == .invalidGrant)
        let next = try await app.refresh(token, attempt: Self.attempt(1)).tokens()
        // Spent by now, by its own client it would end the session.
        #expect(try await thief.refresh(token).refusal == .invalidGrant)
        _ = try await app.refresh(try #require(next.refreshToken)).tokens()
    }

    @Test("attack: a DPoP-bound token, spent or living, without the key or with another key changes nothing")
    func boundTokens() async throws {
        let server = try await TestServer.start()
        let app = try await server.bearerClient()
        let key = TestKey()
        let first = try #require(try await app.signIn(server.account(), proof: key).refreshToken)
        let second = try #require(
            try await app.refresh(first, attempt: Self.attempt(1), proof: key).tokens().refreshToken)
        for stolen in [first, second] {
            #expect(try await app.refresh(stolen).refusal != nil)
            #expect(try await app.refresh(stolen, proof: TestKey()).refusal == .invalidGrant)
        }
        _ = try await app.refresh(second, attempt: Self.attempt(2), proof: key).tokens()
    }

    @Test("attack: a refresh token with one bit changed anywhere is refused and changes nothing")
    func changedBits() async throws {
        let server = try await TestServer.start()
        let app = try await server.bearerClient()
        let token = try #require(try await app.signIn(server.account()).refreshToken)
        let bytes = try #require(Base64URL.decode(String(token.reveal().dropFirst(4))))
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1
            let forged = try RefreshToken("wrt_" + Base64URL.encode(changed))
            #expect(try await app.refresh(forged).refusal == .invalidGrant)
        }
        _ = try await app.refresh(token).tokens()
    }

    @Test("the scope of a renewed token never widens, and a narrower one does not narrow the session")
    func scope() async throws {
        let server = try await TestServer.start()
        let app = try await server.bearerClient()
        let token = try #require(try await app.signIn(server.account(), scope: "openid wallet").refreshToken)
        let other = try await app.token(.refreshToken(token, attempt: nil), scope: try Scope("email profile"))
        #expect(other.refusal == .invalidScope(["email", "profile"]))
        let wider = try await app.token(
            .refreshToken(token, attempt: nil), scope: try Scope("email openid profile wallet")
        ).tokens()
        #expect(wider.scope == (try Scope("openid wallet")))
        let narrow = try await app.token(
            .refreshToken(try #require(wider.refreshToken), attempt: nil), scope: try Scope("wallet")
        ).tokens()
        #expect(narrow.scope == (try Scope("wallet")))
        let whole = try await app.refresh(try #require(narrow.refreshToken)).tokens()
        #expect(whole.scope == (try Scope("openid wallet")))
    }

    @Test("a session ends when it is unused for its idle lifetime, and in any case after its absolute one")
    func lifetimes() async throws {
        let server = try await TestServer.start()
        let app = try await server.bearerClient {
            $0.refreshIdleLifetime = 100
            $0.refreshAbsoluteLifetime = 250
        }
        let account = try await server.account()
        let unused = try #require(try await app.signIn(account).refreshToken)
        server.clock.advance(by: .seconds(100))
        #expect(try await app.refresh(unused).refusal == .invalidGrant)
        var token = try #require(try await app.signIn(account).refreshToken)
        for _ in 0..<3 {
            server.clock.advance(by: .seconds(80))
            token = try #require(try await app.refresh(token).tokens().refreshToken)
        }
        server.clock.advance(by: .seconds(10))
        #expect(try await app.refresh(token).refusal == .invalidGrant)
    }

    @Test(
        "a client under the FAPI profile keeps its refresh token",
        .conformance("fapi2-security-profile-final-refresh-token"))
    func fapi() async throws {
        let server = try await TestServer.start()
        let backend = try await KeyClient(server) { $0.fapi = true }
        let code = try await backend.client.code(for: server.account())
        let grant = TokenRequest.Grant.authorizationCode(code, redirectURI: nil, verifier: TestClient.verifier)
        let first = try await backend.client.token(grant, as: backend.authentication(), proof: TestKey()).tokens()
        let token = try #require(first.refreshToken)
        for _ in 0..<2 {
            let renewed = try await backend.client.token(
                .refreshToken(token, attempt: nil), as: backend.authentication(), proof: TestKey()
            ).tokens()
            #expect(renewed.refreshToken == token)
        }
    }

    @Test("a confidential client's refresh token is bound to its authentication, not to a key")
    func confidentialClientsChangeKeys() async throws {
        let server = try await TestServer.start()
        let backend = try await server.confidentialClient()
        let token = try #require(try await backend.signIn(server.account(), proof: TestKey()).refreshToken)
        _ = try await backend.refresh(token, proof: TestKey()).tokens()
    }

    @Test("a password change, a deactivation and an erasure end renewal at once, also of a repeated answer")
    func securityVersion() async throws {
        let server = try await TestServer.start()
        let app = try await server.bearerClient()
        let changes = ["set-password", "deactivate", "erase", "expire-password"]
        for (number, change) in changes.enumerated() {
            let account = try await server.account("person\(number)")
            let first = try #require(try await app.signIn(account).refreshToken)
            let second = try #require(
                try await app.refresh(first, attempt: Self.attempt(1)).tokens().refreshToken)
            let words = ["account", change, "--account", account.rawValue]
            try await server.administer(AdminRequest(words, input: "another long password"))
            #expect(try await app.refresh(first, attempt: Self.attempt(1)).refusal == .invalidGrant)
            #expect(try await app.refresh(second, attempt: Self.attempt(2)).refusal == .invalidGrant)
        }
    }

    @Test("after a refresh key was rotated, living sessions renew with their own key and new ones use the new one")
    func keyRotation() async throws {
        let server = try await TestServer.start()
        let app = try await server.bearerClient()
        let account = try await server.account()
        let old = try #require(try await app.signIn(account).refreshToken)
        try await server.administer(["keys", "rotate", "refresh"])
        let renewed = try #require(try await app.refresh(old, attempt: Self.attempt(1)).tokens().refreshToken)
        #expect(PresentedRefreshToken(renewed.reveal())?.keyID == KeyID(1))
        let new = try #require(try await app.signIn(account).refreshToken)
        #expect(PresentedRefreshToken(new.reveal())?.keyID == KeyID(2))
        _ = try await app.refresh(new).tokens()
    }

    @Test("a database that was restored revives no session")
    func restored() async throws {
        let server = try await TestServer.start()
        let app = try await server.bearerClient()
        let token = try #require(try await app.signIn(server.account()).refreshToken)
        let restored = try await server.restarted(epoch: 1)
        let again = TestClient(server: restored, id: app.id, secret: nil)
        #expect(try await again.refresh(token).refusal == .invalidGrant)
    }

    @Test(
        "a backup of a machine that restored before revives no session on another, nor if the marker got lost",
        .threat("Restored databases"))
    func restoredElsewhere() async throws {
        var server = try await TestServer.start().restarted(epoch: 9)
        let id = try await server.bearerClient().id
        let account = try await server.account()
        for epoch: Int64 in [4, 0] {
            let token = try #require(
                try await TestClient(server: server, id: id, secret: nil).signIn(account).refreshToken)
            server = try await server.restarted(epoch: epoch)
            #expect(try await TestClient(server: server, id: id, secret: nil).refresh(token).refusal == .invalidGrant)
        }
        let token = try #require(
            try await TestClient(server: server, id: id, secret: nil).signIn(account).refreshToken)
        server = try await server.restarted(epoch: 0)
        _ = try await TestClient(server: server, id: id, secret: nil).refresh(token).tokens()
    }

    @Test("an employment that ended stops renewal for that merchant")
    func merchants() async throws {
        let server = try await TestServer.start()
        let app = try await server.bearerClient()
        let account = try await server.account()
        let person = AccountReference.id(account.rawValue)
        try await server.administer(["merchant", "create", "m1", "--name", "Merchant"])
        try await server.administer(["merchant", "install-client", "m1", "--client", app.id.rawValue])
        try await server.administer(
            AdminRequest(["merchant", "add-employee", "m1"] + person.words))
        let first = try await app.signIn(account, merchant: try MerchantID("m1"))
        #expect(first.merchantID?.rawValue == "m1")
        let second = try await app.refresh(try #require(first.refreshToken)).tokens()
        #expect(second.merchantID?.rawValue == "m1")
        try await server.administer(
            AdminRequest(["merchant", "remove-employee", "m1"] + person.words))
        #expect(try await app.refresh(try #require(second.refreshToken)).refusal == .invalidGrant)
    }
}
