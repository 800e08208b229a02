import AuthCore
import AuthStore
import Testing
import WalletAuthWire

@testable import AuthFlows
@testable import AuthTransactions
@testable import WalletAuthPIN

@Suite("Transactions under attack")
struct TransactionAttackTests {
    /// Another person at the same server, with a phone of their own that may sign.
    private func stranger(at till: TestTill) async throws -> TestPIN {
        let server = till.server
        let account = try await server.account("eve") {
            $0.email = "eve@example.com"
            $0.emailVerified = true
        }
        let device = try await TestDevice.signedIn(account, till.phone.device.app.client)
        let phone = try TestPIN(device, account, try await device.enrolled(account, name: "Eve's phone").id)
        _ = try await phone.setPIN(TestTill.pin).get()
        server.clock.advance(by: server.context.settings.devices.coolingPeriod)
        return phone
    }

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
        #expect(try await till.sign(confirmed, assertion).refusal == .device(.invalidCredentials))
    }

    @Test("attack: another person's phone finds no transaction of mine, with the code or without")
    func othersPhone() async throws {
        let till = try await TestTill.open()
        let eve = try await stranger(at: till)
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

    @Test("attack: a second phone that scans a code without an account is told that it is claimed")
    func secondScan() async throws {
        let till = try await TestTill.open(isUnaddressed: true)
        let eve = try await stranger(at: till)
        let created = try await till.ask(till.purchase(for: nil)).get()
        _ = try await till.claim(created.link).get()
        #expect(try await till.claim(created.link, by: eve).refusal == .refused(.alreadyClaimed))
        #expect(try await till.claim(created.link).get().status == .claimed)
    }

    @Test("attack: a backend sees, cancels and draws nothing of another backend's, and no code without the scope")
    func othersBackend() async throws {
        let till = try await TestTill.open()
        let other = try await till.server.confidentialClient("other") { $0.scopes = [BackendTransactions.scope] }
        let id = try await till.created().transactionID
        let call = try await till.call(as: other)
        #expect(try await till.flows.ofBackends.find(id, call: call).refusal == .refused(.notFound))
        #expect(try await till.flows.ofBackends.cancel(id, call: call).refusal == .refused(.notFound))
        #expect(try await till.flows.ofBackends.link(of: id, call: call).refusal == .refused(.notFound))
        #expect(try await till.flows.ofBackends.evidence(of: id, call: call).refusal == .refused(.notFound))
        let unscoped = try await till.server.confidentialClient("unscoped")
        #expect(
            try await till.ask(till.purchase(for: till.account), as: unscoped).refusal
                == .unauthorized(.insufficientScope(BackendTransactions.scope)))
        let anyone = PresentedCall(
            authorization: nil, proof: PresentedProof(header: nil, method: "GET", path: "/"),
            origin: TestServer.origin)
        #expect(try await till.flows.ofBackends.find(id, call: anyone).refusal == .unauthorized(.invalidToken))
    }

    @Test("attack: an app of another brand sees no transaction that apps of this brand began")
    func othersBrand() async throws {
        let till = try await TestTill.open()
        let begun = try await till.draft().get()
        _ = try await till.store(begun.draft, till.byPIN(begun.transaction, draft: begun.draft)).get()
        try await till.server.administer(.brand(.create(id: "noir", name: "Noir")))
        let other = try await till.server.confidentialClient("noir-backend") {
            $0.scopes = [BackendTransactions.scope]
            $0.brand = "noir"
        }
        let id = begun.transaction.transactionID
        let call = try await till.call(as: other)
        #expect(try await till.flows.ofBackends.find(id, call: call).refusal == .refused(.notFound))
        #expect(try await till.flows.ofBackends.list(TransactionQuery(), call: call).get().transactions.isEmpty)
        #expect(
            try await till.ask(till.purchase(for: till.account), as: other).refusal == .refused(.accountNotFound))
    }

    @Test("attack: a request that the device did not sign, or signed for another body or path, changes nothing")
    func unsigned() async throws {
        let till = try await TestTill.open()
        let created = try await till.created()
        let claim = TransactionClaim(link: created.link, deviceID: till.phone.id)
        let body = claim.json.bytes
        let path = Endpoints.transactionClaim.path
        var unsigned = try await till.deviceCall(path, body)
        unsigned.signature = nil
        let calls = [
            try await till.deviceCall(path, body, key: TestKey()),
            try await till.deviceCall(path, body, signedBody: body + [0x20]),
            try await till.deviceCall(path, body, signedPath: Endpoints.pinEvaluation.path),
        ]
        for call in calls {
            let outcome = try await till.flows.onDevices.claim(claim, call: call)
            #expect(outcome.refusal == .device(.invalidCredentials))
        }
        guard case .device(.staleNonce)? = try await till.flows.onDevices.claim(claim, call: unsigned).refusal else {
            Issue.record("a request without a signature was not asked for one")
            return
        }
        guard
            case .device(.staleNonce)? = try await till.flows.onDevices.claim(
                claim, call: till.deviceCall(path, body, nonce: "bm90LXRoZS1zZXJ2ZXJzLW5vbmNl")
            ).refusal
        else {
            Issue.record("a nonce that is not the server's was taken")
            return
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
            #expect(try await till.sign(confirmed, assertion).refusal == .device(.invalidCredentials))
        }
        #expect(try await till.phone.record()?.state == .active(.first, failed: 0))
    }

    @Test("attack: a PIN is evaluated for nothing but a confirmed transaction of the device, and no try is charged")
    func evaluationOnDemand() async throws {
        let till = try await TestTill.open()
        let claimed = try await till.claim(till.created().link).get()
        let rejected = try await till.reject(till.confirmed()).get()
        let biometric = try await till.confirmed(by: .biometric)
        var unknown = claimed
        unknown.transactionID = try TransactionID("0190b3f2-0000-7000-8000-00000000002a")
        for (transaction, refusal) in [
            (claimed, TransactionRefusal.notConfirmed), (rejected, .over(.rejected)),
            (biometric, .secondFactorUnavailable), (unknown, .notFound),
        ] {
            let exchange = try till.phone.exchange("314159")
            let outcome = try await till.phone.evaluate(till.phone.use(exchange, act: till.act(transaction)))
            #expect(outcome.refusal == .transaction(refusal))
        }
        let record = try #require(try await till.phone.record())
        #expect(record.state == .active(.first, failed: 0))
    }

    @Test("attack: an assertion for another act, for another transaction or of a sign-in signs nothing")
    func otherActs() async throws {
        let till = try await TestTill.open()
        let confirmed = try await till.confirmed()
        let id = confirmed.transactionID
        let hash = PayloadHash.transaction(confirmed.payload)
        for act in [
            DeviceAssertion.Act.sca(id, .operation(confirmed.payload)), .reject(id, hash), .login(hash),
            .transaction(try TransactionID("other"), hash),
        ] {
            let assertion = try await till.byBiometrics(confirmed, act: act)
            #expect(try await till.sign(confirmed, assertion).refusal == .device(.invalidCredentials))
        }
        let signIn = try await till.phone.signInAssertion(TestTill.pin)
        #expect(try await till.sign(confirmed, signIn).refusal == .device(.invalidCredentials))
        let other = try await till.confirmed()
        let forOther = try await till.byPIN(other)
        #expect(try await till.sign(confirmed, forOther).refusal == .device(.invalidCredentials))
        #expect(try await till.report(id).status == .confirmed)
    }

    @Test("attack: a signature by another biometric key, or by the device's key alone, signs nothing")
    func otherKeys() async throws {
        let till = try await TestTill.open()
        let confirmed = try await till.confirmed()
        for key in [TestKey(), till.phone.device.deviceKey] {
            let assertion = try await till.byBiometrics(confirmed, key: key)
            #expect(try await till.sign(confirmed, assertion).refusal == .device(.invalidCredentials))
        }
    }

    @Test("attack: a transaction that asks for one factor is not signed by the other")
    func otherFactor() async throws {
        let till = try await TestTill.open()
        var byPIN = try await till.confirmed(by: .pin)
        #expect(byPIN.challenge == nil)
        byPIN.challenge = try await till.challenge(for: byPIN)
        let assertion = try await till.byBiometrics(byPIN)
        #expect(try await till.sign(byPIN, assertion).refusal == .refused(.secondFactorUnavailable))
        #expect(try await till.report(byPIN.transactionID).status == .confirmed)
    }

    @Test(
        "attack: a transaction that was cancelled or has expired is signed by no factor, and a signed one not once more"
    )
    func signedTooLate() async throws {
        for end in [TransactionStatus.cancelled, .expired, .signed] {
            let till = try await TestTill.open()
            let confirmed = try await till.confirmed(expiresIn: 30)
            let again = try await till.confirm(confirmed).get()
            let assertions = [try await till.byPIN(confirmed), try await till.byBiometrics(confirmed)]
            switch end {
            case .cancelled: try await till.cancel(confirmed.transactionID).get()
            case .expired: till.server.clock.advance(by: .seconds(30))
            default: _ = try await till.sign(again, till.byBiometrics(again)).get()
            }
            let before = try await till.report(confirmed.transactionID)
            #expect(before.status == end)
            for assertion in assertions {
                #expect(try await till.sign(confirmed, assertion).refusal == .refused(.over(end)))
            }
            #expect(try await till.report(confirmed.transactionID) == before)
        }
    }

    @Test("attack: a challenge that signed one transaction signs no other")
    func usedChallenge() async throws {
        let till = try await TestTill.open()
        let first = try await till.confirmed()
        _ = try await till.sign(first, till.byBiometrics(first)).get()
        var second = try await till.confirmed()
        second.challenge = first.challenge
        #expect(try await till.sign(second, till.byBiometrics(second)).refusal == .device(.invalidCredentials))
    }

    @Test("attack: a challenge of one transaction signs no other, also before it was used")
    func othersChallenge() async throws {
        let till = try await TestTill.open()
        let first = try await till.confirmed()
        var second = try await till.confirmed()
        let own = second
        second.challenge = first.challenge
        #expect(try await till.sign(second, till.byBiometrics(second)).refusal == .device(.invalidCredentials))
        _ = try await till.sign(own, till.byBiometrics(own)).get()
    }

    @Test("attack: without the device's key nobody learns whether it claimed a transaction, or that one is over")
    func signingWithoutKey() async throws {
        let till = try await TestTill.open()
        let claimed = try await till.confirmed()
        var unclaimed = claimed
        unclaimed.transactionID = try await till.created().transactionID
        let over = try await till.confirmed()
        let kept = try await till.byBiometrics(over)
        _ = try await till.cancel(over.transactionID).get()
        for transaction in [claimed, unclaimed, over] {
            let stranger = try await till.byBiometrics(transaction, device: TestKey())
            #expect(try await till.sign(transaction, stranger).refusal == .device(.invalidCredentials))
            let own = try await till.byBiometrics(transaction)
            var other = transaction
            other.transactionID = try TransactionID("0190b3f2-0000-7000-8000-00000000002a")
            #expect(try await till.sign(other, own).refusal == .device(.invalidCredentials))
        }
        #expect(try await till.sign(over, kept).refusal == .refused(.over(.cancelled)))
        till.server.clock.advance(by: .minutes(10))
        #expect(try await till.sign(over, kept).refusal == .device(.invalidCredentials))
    }

    @Test("A phone whose challenge is over is told that its transaction is, and nobody else is")
    func overWithChallenge() async throws {
        let till = try await TestTill.open()
        let cancelled = try await till.confirmed()
        let late = try await till.byPIN(cancelled)
        _ = try await till.cancel(cancelled.transactionID).get()
        till.server.clock.advance(by: PINLimits.challengeLifetime)
        #expect(try await till.sign(cancelled, late).refusal == .refused(.over(.cancelled)))
        let signed = try await till.confirmed()
        _ = try await till.sign(signed, till.byBiometrics(signed)).get()
        till.server.clock.advance(by: .seconds(1))
        #expect(try await till.sign(signed, till.byBiometrics(signed)).refusal == .refused(.over(.signed)))
        let stranger = try await till.byBiometrics(signed, device: TestKey())
        #expect(try await till.sign(signed, stranger).refusal == .device(.invalidCredentials))
    }

    @Test("attack: a phone in its cooling period claims, begins and signs nothing, and is told until when")
    func cooling() async throws {
        let till = try await TestTill.open(pastCooling: false)
        let created = try await till.created()
        let end = till.server.clock.now() + till.server.context.settings.devices.coolingPeriod
        for refusal in [try await till.claim(created.link).refusal, try await till.draft().refusal] {
            guard case .refused(.deviceCooling(let until))? = refusal else {
                Issue.record("a device in its cooling period was let in: \(String(describing: refusal))")
                continue
            }
            #expect(until <= end && until > till.server.clock.now())
        }
        #expect(try await till.report(created.transactionID).status == .created)
    }

    @Test("attack: a phone whose installation was never confirmed claims, begins and signs nothing, and charges no try")
    func unverifiedInstance() async throws {
        let till = try await TestTill.open()
        let created = try await till.created()
        let claimed = try await till.claim(till.created().link).get()
        let confirmed = try await till.confirmed()
        let begun = try await till.draft().get()
        let assertion = try await till.byBiometrics(confirmed)
        let device = try #require(UniqueID(uuid: till.phone.id.rawValue))
        _ = try await till.server.context.database.write {
            try $0.execute("UPDATE devices SET instance = 'unverified' WHERE id = $1", [.id(device)])
        }
        let held = DeviceTransactionRefusal.refused(.instanceUnverified)
        #expect(try await till.claim(created.link).refusal == held)
        #expect(try await till.confirm(claimed).refusal == held)
        #expect(try await till.sign(confirmed, assertion).refusal == held)
        #expect(try await till.draft().refusal == held)
        let draft = try await till.byBiometrics(begun.transaction)
        #expect(try await till.store(begun.draft, draft).refusal == held)
        let exchange = try till.phone.exchange(TestTill.pin)
        let evaluation = try await till.phone.evaluate(till.phone.use(exchange, act: till.act(confirmed)))
        #expect(evaluation.refusal == .transaction(.instanceUnverified))
        #expect(try await till.phone.record()?.state == .active(.first, failed: 0))
    }

    @Test("attack: five tries that were never finished fail the transaction, and no other factor signs it")
    func abandonedTries() async throws {
        let till = try await TestTill.open()
        let confirmed = try await till.confirmed()
        let last = try await till.byPIN(confirmed)
        for _ in 0..<4 { _ = try await till.byPIN(confirmed, "314159") }
        let waiting = till.flows.changes.stream(of: try #require(UniqueID(uuid: confirmed.transactionID.rawValue)))
        let exchange = try till.phone.exchange(TestTill.pin)
        let sixth = try await till.phone.evaluate(till.phone.use(exchange, act: till.act(confirmed)), for: till.flows)
        #expect(sixth.refusal == .refused(.locked))
        #expect(try await till.report(confirmed.transactionID).status == .failed)
        for await _ in waiting { break }
        let outcome = try await till.sign(confirmed, till.byBiometrics(confirmed))
        #expect(outcome.refusal == .refused(.over(.failed)))
        #expect(try await till.sign(confirmed, last).refusal == .refused(.over(.failed)))
    }

    @Test("attack: a PIN without a try left is no factor to sign by, and nothing is claimed that asks for it")
    func noTryLeft() async throws {
        let till = try await TestTill.open()
        let first = try await till.confirmed()
        #expect(first.allowedSecondFactors == [.pin, .biometric])
        for _ in 0..<5 { _ = try await till.byPIN(first, "314159") }
        #expect(try await till.confirm(first).get().allowedSecondFactors == [.biometric])
        let claim = try await till.claim(till.created(by: .pin).link)
        #expect(claim.refusal == .refused(.secondFactorUnavailable))
    }

    @Test("The same assertion sent twice at the same moment gets the same answer twice", arguments: [false, true])
    func sentTwiceAtOnce(byPIN: Bool) async throws {
        let till = try await TestTill.open()
        let confirmed = try await till.confirmed()
        let assertion = try await byPIN ? till.byPIN(confirmed) : till.byBiometrics(confirmed)
        // The first one has read the open challenge when the other ends it.
        till.server.beforeNextWrite {
            let other = try await till.sign(confirmed, assertion).get()
            #expect(other.status == .signed)
        }
        #expect(try await till.sign(confirmed, assertion).get().status == .signed)
    }

    @Test("attack: the locked PIN of one device fails no transaction that another device claimed")
    func othersLockedPIN() async throws {
        let till = try await TestTill.open()
        let eve = try await stranger(at: till)
        let confirmed = try await till.confirmed()
        let now = till.server.clock.now()
        let device = try #require(
            try await till.server.context.database.read { try Devices.find(eve.id.rowID, on: $0) })
        try await till.server.context.database.write {
            try till.flows.pinSubject.pinLocked(
                for: till.act(confirmed), on: device, origin: TestServer.origin, now: now, connection: $0)
        }
        #expect(try await till.report(confirmed.transactionID).status == .confirmed)
    }

    @Test("attack: a biometric key that was taken away while it was checked signs nothing")
    func removedKey() async throws {
        let till = try await TestTill.open()
        let confirmed = try await till.confirmed()
        let assertion = try await till.byBiometrics(confirmed)
        let device = try #require(UniqueID(uuid: till.phone.id.rawValue))
        till.server.beforeNextWrite {
            _ = try await till.server.context.database.write {
                try $0.execute(
                    """
                    UPDATE devices SET biometric_key = NULL, biometric_key_set_at = NULL,
                        biometric_key_storage = NULL, biometric_presence_attested = NULL WHERE id = $1
                    """, [.id(device)])
            }
        }
        #expect(try await till.sign(confirmed, assertion).refusal == .refused(.secondFactorUnavailable))
        #expect(try await till.report(confirmed.transactionID).status == .confirmed)
    }

    @Test("attack: a device that lacks the factor that is asked for does not claim, so that another one can")
    func noFactor() async throws {
        let till = try await TestTill.open { $0.environment = .sandbox }
        let server = till.server
        let device = try await TestDevice.signedIn(till.account, till.phone.device.app.client)
        let bare = try TestPIN(device, till.account, try await device.enrolled(till.account, name: "Tablet").id)
        server.clock.advance(by: server.context.settings.devices.coolingPeriod)
        let created = try await till.created(by: .pin)
        #expect(try await till.claim(created.link, by: bare).refusal == .refused(.secondFactorUnavailable))
        #expect(try await till.report(created.transactionID).status == .created)
        _ = try await till.claim(created.link).get()
    }

    @Test(
        "attack: a suspended, deactivated or removed phone signs nothing, and a removed one's transactions are cancelled"
    )
    func closedPhone() async throws {
        let till = try await TestTill.open()
        let confirmed = try await till.confirmed()
        let assertion = try await till.byBiometrics(confirmed)
        try await till.server.administer(.device(.order(.suspend, id: till.phone.id.rawValue)))
        #expect(try await till.sign(confirmed, assertion).refusal == .device(.suspended))
        #expect(try await till.claim(till.created().link).refusal == .device(.suspended))
        try await till.server.administer(.device(.order(.resume, id: till.phone.id.rawValue)))
        try await till.server.administer(.device(.remove(id: till.phone.id.rawValue)))
        #expect(try await till.sign(confirmed, assertion).refusal == .device(.invalidCredentials))
        #expect(try await till.report(confirmed.transactionID).status == .cancelled)
        #expect(try await till.proof(confirmed.transactionID).status == .cancelled)
    }

    @Test("attack: too many transactions for one account are refused, with when to come again")
    func tooMany() async throws {
        let till = try await TestTill.open()
        for _ in 0..<TransactionLimits.openOfAccount { _ = try await till.created() }
        #expect(
            try await till.ask(till.purchase(for: till.account)).refusal == .refused(.tooManyOpen(retryAfter: 300)))
        till.server.clock.advance(by: .seconds(300))
        _ = try await till.created()
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

    @Test("attack: what was open under a former issuer is signed by nobody under the next")
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
}
