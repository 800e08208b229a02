import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import Transactions
@testable import WalletAuthPIN

@Suite("Transactions under attack", .threat("A payer who contests, and an app that keeps asking"))
struct TransactionAttackTests {
    @Test("attack: a swapped code shows its own payee in the bytes that are signed, and signs nothing of the other")
    func swappedCode() async throws {
        let till = try await TestTill.open()
        let honest = try await till.created()
        let thief = try await till.ask(
            TransactionRequest(
                account: till.account, type: WalletOperationType("PURCHASE"),
                amount: Money(minorUnits: 999_00, currency: .euro), payee: Payee(name: "Mallory", account: "1"))
        ).get()
        let mixed = TransactionLink(
            issuer: honest.link.issuer, transactionID: honest.transactionID, secret: thief.link.secret)
        #expect(try await till.claim(mixed).refusal == .refused(.notFound))
        let shown = try await till.claim(thief.link).get()
        #expect(try TransactionPayload(parsing: shown.payload).content.payee?.name == "Mallory")
        let confirmed = try await till.confirm(till.claim(honest.link).get()).get()
        let crossed = DeviceAssertion.Act.transaction(thief.transactionID, .transaction(confirmed.payload))
        let assertion = try await till.byBiometrics(confirmed, act: crossed)
        #expect(try await till.sign(confirmed, assertion).refusal == .assertion(.invalidCredentials))
    }

