import AuthCore
import AuthStore
import Crypto
import SoftwarePasskeys
import Testing
import WalletAuthWire

@testable import AuthFlows

@Suite("What a restored database must not revive")
struct RestorationTests {
    /// A backup of a server's database, of this moment.
    private func backup(_ server: TestServer) async throws -> String {
        let copy = server.path("backup.db")
        try await server.administer(.database(.backup(path: copy)))
        return copy
    }

    private func client(_ client: TestClient, at server: TestServer) -> TestClient {
        TestClient(server: server, id: client.id, secret: client.secret)
    }

    /// Ada's shop at a restored server, where she has signed in again.
    private func shop(
        _ shop: TestShop, at server: TestServer, methods: [String] = ["pwd"]
    ) async throws -> TestShop {
        let app = client(shop.device.app.client, at: server)
        return TestShop(
            server: server, client: client(shop.client, at: server), account: shop.account,
            device: try await TestDevice.signedIn(shop.account, app, methods: methods))
    }

    private func carryOut(_ operation: WalletOperation, _ id: String, at shop: TestShop) async throws {
        shop.server.clock.advance(by: .seconds(31))
        let event = try await shop.required(operation, id: id)
        try await shop.agree(to: event, id: id)
        _ = try await shop.consume(operation, event: event, id: id).get()
    }

    // MARK: - Recovery codes

    @Test("attack: a recovery code that was spent after the backup is taken again by the restored database")
    func spentRecoveryCode() async throws {
        let (server, app) = try await TestApp.ofReachablePerson()
        let account = try #require(try await server.accountID())
        let codes = try await TestDevice.signedIn(account, app.client).makeRecoveryCodes().get().codes
        let first = try #require(codes.first).reveal()
        let copy = try await backup(server)
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
        let outcome = try await answer(TestApp(client: client(app.client, at: restored)))
        #expect(outcome.errorCode != nil)
        #expect(try await restored.rows(of: "recovery_codes") == 0)
    }

    @Test("Whose recovery codes a restore made void is told so once, also where the start was interrupted")
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

    // MARK: - What passes without consent

    @Test("attack: a payee who was taken off the list after the backup is paid 900 EUR without consent")
    func distrustedPayee() async throws {
        let before = try await TestShop.open(tokensLast: .minutes(30)) {
            $0.sca.policy.exemptions.trustedBeneficiaries = true
        }
        let payee = try Payee(name: "Anna Verna", account: "DE02120300000000202051")
        try await carryOut(WalletOperation(type: .trustPayee, payee: payee), "trust", at: before)
        let copy = try await backup(before.server)
        try await carryOut(WalletOperation(type: .distrustPayee, payee: payee), "distrust", at: before)
        let restored = try await shop(before, at: before.server.restarted(epoch: 1, from: copy))
        let response = try await restored.ask(TestShop.transfer(900_00), id: "after").get()
        #expect(response.status == .scaRequired)
        #expect(response.exemption == nil)
    }

    @Test("attack: a series that was ended after the backup goes on in the restored database")
    func endedSeries() async throws {
        let before = try await TestShop.open(tokensLast: .minutes(30)) {
            $0.sca.policy.exemptions.recurringPayments = true
        }
        try await carryOut(TestShop.transfer(800_00, type: "BEGIN_SERIES"), "rent", at: before)
        let copy = try await backup(before.server)
        let end = try WalletOperation(endingSeries: WalletOperationID("rent"))
        _ = try await before.ask(end, id: "end").get()
        _ = try await before.consume(end, event: nil, id: "end").get()
        let restored = try await shop(before, at: before.server.restarted(epoch: 1, from: copy))
        let grounds = ExemptionGrounds(series: try WalletOperationID("rent"))
        let response = try await restored.ask(TestShop.transfer(800_00), id: "next", grounds: grounds).get()
        #expect(response.status == .scaRequired)
        let evidence = try await restored.verifiedEvidence("rent")
        #expect(evidence.status == .authorized, "what was agreed to stays proved")
    }

