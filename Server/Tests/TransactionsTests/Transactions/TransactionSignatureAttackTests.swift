import Core
import FlowSupport
import Testing
import WalletAuthWire

@testable import SignIn
@testable import Transactions
@testable import WalletAuthPIN

@Suite("Signatures of transactions under attack")
struct TransactionSignatureAttackTests {
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
            #expect(try await till.sign(confirmed, assertion).refusal == .assertion(.invalidCredentials))
        }
        let signIn = try await till.phone.signInAssertion(TestTill.pin)
        #expect(try await till.sign(confirmed, signIn).refusal == .assertion(.invalidCredentials))
        let other = try await till.confirmed()
        let forOther = try await till.byPIN(other)
        #expect(try await till.sign(confirmed, forOther).refusal == .assertion(.invalidCredentials))
        #expect(try await till.report(id).status == .confirmed)
    }

    @Test("attack: a signature by another biometric key, or by the device's key alone, signs nothing")
    func otherKeys() async throws {
        let till = try await TestTill.open()
        let confirmed = try await till.confirmed()
        for key in [TestKey(), till.phone.device.deviceKey] {
            let assertion = try await till.byBiometrics(confirmed, key: key)
            #expect(try await till.sign(confirmed, assertion).refusal == .assertion(.invalidCredentials))
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
        "attack: a transaction that was cancelled or has expired is signed by no factor, and a signed one not again",
        .threat("Attacks on transactions")
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
        #expect(try await till.sign(second, till.byBiometrics(second)).refusal == .assertion(.invalidCredentials))
    }

    @Test("attack: a challenge of one transaction signs no other, also before it was used")
    func othersChallenge() async throws {
        let till = try await TestTill.open()
        let first = try await till.confirmed()
        var second = try await till.confirmed()
        let own = second
        second.challenge = first.challenge
        #expect(try await till.sign(second, till.byBiometrics(second)).refusal == .assertion(.invalidCredentials))
        _ = try await till.sign(own, till.byBiometrics(own)).get()
    }

    @Test("attack: without the device's key one cannot learn whether it claimed a transaction, or that one is over")
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
            #expect(try await till.sign(transaction, stranger).refusal == .assertion(.invalidCredentials))
            let own = try await till.byBiometrics(transaction)
            var other = transaction
            other.transactionID = try TransactionID("0190b3f2-0000-7000-8000-00000000002a")
            #expect(try await till.sign(other, own).refusal == .assertion(.invalidCredentials))
        }
        #expect(try await till.sign(over, kept).refusal == .refused(.over(.cancelled)))
        till.server.clock.advance(by: .minutes(10))
        #expect(try await till.sign(over, kept).refusal == .assertion(.invalidCredentials))
    }

    @Test("Only the phone whose challenge is over learns that its transaction is over")
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
        #expect(try await till.sign(signed, stranger).refusal == .assertion(.invalidCredentials))
    }

    @Test(
        "attack: an assertion that grows too old while it waits for its write signs nothing, so that every signature can be proved",
        arguments: [false, true])
    func outdated(byPIN: Bool) async throws {
        let till = try await TestTill.open()
        // As old as a verifier takes it: 5 minutes and 30 seconds.
        @Sendable func oldest(_ transaction: DeviceTransaction) async throws -> SignedAssertion {
            let age = Duration.seconds(330)
            return byPIN
                ? try await till.byPIN(transaction, age: age) : try await till.byBiometrics(transaction, age: age)
        }
        let punctual = try await till.confirmed()
        _ = try await till.sign(punctual, oldest(punctual)).get()
        #expect(try await till.proof(punctual.transactionID).status == .signed)

        let confirmed = try await till.confirmed()
        let assertion = try await oldest(confirmed)
        till.server.beforeNextWrite { till.server.clock.advance(by: .seconds(1)) }
        #expect(try await till.sign(confirmed, assertion).refusal == .assertion(.invalidCredentials))
        #expect(try await till.report(confirmed.transactionID).status == .confirmed)
        // The refusal used up neither the transaction nor the challenge.
        _ = try await till.sign(confirmed, byPIN ? till.byPIN(confirmed) : till.byBiometrics(confirmed)).get()
        #expect(try await till.proof(confirmed.transactionID).status == .signed)
    }

    @Test("A transaction that expired while its assertion grew too old is over", arguments: [false, true])
    func outdatedAndExpired(byPIN: Bool) async throws {
        let till = try await TestTill.open()
        let confirmed = try await till.confirmed(expiresIn: 30)
        let age = Duration.seconds(330)
        let assertion =
            byPIN ? try await till.byPIN(confirmed, age: age) : try await till.byBiometrics(confirmed, age: age)
        till.server.beforeNextWrite { till.server.clock.advance(by: .seconds(30)) }
        #expect(try await till.sign(confirmed, assertion).refusal == .refused(.over(.expired)))
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

    @Test(
        "attack: no assertion that is sent twice gets the response of a write that was undone",
        .threat("Attacks on transactions"),
        arguments: [false, true])
    func undoneWrite(byPIN: Bool) async throws {
        let till = try await TestTill.open()
        let confirmed = try await till.confirmed()
        let assertion = try await byPIN ? till.byPIN(confirmed) : till.byBiometrics(confirmed)
        // It is signed in a run that is undone. Then the backend cancels, and the other one uses up the challenge.
        till.server.undoNextWrite {
            try await till.cancel(confirmed.transactionID).get()
            #expect(try await till.sign(confirmed, assertion).refusal == .refused(.over(.cancelled)))
        }
        #expect(try await till.sign(confirmed, assertion).refusal == .refused(.over(.cancelled)))
        #expect(try await till.report(confirmed.transactionID).status == .cancelled)
    }

    @Test("attack: a biometric key that was taken away while it was checked signs nothing")
    func removedKey() async throws {
        let till = try await TestTill.open()
        let confirmed = try await till.confirmed()
        let assertion = try await till.byBiometrics(confirmed)
        till.server.beforeNextWrite { try await till.loseBiometricKey() }
        #expect(try await till.sign(confirmed, assertion).refusal == .refused(.secondFactorUnavailable))
        #expect(try await till.report(confirmed.transactionID).status == .confirmed)
    }
}
