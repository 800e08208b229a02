import Core
import Kernel
import Testing
import WalletAuthWire

@testable import Consent

@Suite("A payment consent on its way", .article("4(1) two elements"))
struct SCAEventTests {
    private let start = Timestamp(seconds: 1_800_000_000)
    private var end: Timestamp { start + SCALimits.eventLifetime }

    private func event(_ state: SCAEvent.State = .open, sends: Int = 0) -> SCAEvent {
        SCAEvent(state: state, proofs: [], spent: 0, wrong: 0, sends: sends, sentAt: nil, expiresAt: end)
    }

    private func challenged(_ way: SCAVerification = .sms) throws -> SCAEvent {
        try event().challenging(way, now: start).nextEvent()
    }

    private func reserved(_ event: SCAEvent, _ way: SCAVerification = .sms, at now: Timestamp) throws -> SCAEvent {
        try event.reserving(way, now: now).nextEvent()
    }

    /// Every state there is, by name.
    private func everyState() -> [String: SCAEvent] {
        [
            "open": event(),
            "challenged": event(.challenged(.init(.sms, codeExpiresAt: start + .minutes(5)))),
            "verified": event(.verified(at: start)), "used": event(.used(at: start)), "locked": event(.locked),
            "cancelled": event(.cancelled),
        ]
    }

