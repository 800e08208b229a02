import Core
import Testing
import WalletAuthWire

@testable import SignIn

/// The machine as the server runs it: charges of thirty days, the open attempt, the keys of epochs, and what comes to an end.
@Suite("The PIN of a device")
struct DevicePINTests {
    private let one = PINEpoch.first
    private let two: PINEpoch
    private let now = Timestamp(seconds: 1_800_000_000)

    init() throws { two = try PINParty.epoch(2) }

    private func id(_ number: Int) throws -> ChallengeID { try ChallengeID("challenge-\(number)") }

    /// A PIN in use, set at ``now``.
    private func active() throws -> DevicePIN {
        let pending = try #require(DevicePIN().beginning(one, key: [1], now: now))
        let challenge = try PINParty().challenge(.enroll(one), id: "challenge-0")
        return try #require(pending.succeeding(challenge, newKey: [11], now: now))
    }

    private func charged(_ pin: DevicePIN, _ number: Int, at time: Timestamp) throws -> DevicePIN {
        guard case .charged(let next, _) = pin.charging(try id(number), epoch: one, now: time) else {
            Issue.record("attempt \(number) is refused")
            return pin
        }
        return next
    }

    private func use(_ number: Int) throws -> PINChallenge {
        let act = DeviceAssertion.Act.login(.key(try PINParty().jwk.thumbprint))
        return try PINParty().challenge(.use(PINUse(act), one), id: "challenge-\(number)")
    }

    @Test("A first PIN takes the first epoch, and its keys come into use with it")
    func first() throws {
        #expect(DevicePIN().nextEpoch == one)
        let pin = try active()
        #expect(pin.state == .active(one, failed: 0))
        #expect((pin.evaluationKey, pin.publicKey, pin.pendingEvaluationKey) == ([1], [11], nil))
        #expect(pin.nextEpoch == two)
        #expect(pin.status(at: now) == .active)
    }

    @Test("A number that another request took begins nothing")
    func overtaken() throws {
        let pin = try active()
        #expect(pin.beginning(one, key: [2], now: now) == nil)
        #expect(try pin.beginning(PINParty.epoch(3), key: [2], now: now) == nil)
        let changing = try #require(pin.beginning(two, key: [2], now: now))
        #expect(changing.state == .changing(one, failed: 0, to: two))
        #expect((changing.evaluationKey, changing.pendingEvaluationKey) == ([1], [2]))
    }

    @Test("A change puts the new keys in the place of the old ones, which are gone")
    func change() throws {
        let challenge = try PINParty().challenge(.change(one, to: two), id: "challenge-1")
        var pin = try charged(active(), 1, at: now)
        pin = try #require(pin.beginning(two, key: [2], now: now))
        let changed = try #require(pin.succeeding(challenge, newKey: [22], now: now))
        #expect(changed.state == .active(two, failed: 0))
        #expect((changed.evaluationKey, changed.publicKey, changed.pendingEvaluationKey) == ([2], [22], nil))
        #expect(changed.charges.isEmpty)
    }

    @Test("A success gives back its own charge alone; the others stay for thirty days")
    func success() throws {
        var pin = try active()
        for number in 1...3 { pin = try charged(pin, number, at: now) }
        pin = try #require(try pin.succeeding(use(3), newKey: nil, now: now))
        #expect(pin.state == .active(one, failed: 0))
        #expect(pin.charges.map(\.challenge) == [try id(1), try id(2)])
        #expect(pin.triesLeft(at: now) == 5)
    }

    @Test("The fifth attempt locks nothing while its assertion may still arrive, and locks once when it fails")
    func openTry() throws {
        var pin = try active()
        for number in 1...5 { pin = try charged(pin, number, at: now) }
        guard case .refused(.locked, let waiting, let none) = pin.charging(try id(6), epoch: one, now: now) else {
            Issue.record("a sixth attempt is charged")
            return
        }
        #expect(waiting == pin)
        #expect(none.isEmpty)
        #expect(pin.canAssert(at: now))
        #expect(try pin.succeeding(use(5), newKey: nil, now: now)?.state == .active(one, failed: 0))
        let (locked, ends) = pin.failing(now: now)
        #expect(locked.state == .locked(one))
        #expect(ends == [.locked])
        #expect(locked.failing(now: now).1.isEmpty)
        #expect(!locked.canAssert(at: now))
        #expect(locked.status(at: now) == .locked(.tooManyTries))
    }