    @Test(
        "attack: ten small payments in a row, five before a restore and five after it, also of who had none counted yet",
        arguments: [true, false])
    func lowValue(isCounted: Bool) async throws {
        let limits = try ExemptionSettings.LowValue(
            single: TestShop.euro(30_00), cumulative: TestShop.euro(100_00), count: 5)
        let before = try await TestShop.open(tokensLast: .minutes(30)) { $0.sca.policy.exemptions.lowValue = limits }
        if isCounted { try await carryOut(TestShop.transfer(), "large", at: before) }
        let copy = try await backup(before.server)
        for number in 1...5 {
            let passed = try await before.ask(TestShop.transfer(1_00), id: "small-\(number)").get()
            try #require(passed.exemption == .lowValue)
        }
        let restored = try await shop(before, at: before.server.restarted(epoch: 1, from: copy))
        let sixth = try await restored.ask(TestShop.transfer(1_00), id: "sixth").get()
        #expect(sixth.status == .scaRequired)
        // A consent begins the counts again.
        try await carryOut(TestShop.transfer(), "consent", at: restored)
        let next = try await restored.ask(TestShop.transfer(1_00), id: "next").get()
        #expect(next.exemption == .lowValue)
        let newcomer = try await restored.server.account("bob")
        let bobs = TestShop(
            server: restored.server, client: restored.client, account: newcomer,
            device: try await TestDevice.signedIn(newcomer, restored.device.app.client))
        let first = try await bobs.ask(TestShop.transfer(1_00), id: "bobs").get()
        #expect(first.exemption == .lowValue, "of who came after the restore nothing was lost")
    }

    @Test("attack: a consent to show account information from before the backup shows it after a restore")
    func informationConsent() async throws {
        let balance = try WalletOperation(type: WalletOperationType("BALANCE"))
        let before = try await TestShop.open(tokensLast: .minutes(30)) {
            $0.sca.policy.exemptions.accountInformation = [balance.type]
        }
        try await carryOut(balance, "first", at: before)
        let restored = try await shop(before, at: before.server.restarted(epoch: 1))
        let response = try await restored.ask(balance, id: "second").get()
        #expect(response.status == .scaRequired)
    }

    // MARK: - Factors

    @Test("attack: a passkey that was removed after the backup is two factors in the restored database")
    func removedPasskey() async throws {
        let server = try await TestServer.start()
        let passkey = try await server.settledPasskey()
        let app = try await server.bearerClient()
        let copy = try await backup(server)
        let id = try await server.context.database.read {
            try $0.row("SELECT id FROM passkeys", [])?.id(0)
        }
        let removed = try #require(id)
        try await server.administer(.passkey(.remove(id: removed.uuid)))
        let restored = try await server.restarted(epoch: 1, from: copy)
        func signIn() async throws -> AuthorizationAnswer.Outcome {
            restored.clock.advance(by: .seconds(31))
            return try await TestBrowser(restored).signIn(to: client(app, at: restored), with: passkey)
        }
        guard case .secondFactor = try await signIn().page().step else {
            Issue.record("the restored passkey opened the account by itself")
            return
        }
        restored.clock.advance(by: .hours(24))
        let claims = try await restored.claims(of: client(app, at: restored).redeem(signIn().code()).tokens())
        #expect(claims.acr == AuthenticationStrength.twoFactors, "after a day it counts again")
    }

    @Test("attack: while restored passkeys cool, the mailbox alone recovers an account that has one")
    func recoveryBesidePasskey() async throws {
        let server = try await TestServer.start()
        _ = try await server.settledPasskey()
        let app = try await server.publicClient()
        let restored = try await server.restarted(epoch: 1)
        let outcome = try await TestApp(client: client(app, at: restored)).recoverByCode()
        guard case .refused(.recoveryUnavailable) = outcome else {
            Issue.record("recovered by the mailbox: \(outcome.errorCode ?? "code")")
            return
        }
    }

    /// What of a sign-in counts for a payment.
    private func counted(_ device: TestDevice, _ account: AccountID, at server: TestServer) async throws -> [String] {
        let sid = try #require(try await server.claims(of: device.tokens).sessionID)
        let id = try #require(UniqueID(bytes: sid.bytes))
        let record = try #require(try await server.record(of: account))
        let now = server.clock.now()
        return try await server.context.database.read { connection in
            let session = try Sessions.living(id, now: now, on: connection)
            return try session.map { try OperationSession($0, of: record, at: now, on: connection).methods } ?? ["none"]
        }
    }