    @Test("A challenge can be asked for while nothing is decided, and in no other state")
    func challengingByState() {
        let out = everyState().mapValues { $0.challenging(.email, now: start) }
        #expect(
            out.compactMapValues { if case .challenged = $0 { "challenged" } else { nil } }.keys.sorted()
                == ["challenged", "open"])
        #expect(out["verified"] == .verified)
        #expect(out["used"] == .over(.used))
        #expect(out["locked"] == .over(.locked))
        #expect(out["cancelled"] == .over(.cancelled))
    }

    @Test("A value is compared where its way is challenged, and nowhere else; nothing else costs a try")
    func reservingByState() throws {
        let out = everyState().mapValues { $0.reserving(.sms, now: start) }
        #expect(out["open"] == .notChallenged)
        #expect(out["verified"] == .verified)
        #expect(out["used"] == .over(.used))
        #expect(out["locked"] == .over(.locked))
        #expect(out["cancelled"] == .over(.cancelled))
        let next = try #require(out["challenged"]).nextEvent()
        #expect(next.spent == 1)
        #expect(next.remainingAttempts == 4)
    }

    @Test("Another method or channel than the one challenged costs nothing")
    func anotherWay() throws {
        let event = try challenged(.sms)
        for way in SCAVerification.all where way != .sms {
            #expect(event.reserving(way, now: start) == .notChallenged)
        }
    }

    @Test("Another device may approve as long as the event lasts; push messages are as few, and as far apart, as codes")
    func push() throws {
        var event = try challenged(.push)
        #expect(event.state == .challenged(.init(.push)))
        #expect(event.challenging(.push, now: start) == .sentAlready(.init(.push), next: start + SCALimits.interval))
        #expect(event.challenging(.sms, now: start) == .tooSoon(next: start + SCALimits.interval))
        _ = try reserved(event, .push, at: end - .seconds(1))
        for number in 1..<SCALimits.sends {
            event = try event.challenging(.push, now: start + SCALimits.interval * number).nextEvent()
        }
        #expect(event.challenging(.push, now: start + SCALimits.interval * SCALimits.sends) == .noCodeLeft)
        let other = try event.challenging(.password, now: start + SCALimits.interval * SCALimits.sends).nextEvent()
        #expect(other.reserving(.push, now: start + SCALimits.interval * SCALimits.sends) == .notChallenged)
    }

    @Test("A right value proves nothing unless its way is challenged at that moment")
    func provingByState() {
        let proof = SCAEvent.Proof(.sms, methods: ["sms"], at: start)
        for (name, event) in everyState() where name != "challenged" {
            #expect(event.proving(proof, beside: ["pwd"], now: start) == .late, "\(name)")
        }
    }

    @Test("It is carried out once, and only after the person agreed")
    func consumingByState() {
        let out = everyState().mapValues { $0.consuming(now: start) }
        #expect(out["open"] == .notVerified)
        #expect(out["challenged"] == .notVerified)
        #expect(out["used"] == .alreadyUsed)
        #expect(out["locked"] == .over(.locked))
        #expect(out["cancelled"] == .over(.cancelled))
        guard case .authorized(let used)? = out["verified"] else {
            Issue.record("expected an authorization, got \(String(describing: out["verified"]))")
            return
        }
        #expect(used.consuming(now: start) == .alreadyUsed)
    }

    @Test("What is not over can be taken back; what was carried out cannot")
    func cancellingByState() {
        let taken = everyState().compactMapValues { $0.cancelling(now: start) }
        #expect(taken.keys.sorted() == ["challenged", "open", "verified"])
        #expect(taken.values.allSatisfy { $0.state == .cancelled })
    }

    @Test("A wrong value counts while nothing is decided; of what is decided it changes nothing")
    func failingByState() {
        for (name, event) in everyState() {
            let next = event.failing()
            guard ["open", "challenged"].contains(name) else {
                #expect(next == event, "\(name)")
                continue
            }
            #expect(next.wrong == 1, "\(name)")
            #expect(next.state == event.state, "\(name)")
        }
    }

    @Test("Tries that died with their process lock what is challenged, and nothing that is open or decided")
    func abandoningByState() {
        for (name, event) in everyState() {
            let died = SCAEvent(
                state: event.state, proofs: [], spent: 5, wrong: 4, sends: 1, sentAt: start, expiresAt: end,
                challenges: 1, triedAt: start)
            let state: SCAEvent.State? = name == "challenged" ? .locked : nil
            #expect(died.abandoning(now: start + SCALimits.comparison)?.state == state, "\(name)")
        }
    }

    @Test("When its time is over nothing goes any more, but what was carried out stays so")
    func expired() {
        for (name, event) in everyState() where ["open", "challenged", "verified"].contains(name) {
            #expect(event.status(at: end) == .over(.expired), "\(name)")
            #expect(event.challenging(.sms, now: end) == .over(.expired))
            #expect(event.reserving(.sms, now: end) == .over(.expired))
            #expect(event.consuming(now: end) == .over(.expired))
            #expect(event.cancelling(now: end) == nil)
        }
        #expect(everyState()["used"]?.status(at: end) == .over(.used))
    }

    @Test("The fifth wrong value locks; four leave the last try, which may be right")
    func fiveWrong() throws {
        var event = try challenged()
        for number in 1...4 {
            event = try reserved(event, at: start).failing()
            #expect(event.remainingAttempts == 5 - number)
            #expect(event.status(at: start) == .pending(.init(.sms, codeExpiresAt: start + .minutes(5))))
        }
        let last = try reserved(event, at: start)
        #expect(last.failing().state == .locked)
        let proof = SCAEvent.Proof(.sms, methods: ["sms"], at: start)
        let verified = try last.proving(proof, beside: ["pwd"], now: start).verifiedEvent()
        #expect(verified.state == .verified(at: start))
    }

    @Test("While five values are compared no sixth is, though nothing is locked yet")
    func sixthInFlight() throws {
        var event = try challenged()
        for _ in 1...5 { event = try reserved(event, at: start) }
        #expect(event.reserving(.sms, now: start) == .over(.locked))
        #expect(event.state != .locked)
        // One of the five was right: the wrong ones in parallel undo nothing.
        let proof = SCAEvent.Proof(.sms, methods: ["sms"], at: start)
        let verified = try event.proving(proof, beside: ["pwd"], now: start).verifiedEvent()
        #expect(verified.failing() == verified)
    }

    @Test("Having another code sent keeps the count of wrong values")
    func resendKeepsCount() throws {
        let once = try reserved(challenged(), at: start).failing()
        let again = try once.challenging(.sms, now: start + .seconds(30)).nextEvent()
        #expect(again.spent == 1)
        #expect(again.sends == 2)
    }

    @Test("A code is sent at most every thirty seconds, and three times; a way without a code is always free")
    func sending() throws {
        let first = try challenged()
        #expect(
            first.challenging(.sms, now: start + .seconds(29))
                == .sentAlready(.init(.sms, codeExpiresAt: start + .minutes(5)), next: start + .seconds(30)))
        var event = first
        for number in 2...3 {
            let now = start + .seconds(Int64(30 * number))
            let next = try event.challenging(.sms, now: now).nextEvent()
            event = next
        }
        let later = start + .minutes(3)
        #expect(event.challenging(.sms, now: later) == .noCodeLeft)
        #expect(event.challenging(.email, now: later) == .noCodeLeft)
        try event.challenging(.devicePIN, now: later).nextEvent()
    }

    @Test("attack: thirty seconds between codes are not gone around by challenging another way in between")
    func codesApart() throws {
        let first = try challenged()
        let other = try first.challenging(.authenticator, now: start).nextEvent()
        for way in [SCAVerification.sms, .email] {
            #expect(other.challenging(way, now: start + .seconds(29)) == .tooSoon(next: start + .seconds(30)))
            try other.challenging(way, now: start + .seconds(30)).nextEvent()
        }
        #expect(first.challenging(.email, now: start) == .tooSoon(next: start + .seconds(30)))
    }

    @Test("attack: an event is not challenged without end; what was challenged last can still be answered")
    func challengedWithoutEnd() throws {
        var event = self.event()
        for _ in 1...SCALimits.challenges {
            let next = try event.challenging(.authenticator, now: start).nextEvent()
            event = next
        }
        #expect(event.challenging(.authenticator, now: start) == .noChallengeLeft)
        #expect(event.challenging(.sms, now: start) == .noChallengeLeft)
        _ = try reserved(event, .authenticator, at: start)
    }

    @Test("The try of a value that came late is given back, and none that was found wrong")
    func released() throws {
        let wrong = try reserved(challenged(), at: start).failing()
        let late = try reserved(wrong, at: start)
        #expect(late.spent == 2)
        #expect(late.releasing().spent == 1)
        #expect(late.releasing().releasing().spent == 1)
    }

    @Test("attack: an event whose tries died with their process is locked, once none of them can be compared any more")
    func abandoned() throws {
        var event = try challenged()
        for _ in 1...5 { event = try reserved(event, at: start) }
        #expect(event.abandoning(now: start + .seconds(59)) == nil)
        let locked = try #require(event.abandoning(now: start + .minutes(1)))
        #expect(locked.state == .locked)
        #expect(locked.wrong == 5)
        let four = try reserved(reserved(challenged(), at: start), at: start)
        #expect(four.abandoning(now: start + .minutes(2)) == nil)
    }

    @Test("A value sent again before its result is known costs no further try, and its result counts once")
    func sentAgain() throws {
        let value = [UInt8](repeating: 1, count: 32)
        let once = try challenged().reserving(.sms, value: value, now: start).nextEvent()
        let later = start + .minutes(2)
        let again = try #require(once.reserving(.sms, value: value, now: later).repeatedEvent())
        #expect(again.spent == 1)
        #expect(again.triedAt == later)
        let settled = try #require(again.settling(value))
        #expect(settled.failing().remainingAttempts == 4)
        #expect(settled.settling(value) == nil)
        // Once its result is known, it is another try.
        let third = try settled.failing().reserving(.sms, value: value, now: later).nextEvent()
        #expect(third.remainingAttempts == 3)
    }

    @Test("The last try is compared again, where another value is refused")
    func lastTryAgain() throws {
        var event = try challenged()
        for number in UInt8(1)...5 {
            event = try event.reserving(.sms, value: [UInt8](repeating: number, count: 32), now: start).nextEvent()
        }
        #expect(event.reserving(.sms, value: [UInt8](repeating: 5, count: 32), now: start).repeatedEvent() != nil)
        #expect(event.reserving(.sms, value: [UInt8](repeating: 6, count: 32), now: start) == .over(.locked))
    }

    @Test("A code is good for five minutes, and never longer than its event; an old one costs nothing")
    func codeLifetime() throws {
        let event = try challenged()
        #expect(event.reserving(.sms, now: start + .minutes(5)) == .codeExpired)
        let late = end - .minutes(1)
        let next = try self.event().challenging(.sms, now: late).nextEvent()
        #expect(next.state == .challenged(.init(.sms, codeExpiresAt: end)))
    }

    @Test(
        "Two categories: a code is enough after a sign-in by password, but not after one by code, and not without one",
        arguments: [
            (["pwd"], true), (["pin"], true), (["otp"], false), ([], false), (["kba"], false), (["nonce"], false),
        ])
    func categories(signIn: [String], isEnough: Bool) throws {
        let event = try reserved(challenged(), at: start)
        let proof = SCAEvent.Proof(.sms, methods: ["sms"], at: start)
        switch event.proving(proof, beside: signIn, now: start) {
        case .verified: #expect(isEnough)
        case .additionalFactorRequired(let next):
            #expect(!isEnough)
            #expect(next.state == .open)
            #expect(next.spent == 0)
        case .late: Issue.record("expected a decision, got a late proof")
        }
    }

    @Test("A device's PIN is two categories by itself: the key that is had, the digits that are known")
    func deviceAlone() throws {
        let event = try reserved(challenged(.devicePIN), .devicePIN, at: start)
        let proof = SCAEvent.Proof(.devicePIN, methods: ["swk", "pin"], at: start)
        try event.proving(proof, beside: [], now: start).verifiedEvent()
    }

    @Test("Two factors proved one after the other complete each other, also when the session was idle")
    func twoSteps() throws {
        let first = try reserved(challenged(), at: start)
        let half = try first.proving(.init(.sms, methods: ["sms"], at: start), beside: [], now: start).unfinishedEvent()
        let asked = try half.challenging(.password, now: start).nextEvent()
        let second = try reserved(asked, .password, at: start)
        let done = try second.proving(.init(.password, methods: ["pwd"], at: start), beside: [], now: start)
            .verifiedEvent()
        #expect(done.methods == ["sms", "pwd"])
        // From the consent on there are five minutes to carry it out.
        #expect(done.expiresAt == start + .minutes(5))
        #expect(done.consuming(now: start + .minutes(5)) == .over(.expired))
    }

    @Test("The same factor twice is one category")
    func sameFactorTwice() throws {
        let first = try reserved(challenged(), at: start)
        let half = try first.proving(.init(.sms, methods: ["sms"], at: start), beside: [], now: start).unfinishedEvent()
        let asked = try half.challenging(.authenticator, now: start).nextEvent()
        let second = try reserved(asked, .authenticator, at: start)
        try second.proving(.init(.authenticator, methods: ["otp"], at: start), beside: [], now: start).unfinishedEvent()
    }

    @Test("attack: a clock set back by a day does not give an event another day; by a moment it changes nothing")
    func clockSetBack() throws {
        let open = event()
        let agreed = SCAEvent(
            state: .verified(at: start), proofs: [], spent: 0, wrong: 0, sends: 0, sentAt: nil,
            expiresAt: start + SCALimits.consentLifetime)
        let exempt = SCAEvent(exemptAt: start)
        for event in [open, agreed, exempt] {
            #expect(event.status(at: start - .days(1)) == .over(.expired))
            #expect(event.status(at: start - SCALimits.clockTolerance) != .over(.expired))
            #expect(
                event.status(at: start - SCALimits.clockTolerance - .milliseconds(1)) == .over(.expired))
        }
        #expect(agreed.consuming(now: start - .days(1)) == .over(.expired))
        #expect(open.challenging(.sms, now: start - .days(1)) == .over(.expired))
    }
}