    @Test("attack: another person's phone finds no transaction of mine, with the code or without")
    func othersPhone() async throws {
        let till = try await TestTill.open()
        let eve = try await till.stranger()
        let created = try await till.created()
        #expect(try await till.claim(created.link, by: eve).refusal == .refused(.notFound))
        let claimed = try await till.claim(created.link).get()
        for outcome in [
            try await till.claim(created.link, by: eve), try await till.confirm(claimed, by: eve),
            try await till.reject(claimed, by: eve),
        ] { #expect(outcome.refusal == .refused(.notFound)) }
        let confirmed = try await till.confirm(claimed).get()
        let byEve = try await DeviceAssertion(
            audience: till.server.context.settings.issuer, account: eve.account, deviceID: eve.id, factor: .biometric,
            challengeID: #require(confirmed.challenge).challengeID, nonce: #require(confirmed.challenge).nonce,
            act: till.act(confirmed), issuedAt: NumericDate(clamping: till.server.clock.now().seconds)
        ).signed(by: eve.device.deviceKey.signer, till.biometricKey.signer)
        #expect(try await till.sign(confirmed, byEve).refusal == .refused(.notFound))
        let exchange = try eve.exchange(TestTill.pin)
        let evaluation = try await eve.evaluate(eve.use(exchange, act: till.act(confirmed)))
        #expect(evaluation.refusal == .transaction(.notFound))
        #expect(try await till.report(created.transactionID).status == .confirmed)
    }

    @Test("attack: a second phone that scans a code without an account learns that it is claimed")
    func secondScan() async throws {
        let till = try await TestTill.open(withoutAccount: true)
        let eve = try await till.stranger()
        let created = try await till.ask(till.purchase(for: nil)).get()
        _ = try await till.claim(created.link).get()
        #expect(try await till.claim(created.link, by: eve).refusal == .refused(.alreadyClaimed))
        #expect(try await till.claim(created.link).get().status == .claimed)
    }

    @Test(
        "attack: a backend sees, cancels and draws nothing of another backend's, and no code without the scope",
        .threat("Attacks on transactions"))
    func othersBackend() async throws {
        let till = try await TestTill.open()
        let other = try await till.server.confidentialClient("other") { $0.scopes = [BackendTransactions.scope] }
        let id = try await till.created().transactionID
        let call = try await till.call(as: other)
        #expect(try await till.flows.ofBackends.find(id, call: call).refusal == .notFound)
        #expect(try await till.flows.ofBackends.cancel(id, call: call).refusal == .notFound)
        #expect(try await till.flows.ofBackends.link(of: id, call: call).refusal == .notFound)
        #expect(try await till.flows.ofBackends.evidence(of: id, call: call).refusal == .notFound)
        let unscoped = try await till.server.confidentialClient("unscoped")
        await #expect(throws: OAuthRefusal.insufficientScope(BackendTransactions.scope)) {
            try await till.call(as: unscoped)
        }
        let anyone = PresentedCredentials(
            authorization: nil, proof: PresentedProof(header: nil, method: "GET", path: "/"),
            origin: TestServer.origin)
        await #expect(throws: OAuthRefusal.invalidToken) {
            try await till.server.flows.callers.backend(anyone, scope: BackendTransactions.scope)
        }
    }

    @Test("attack: an app of another brand sees no transaction that apps of this brand began")
    func othersBrand() async throws {
        let till = try await TestTill.open()
        let begun = try await till.draft().get()
        _ = try await till.store(begun.draft, till.byPIN(begun.transaction, draft: begun.draft)).get()
        try await till.server.administer(["brand", "create", "noir", "--name", "Noir"])
        let other = try await till.server.confidentialClient("noir-backend") {
            $0.scopes = [BackendTransactions.scope]
            $0.brand = "noir"
        }
        let id = begun.transaction.transactionID
        let call = try await till.call(as: other)
        #expect(try await till.flows.ofBackends.find(id, call: call).refusal == .notFound)
        #expect(try await till.flows.ofBackends.list(TransactionQuery(), call: call).transactions.isEmpty)
        #expect(
            try await till.ask(till.purchase(for: till.account), as: other).refusal == .accountNotFound)
    }

    @Test("attack: another server's link is not found")
    func othersLink() async throws {
        let till = try await TestTill.open()
        let created = try await till.created()
        let foreign = TransactionLink(
            issuer: try Issuer("https://other.example.com"), transactionID: created.transactionID,
            secret: created.link.secret)
        #expect(try await till.claim(foreign).refusal == .refused(.notFound))
    }

    @Test("attack: what was open under a former issuer cannot be signed under the next")
    func formerIssuer() async throws {
        let till = try await TestTill.open()
        let confirmed = try await till.confirmed()
        let account = try #require(UniqueID(bytes: till.account.bytes))
        _ = try await till.server.context.database.write {
            try $0.execute(
                "UPDATE transactions SET issuer = 'https://former.example.com' WHERE account_id = $1", [.id(account)])
        }
        #expect(
            try await till.sign(confirmed, till.byBiometrics(confirmed)).refusal == .refused(.notFound))
        #expect(try await till.reject(confirmed).refusal == .refused(.notFound))
    }

    @Test("attack: too many transactions for one account are refused, with the time to try again")
    func tooMany() async throws {
        let till = try await TestTill.open()
        for _ in 0..<TransactionLimits.openOfAccount { _ = try await till.created() }
        #expect(
            try await till.ask(till.purchase(for: till.account)).refusal == .tooManyOpen(retryAfter: 300))
        till.server.clock.advance(by: .seconds(300))
        _ = try await till.created()
    }

    @Test("attack: a request that the device did not sign, or signed for another body or path, changes nothing")
    func unsigned() async throws {
        let till = try await TestTill.open()
        let created = try await till.created()
        let body = TransactionClaim(link: created.link, deviceID: till.phone.id).json.bytes
        let path = Endpoints.transactionClaim.path
        await #expect(throws: PINRefusal.invalidCredentials) {
            try await till.deviceCall(path, body, key: TestKey())
        }
        await #expect(throws: PINRefusal.invalidCredentials) {
            try await till.deviceCall(path, body, signedBody: body + [0x20])
        }
        await #expect(throws: PINRefusal.invalidCredentials) {
            try await till.deviceCall(path, body, signedPath: Endpoints.pinEvaluation.path)
        }
        await #expect(throws: PINRefusal.staleNonce(till.server.context.proofs.currentNonce())) {
            try await till.deviceCall(path, body, nonce: "bm90LXRoZS1zZXJ2ZXJzLW5vbmNl")
        }
        #expect(try await till.report(created.transactionID).status == .created)
    }

    @Test("attack: confirming, rejecting or signing other bytes than those that were sent is refused")
    func otherBytes() async throws {
        let till = try await TestTill.open()
        var claimed = try await till.claim(till.created().link).get()
        let sent = claimed.payload
        #expect(
            try await till.confirm(claimed, hash: .transaction(sent + [0x20])).refusal == .refused(.otherPayload))
        claimed.payload = sent + [0x20]
        #expect(try await till.reject(claimed).refusal == .refused(.otherPayload))
        claimed.payload = sent
        var confirmed = try await till.confirm(claimed).get()
        for index in stride(from: 0, to: sent.count, by: 61) {
            confirmed.payload = sent
            confirmed.payload[index] ^= 1
            let exchange = try till.phone.exchange(TestTill.pin)
            let evaluation = try await till.phone.evaluate(till.phone.use(exchange, act: till.act(confirmed)))
            #expect(evaluation.refusal == .transaction(.otherPayload))
            let assertion = try await till.byBiometrics(confirmed)
            #expect(try await till.sign(confirmed, assertion).refusal == .assertion(.invalidCredentials))
        }
        #expect(try await till.phone.record()?.state == .active(.first, failed: 0))
    }
}