    @Test("attack: an authenticator app that was replaced after the backup agrees to a payment")
    func replacedAuthenticator() async throws {
        let before = try await TestShop.open(methods: ["pwd", "otp"])
        _ = try await before.device.authenticator()
        before.server.clock.advance(by: .hours(24))
        let copy = try await backup(before.server)
        let server = try await before.server.restarted(epoch: 1, from: copy)
        func offersAuthenticator(_ id: String) async throws -> Bool {
            try await shop(before, at: server).ask(TestShop.transfer(), id: id).get().availableVerifications
                .contains { $0.verification == .authenticator }
        }
        func countedMethods() async throws -> [String] {
            let device = try await shop(before, at: server, methods: ["pwd", "otp"]).device
            return try await counted(device, before.account, at: server)
        }
        #expect(try await !offersAuthenticator("op-1"))
        #expect(try await countedMethods() == ["pwd"], "nor does its code at a sign-in count")
        server.clock.advance(by: .hours(24))
        #expect(try await offersAuthenticator("op-2"))
        #expect(try await countedMethods() == ["pwd", "otp"])
    }

    @Test("attack: an enrolled device that was removed after the backup pays and changes the account")
    func removedDevice() async throws {
        let before = try await TestPINShop.open(pastCooling: true)
        let copy = try await backup(before.shop.server)
        let restored = try await before.shop.server.restarted(epoch: 1, from: copy)
        let (phone, id) = (before.pin.device, before.pin.id)
        let app = TestApp(client: client(phone.app.client, at: restored), key: phone.app.key)
        func session() async throws -> TestDevice {
            restored.clock.advance(by: .seconds(1))
            let signedOut = TestDevice(app: app, tokens: phone.tokens, deviceKey: phone.deviceKey)
            let tokens = try await app.redeem(signedOut.signIn(as: id).code()).tokens()
            return TestDevice(app: app, tokens: tokens, deviceKey: phone.deviceKey)
        }
        func offersDevice(_ device: TestDevice, _ operation: String) async throws -> Bool {
            let shop = TestShop(
                server: restored, client: client(before.shop.client, at: restored), account: before.shop.account,
                device: device)
            return try await shop.ask(TestShop.transfer(), id: operation).get().availableVerifications
                .contains { $0.verification.channel == .device }
        }
        let early = try await session()
        #expect(try await counted(early, before.shop.account, at: restored) == ["pwd"])
        #expect(try await !offersDevice(early, "op-1"))
        let refused = try await early.makeRecoveryCodes()
        #expect(refused.refusal == .strongerSignIn(maximumAge: 300, acr: AuthenticationStrength.twoFactors))
        restored.clock.advance(by: .hours(24))
        let late = try await session()
        #expect(try await counted(late, before.shop.account, at: restored) == ["pwd", "swk"])
        _ = try await late.makeRecoveryCodes().get()
    }

    @Test("attack: an identity that was unlinked after the backup changes the account and pays")
    func unlinkedIdentity() async throws {
        let provider = TestProvider()
        let server = try await TestServer.start(providers: provider.http)
        try await server.add(provider)
        let app = TestApp(client: try await server.publicClient())
        let guest = try await app.signIn(at: provider).guest()
        _ = try await app.redeem(app.createAccount(guest).code()).tokens()
        let account = try #require(try await server.accountID())
        let copy = try await backup(server)

        func session(_ restored: TestServer) async throws -> TestDevice {
            restored.clock.advance(by: .seconds(1))
            let app = TestApp(client: client(app.client, at: restored))
            return TestDevice(app: app, tokens: try await app.redeem(app.signIn(at: provider).code()).tokens())
        }
        let restored = try await server.restarted(epoch: 1, from: copy, providers: provider.http)
        let early = try await session(restored)
        guard case .failure(.cooling(let seconds)) = try await early.beginAuthenticator() else {
            Issue.record("the restored identity set an authenticator app up")
            return
        }
        #expect((86_000...86_400).contains(seconds))
        #expect(try await counted(early, account, at: restored) == [])
        restored.clock.advance(by: .hours(24))
        let late = try await session(restored)
        #expect(try await counted(late, account, at: restored) == ["fed"])
        _ = try await late.beginAuthenticator().get()
    }

    // MARK: - What was under way

    @Test("attack: a code that was redeemed in the minute before the restore is redeemed again")
    func redeemedCode() async throws {
        let server = try await TestServer.start()
        let app = try await server.bearerClient()
        let account = try await server.account()
        let copy = try await backup(server)
        let code = try await app.code(for: account)
        let grant = TokenRequest.Grant.authorizationCode(code, redirectURI: nil, verifier: TestClient.verifier)
        _ = try await app.token(grant).tokens()
        let restored = try await server.restarted(epoch: 1, from: copy)
        let again = try await client(app, at: restored).token(grant)
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
        let copy = try await backup(server)
        try await server.administer(
            .account(.setPassword(.username("ada", brand: nil), password: "another horse battery")))
        let restored = try await server.restarted(epoch: 1, from: copy)
        restored.clock.advance(by: .seconds(31))
        let thief = TestBrowser(restored)
        thief.cookies.device = browser.cookies.device
        guard case .secondFactor = try await thief.signIn(client(app, at: restored).request()).page().step else {
            Issue.record("the browser was linked")
            return
        }
    }