    @Test("A fifth attempt whose challenge has expired locks with the next request")
    func expiredTry() throws {
        var pin = try active()
        for number in 1...5 { pin = try charged(pin, number, at: now) }
        let later = now + PINLimits.challengeLifetime
        #expect(!pin.canAssert(at: later))
        guard case .refused(.locked, let locked, let ends) = pin.charging(try id(6), epoch: one, now: later) else {
            Issue.record("a sixth attempt is charged")
            return
        }
        #expect(locked.state == .locked(one))
        #expect(ends == [.locked])
    }

    @Test("After a fifth attempt without an answer, a request for another epoch reads that the PIN is locked")
    func expiredTryOfAnotherEpoch() throws {
        var pin = try active()
        for number in 1...5 { pin = try charged(pin, number, at: now) }
        let later = now + PINLimits.challengeLifetime
        let other = try #require(one.next)
        guard case .refused(let refusal, let locked, let ends) = pin.charging(try id(6), epoch: other, now: later)
        else {
            Issue.record("a sixth attempt is charged")
            return
        }
        #expect(refusal == .locked(.tooManyTries))
        #expect(locked.state == .locked(one))
        #expect(ends == [.locked])
    }

    @Test("Thirty charges without success pause the PIN until the first is thirty days old, and are recorded once")
    func window() throws {
        var pin = try active()
        for number in 1...29 {
            let time = now + .minutes(Int64(number))
            // Every second one succeeds, so that five are never wrong in a row, and takes another charge with it.
            pin = try charged(pin, 100 + number, at: time)
            pin = try charged(pin, 200 + number, at: time)
            pin = try #require(try pin.succeeding(use(200 + number), newKey: nil, now: time))
        }
        let last = now + .minutes(30)
        pin = try charged(pin, 130, at: last)
        #expect(pin.state == .active(one, failed: 1))
        #expect(pin.exhaustedUntil(last) == now + .minutes(1) + PINLimits.window)
        let (paused, ends) = pin.failing(now: last)
        #expect(ends == [.exhausted])
        #expect(paused.failing(now: last).1.isEmpty)
        #expect(paused.status(at: last) == .exhausted(until: now + .minutes(1) + PINLimits.window))
        guard case .refused(.exhausted, _, _) = paused.charging(try id(1), epoch: one, now: last) else {
            Issue.record("a charge beyond thirty")
            return
        }
        // The record is cleared by the next charge.
        let free = try charged(paused, 1, at: now + .minutes(1) + PINLimits.window)
        #expect(free.exhaustedAt == nil)
    }

    @Test("The thirtieth charge in thirty days that is the fifth in a row as well ends in both")
    func both() throws {
        var pin = try active()
        for number in 1...25 {
            pin = try charged(pin, 100 + number, at: now)
            pin = try charged(pin, 200 + number, at: now)
            pin = try #require(try pin.succeeding(use(200 + number), newKey: nil, now: now))
        }
        for number in 1...5 { pin = try charged(pin, number, at: now) }
        #expect(pin.failing(now: now).1 == [.locked, .exhausted])
    }

    @Test("A PIN that a restore locked stays so, whatever is asked of it, until another one is set")
    func restored() throws {
        var pin = PINParty.pin(.locked(one, .restore))
        pin.lastEpoch = one
        guard case .refused(.locked(.restore), let same, let ends) = pin.charging(try id(1), epoch: one, now: now)
        else {
            Issue.record("a locked PIN is charged")
            return
        }
        #expect(same == pin)
        #expect(ends.isEmpty)
        let replacing = try #require(pin.beginning(two, key: [2], now: now))
        #expect(replacing.state == .replacing(one, with: two, .restore))
        #expect(replacing.status(at: now) == .locked(.restore))
        #expect(replacing.failing(now: now).0.state == replacing.state)
        let challenge = try PINParty().challenge(.enroll(two), id: "challenge-1")
        #expect(replacing.succeeding(challenge, newKey: [22], now: now)?.state == .active(two, failed: 0))
    }

    @Test("attack: forgetting a PIN gives no charge back, and its epoch is never used again (guessing on)")
    func forgotten() throws {
        let pin = try #require(try charged(active(), 1, at: now).forgetting(now: now))
        #expect(pin.state == .none)
        #expect(pin.charges.count == 1)
        #expect(pin.nextEpoch == two)
        #expect((pin.evaluationKey, pin.publicKey, pin.pendingEvaluationKey) == (nil, nil, nil))
        #expect(pin.status(at: now) == .unset)
        #expect(pin.forgetting(now: now) == nil)
    }
}
