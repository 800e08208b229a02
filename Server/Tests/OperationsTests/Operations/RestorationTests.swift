import Core
import Crypto
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import Tokens

@Suite("What a restored database must not revive", .threat("Restored databases"))
struct RestorationTests {
    @Test("A process that may not apply a restore leaves its mark, and changes nothing")
    func undeclared() async throws {
        let server = try await TestServer.start()
        let context = server.flows.context
        try await context.database.write { _ = try $0.execute(PendingRestore.marking, []) }
        await #expect(throws: Restoration.Undeclared.self) {
            try await Restoration(
                database: context.database, auditLog: context.auditLog, logger: context.logger,
                coolingPeriod: context.settings.devices.coolingPeriod
            ).voidWhatWasRestored(epoch: 0, now: server.clock.now(), isAllowed: false)
        }
        let (isPending, time) = try await context.database.read {
            (try PendingRestore.isPending(on: $0), try Meta.value("restored_at", on: $0))
        }
        #expect(isPending)
        #expect(time == nil)
    }

    @Test("attack: a recovery code that was spent after the backup is accepted again by the restored database")
    func spentRecoveryCode() async throws {
        let (server, app) = try await TestApp.ofReachablePerson()
        let account = try #require(try await server.accountID())
        let codes = try await TestDevice.signedIn(account, app.client).makeRecoveryCodes().get().codes
        let first = try #require(codes.first).reveal()
        let copy = try await server.backup()
        func answer(_ app: TestApp) async throws -> NativeSignInOutcome {
            app.client.server.clock.advance(by: .seconds(31))
            let asked = try await app.signIn().asked()
            guard
                case .refused(.mfaRequired(let session, let prompt)) = try await app.proceed(
                    asked.session, .chooseFactor(.recoveryCode))
            else { return .refused(.invalidCredentials) }
            return try await app.answer(first, to: AskedFactor(session: session, prompt: prompt))
        }
        _ = try await answer(app).code()
        let restored = try await server.restarted(epoch: 1, from: copy)
        let outcome = try await answer(TestApp(client: app.client.at(restored)))
        #expect(outcome.errorCode != nil)
        #expect(try await restored.rows(of: "recovery_codes") == 0)
    }

    @Test("A holder whose recovery codes a restore voided is notified once, also where the start was interrupted")
    func recoveryCodesTold() async throws {
        let (server, app) = try await TestApp.ofReachablePerson()
        let account = try #require(try await server.accountID())
        _ = try await TestDevice.signedIn(account, app.client).makeRecoveryCodes().get()
        _ = try await server.account("bob")
        var restored = try await server.restarted(epoch: 1)
        func told() async throws -> [String] {
            try await restored.messages().map(\.kind).filter { $0 == "recovery_codes_voided" }
        }
        #expect(try await told().count == 1)
        let recorded = try await restored.context.database.read {
            try $0.query("SELECT id FROM security_events WHERE kind = 'factor.recovery_codes_voided'", []).count
        }
        #expect(recorded == 1)
        // As a start leaves it that died before it had recorded the epoch.
        try await restored.context.database.write { try Meta.set("epoch", to: "0", on: $0) }
        restored = try await restored.restarted(epoch: 1)
        #expect(try await told().count == 1)
    }

    @Test("A restored copy that knows no epoch yet is dealt with by its first start")
    func copyWithoutEpoch() async throws {
        let (server, app) = try await TestApp.ofReachablePerson()
        let account = try #require(try await server.accountID())
        _ = try await TestDevice.signedIn(account, app.client).makeRecoveryCodes().get()
        try await server.context.database.write { connection in
            try connection.execute("DELETE FROM meta WHERE name = 'epoch'", [])
            try connection.execute(PendingRestore.marking, [])
        }
        let restored = try await server.restarted(epoch: 1)
        #expect(try await restored.rows(of: "recovery_codes") == 0)
        #expect(restored.context.restoredAt == server.clock.now())
        let isPending = try await restored.context.database.read { try PendingRestore.isPending(on: $0) }
        #expect(!isPending)
    }

    @Test("attack: a code that was redeemed in the minute before the restore is redeemed again")
    func redeemedCode() async throws {
        let server = try await TestServer.start()
        let app = try await server.bearerClient()
        let account = try await server.account()
        let copy = try await server.backup()
        let code = try await app.code(for: account)
        let grant = TokenRequest.Grant.authorizationCode(code, redirectURI: nil, verifier: TestClient.verifier)
        _ = try await app.token(grant).tokens()
        let restored = try await server.restarted(epoch: 1, from: copy)
        let again = try await app.at(restored).token(grant)
        #expect(again.refusal == .invalidGrant)
    }

    @Test("attack: a browser that a new password had made a stranger is linked again, its second factor not asked for")
    func unlinkedBrowser() async throws {
        let server = try await TestServer.start()
        _ = try await server.reachableAccount()
        let app = try await server.publicClient()
        let browser = TestBrowser(server)
        let page = try await browser.signIn(app.request()).page()
        _ = try await browser.submit(page, .answerFactor(Password(server.sentCode()))).code()
        let copy = try await server.backup()
        try await server.administer(
            AdminRequest(["account", "set-password", "ada"], input: "another horse battery"))
        let restored = try await server.restarted(epoch: 1, from: copy)
        restored.clock.advance(by: .seconds(31))
        let thief = TestBrowser(restored)
        thief.cookies.device = browser.cookies.device
        let outcome = try await thief.signIn(app.at(restored).request()).page().step
        guard case .secondFactor = outcome else {
            Issue.record("the browser was linked: \(String(describing: outcome))")
            return
        }
    }

    @Test("attack: a passkey's use of before the restore is shown again, with all of its page")
    func passkeyChallengeOfBefore() async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        let challenges = PasskeyChallenges(server.context.sealing)
        let use = PasskeyChallenges.Use.signIn(browser: [UInt8](repeating: 1, count: 32))
        let now = server.clock.now()
        let challenge = try challenges.issue(use, now: now)
        #expect(challenges.open(challenge, for: use, now: now) != nil)
        let restored = try await server.restarted(epoch: 1)
        #expect(PasskeyChallenges(restored.context.sealing).open(challenge, for: use, now: now) == nil)
    }

    @Test("attack: a client assertion that was used before the restore is used again after it")
    func usedAssertion() async throws {
        let server = try await TestServer.start()
        let signer = P256Signer(P256.Signing.PrivateKey(), keyID: "k1")
        let key = try #require(signer.publicJWK)
        let registered = try await server.confidentialClient("key-client") {
            $0.authenticationMethod = "private_key_jwt"
            $0.keySet = JSONValue.object(JWKSet([key]).json).text
        }
        func ask(_ server: TestServer, _ assertion: ClientAssertion) async throws -> OAuthRefusal? {
            try await server.flows.tokens.grants.token(
                TokenRequest(client: .privateKeyJWT(registered.id, assertion), grant: .clientCredentials), proof: .none,
                origin: TestServer.origin
            ).refusal
        }
        /// By a client whose clock is ahead as far as is accepted.
        func assertion(_ id: String) throws -> ClientAssertion {
            let now = server.clock.now().seconds + 30
            var claims = JSONObject(strings: [
                "iss": "key-client", "sub": "key-client", "aud": "https://auth.example.com", "jti": id,
            ])
            claims.set("iat", now)
            claims.set("exp", now + 300)
            return try ClientAssertion(
                CompactJWSEncoder(signer: signer, type: .jwt).encode(claims.bytes, signer: signer))
        }
        let copy = try await server.backup()
        let used = try assertion("one")
        #expect(try await ask(server, used) == nil)
        server.clock.advance(by: .seconds(5))
        let restored = try await server.restarted(epoch: 1, from: copy)
        #expect(try await ask(restored, used) == .invalidClient(.beforeRestore))
        restored.clock.advance(by: .seconds(1))
        #expect(try await ask(restored, assertion("two")) == nil)
    }
}