    @Test("attack: a passkey's use of before the restore is shown again, with all of its page")
    func passkeyChallengeOfBefore() async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        let challenges = PasskeyChallenges(context: server.context)
        let use = PasskeyChallenges.Use.signIn(browser: [UInt8](repeating: 1, count: 32))
        let now = server.clock.now()
        let challenge = try challenges.issue(use, now: now)
        #expect(challenges.open(challenge, for: use, now: now) != nil)
        let restored = try await server.restarted(epoch: 1)
        #expect(PasskeyChallenges(context: restored.context).open(challenge, for: use, now: now) == nil)
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
            try await server.flows.tokens.token(
                TokenRequest(client: .privateKeyJWT(registered.id, assertion), grant: .clientCredentials), proof: .none,
                origin: TestServer.origin
            ).refusal
        }
        func assertion(_ id: String) throws -> ClientAssertion {
            let now = server.clock.now().seconds
            var claims = JSONObject(strings: [
                "iss": "key-client", "sub": "key-client", "aud": "https://auth.example.com", "jti": id,
            ])
            claims.set("iat", now)
            claims.set("exp", now + 300)
            return try ClientAssertion(
                CompactJWSEncoder(signer: signer, type: .jwt).encode(claims.bytes, signer: signer))
        }
        let copy = try await backup(server)
        let used = try assertion("one")
        #expect(try await ask(server, used) == nil)
        server.clock.advance(by: .seconds(5))
        let restored = try await server.restarted(epoch: 1, from: copy)
        #expect(try await ask(restored, used) == .invalidClient)
        #expect(try await ask(restored, assertion("two")) == nil)
    }

    // MARK: - The operator's list

    @Test("What a restore brought back is listed for the operator, a page of accounts at a time")
    func listed() async throws {
        let server = try await TestServer.start()
        #expect(try await server.administer(.database(.restored(after: nil, limit: nil)))["factors"]?.array == [])
        _ = try await server.settledPasskey()
        let app = try await server.publicClient()
        let bob = try await server.account("bob")
        _ = try await TestDevice.signedIn(bob, app).enrolled(bob, name: "Bob's phone")
        _ = try await server.account("nobody")
        let restored = try await server.restarted(epoch: 1)
        let coolingEnd = restored.clock.now() + restored.context.settings.devices.coolingPeriod
        // What is added afterwards is none of it.
        restored.clock.advance(by: .seconds(1))
        let device = try await TestDevice.signedIn(bob, client(app, at: restored))
        _ = try await device.authenticator()
        let first = try await restored.administer(.database(.restored(after: nil, limit: 1)))
        let next = try #require(first["next"]?.string)
        let second = try await restored.administer(.database(.restored(after: next, limit: 1)))
        #expect(second["next"] == nil)
        let rows = [first, second].flatMap { $0["factors"]?.array ?? [] }.compactMap(\.object)
        let listed = rows.map {
            "\($0["username"]?.string ?? "") \($0["kind"]?.string ?? "") \($0["name"]?.string ?? "")"
        }
        #expect(Set(listed) == ["ada passkey Laptop", "bob device Bob's phone"])
        #expect(first["coolingUntil"]?.string == coolingEnd.text)
    }

    @Test("The list of what a restore brought back says until when it counts as new, and how to remove it")
    func listedWithAdvice() async throws {
        let server = try await TestServer.start()
        _ = try await server.settledPasskey()
        let restored = try await server.restarted(epoch: 1)
        let coolingEnd = restored.clock.now() + restored.context.settings.devices.coolingPeriod
        let answer = await restored.flows.administration.execute(.database(.restored(after: nil, limit: nil)))
        let text = answer.lines.joined(separator: "\n")
        #expect(text.contains("until \(coolingEnd.text)."), "\(text)")
        for command in ["passkey remove ID", "device remove ID", "account deactivate USERNAME"] {
            #expect(text.contains("`walletauth \(command)`"), "\(text)")
        }
    }
}