/// Each returns the event of the outcome that a test expects, or records the outcome that came instead and ends the test.
extension SCAEvent.Challenging {
    @discardableResult
    fileprivate func nextEvent(sourceLocation: SourceLocation = #_sourceLocation) throws -> SCAEvent {
        let event: SCAEvent? = if case .challenged(let found) = self { found } else { nil }
        return try #require(event, "expected a challenge, got \(self)", sourceLocation: sourceLocation)
    }
}

extension SCAEvent.Reservation {
    fileprivate func nextEvent(sourceLocation: SourceLocation = #_sourceLocation) throws -> SCAEvent {
        let event: SCAEvent? = if case .compare(let found) = self { found } else { nil }
        return try #require(event, "expected a value to compare, got \(self)", sourceLocation: sourceLocation)
    }

    fileprivate func repeatedEvent() -> SCAEvent? {
        if case .compareAgain(let found) = self { found } else { nil }
    }
}

extension SCAEvent.Proving {
    @discardableResult
    fileprivate func verifiedEvent(sourceLocation: SourceLocation = #_sourceLocation) throws -> SCAEvent {
        let event: SCAEvent? = if case .verified(let found) = self { found } else { nil }
        return try #require(event, "expected a consent, got \(self)", sourceLocation: sourceLocation)
    }

    @discardableResult
    fileprivate func unfinishedEvent(sourceLocation: SourceLocation = #_sourceLocation) throws -> SCAEvent {
        let event: SCAEvent? = if case .additionalFactorRequired(let found) = self { found } else { nil }
        return try #require(event, "expected to need another factor, got \(self)", sourceLocation: sourceLocation)
    }
}
