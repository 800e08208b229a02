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

@Suite("Devices and PINs that may sign no transaction", .covers("why a device cannot sign a transaction"))
struct TransactionDeviceAttackTests {
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

    @Test(
        "attack: an evaluation that waits for its write until its transaction or its draft is over charges no try",
        .threat("Attacks on transactions"))
    func waitingEvaluation() async throws {
        let till = try await TestTill.open()
        let confirmed = try await till.confirmed(expiresIn: 30)
        let forTransaction = try till.phone.use(till.phone.exchange(TestTill.pin), act: till.act(confirmed))
        till.server.beforeNextWrite { till.server.clock.advance(by: .seconds(30)) }
        #expect(try await till.phone.evaluate(forTransaction).refusal == .transaction(.over(.expired)))

        let begun = try await till.draft().get()
        let forDraft = try till.phone.use(
            till.phone.exchange(TestTill.pin), act: till.act(begun.transaction), draft: begun.draft)
        till.server.beforeNextWrite { till.server.clock.advance(by: TransactionLimits.draftLifetime) }
        #expect(try await till.phone.evaluate(forDraft).refusal == .transaction(.invalidDraft))
        #expect(try await till.phone.record()?.state == .active(.first, failed: 0))
    }

    @Test("attack: a phone in its cooling period claims, begins and signs nothing, and learns until when")
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
        let waiting = till.flows.ledger.changes.stream(of: [
            try #require(UniqueID(uuid: confirmed.transactionID.rawValue))
        ])
        let exchange = try till.phone.exchange(TestTill.pin)
        let sixth = try await till.phone.evaluate(till.phone.use(exchange, act: till.act(confirmed)), for: till.flows)
        #expect(sixth.refusal == .locked(.tooManyTries))
        #expect(try await till.report(confirmed.transactionID).status == .failed)
        for await _ in waiting { break }
        let outcome = try await till.sign(confirmed, till.byBiometrics(confirmed))
        #expect(outcome.refusal == .refused(.over(.failed)))
        #expect(try await till.sign(confirmed, last).refusal == .refused(.over(.failed)))
    }

    @Test(
        "attack: a PIN whose thirty tries of thirty days are spent signs nothing, and another try fails the transaction"
    )
    func exhaustedTries() async throws {
        let till = try await TestTill.open()
        let confirmed = try await till.confirmed()
        // Never five in a row, which would lock the PIN.
        for number in 1...29 {
            _ = try await till.phone.evaluate(till.phone.use(till.phone.exchange("314159"))).get()
            if number % 4 == 0 || number == 29 { _ = try await till.phone.signIn(TestTill.pin).code() }
        }
        let thirtieth = try await till.sign(confirmed, till.byPIN(confirmed, "314159"))
        #expect(thirtieth.refusal == .assertion(.wrongPIN(remaining: 0)))
        #expect(try await till.report(confirmed.transactionID).status == .confirmed)
        #expect(try await till.confirm(confirmed).get().allowedSecondFactors == [.biometric])
        guard case .refused(.noSecondFactor(let shortage))? = try await till.claim(till.created(by: .pin).link).refusal,
            case .exhausted(let until)? = shortage.pin
        else {
            Issue.record("the claim does not say that the tries are spent")
            return
        }
        #expect(until > NumericDate(clamping: till.server.clock.now().seconds))
        let exchange = try till.phone.exchange(TestTill.pin)
        let next = try await till.phone.evaluate(till.phone.use(exchange, act: till.act(confirmed)), for: till.flows)
        #expect(next.refusal == .exhausted(retryAfter: 2_592_000))
        #expect(try await till.report(confirmed.transactionID).status == .failed)
        let outcome = try await till.sign(confirmed, till.byBiometrics(confirmed))
        #expect(outcome.refusal == .refused(.over(.failed)))
    }

    @Test("attack: a PIN without a try left is no factor to sign by, and nothing is claimed that asks for it")
    func noTryLeft() async throws {
        let till = try await TestTill.open()
        let first = try await till.confirmed()
        #expect(first.allowedSecondFactors == [.pin, .biometric])
        for _ in 0..<5 { _ = try await till.byPIN(first, "314159") }
        #expect(try await till.confirm(first).get().allowedSecondFactors == [.biometric])
        let claim = try await till.claim(till.created(by: .pin).link)
        let lacks = SecondFactorShortage(required: .pin, pin: .locked(.tooManyTries))
        #expect(claim.refusal == .refused(.noSecondFactor(lacks)))
    }

    @Test("A device without a required factor learns why: no PIN, a locked one, or no biometric key")
    func causes() async throws {
        let till = try await TestTill.open()
        let context = till.server.context
        let device = try till.phone.id.rowID
        func lacks(_ required: RequiredSecondFactor) async throws -> SecondFactorShortage? {
            guard
                case .refused(.noSecondFactor(let claimed))? = try await till.claim(till.created(by: required).link)
                    .refusal,
                case .refused(.noSecondFactor(let begun))? = try await till.draft(by: required).refusal
            else { return nil }
            #expect(claimed == begun)
            return claimed
        }
        try await till.loseBiometricKey()
        #expect(try await lacks(.biometric) == SecondFactorShortage(required: .biometric))
        for (reason, failed) in [(PINLockReason.tooManyTries, PINLimits.tries), (.restore, 0)] {
            _ = try await context.database.write {
                try $0.execute(
                    "UPDATE pins SET state = 'locked', failed = $2 WHERE device_id = $1",
                    [.id(device), .integer(Int64(failed))])
            }
            for required in [RequiredSecondFactor.pin, .any] {
                #expect(try await lacks(required) == SecondFactorShortage(required: required, pin: .locked(reason)))
            }
        }
        let now = till.server.clock.now()
        _ = try await context.database.write { try PINs.forget(device, now: now, on: $0) }
        #expect(try await lacks(.any) == SecondFactorShortage(required: .any, pin: .notSet))
    }

    @Test("attack: a biometric key that is removed while a claim or a confirmation waits for its write is not a factor")
    func lostKey() async throws {
        let till = try await TestTill.open()
        let claimed = try await till.claim(till.created().link).get()
        #expect(claimed.allowedSecondFactors == [.pin, .biometric])
        till.server.beforeNextWrite { try await till.loseBiometricKey() }
        let confirmed = try await till.confirm(claimed).get()
        #expect(confirmed.allowedSecondFactors == [.pin])
        #expect(confirmed.challenge == nil)

        let other = try await TestTill.open()
        let created = try await other.created(by: .biometric)
        other.server.beforeNextWrite { try await other.loseBiometricKey() }
        let lacks = SecondFactorShortage(required: .biometric)
        #expect(try await other.claim(created.link).refusal == .refused(.noSecondFactor(lacks)))
        #expect(try await other.report(created.transactionID).status == .created)
    }

    @Test("attack: the locked PIN of one device fails no transaction that another device claimed")
    func othersLockedPIN() async throws {
        let till = try await TestTill.open()
        let eve = try await till.stranger()
        let confirmed = try await till.confirmed()
        let id = try #require(UniqueID(uuid: confirmed.transactionID.rawValue))
        try await till.server.context.database.write {
            try till.flows.ledger.fail(
                id, of: eve.id, on: $0, origin: TestServer.origin, arrival: till.server.clock.now())
        }
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
        let lacks = SecondFactorShortage(required: .pin, pin: .notSet)
        #expect(try await till.claim(created.link, by: bare).refusal == .refused(.noSecondFactor(lacks)))
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
        try await till.server.administer(["device", "suspend", till.phone.id.rawValue])
        #expect(try await till.sign(confirmed, assertion).refusal == .assertion(.deviceSuspended))
        await #expect(throws: PINRefusal.deviceSuspended) { try await till.claim(till.created().link) }
        try await till.server.administer(["device", "resume", till.phone.id.rawValue])
        try await till.server.administer(["device", "remove", till.phone.id.rawValue])
        #expect(try await till.sign(confirmed, assertion).refusal == .assertion(.invalidCredentials))
        #expect(try await till.report(confirmed.transactionID).status == .cancelled)
        #expect(try await till.proof(confirmed.transactionID).status == .cancelled)
    }
}
