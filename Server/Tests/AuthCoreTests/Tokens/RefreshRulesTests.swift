import Core
import Testing

@testable import Tokens

@Suite("The rules of refreshing")
struct RefreshRulesTests {
    private let now = Timestamp(seconds: 1_800_000_000)
    private let attempt = [UInt8](repeating: 1, count: 32)
    private let otherAttempt = [UInt8](repeating: 2, count: 32)

    private func facts(_ adjust: (inout RefreshFacts) -> Void = { _ in }) -> RefreshFacts {
        var facts = RefreshFacts(
            generation: 5, rotatedAt: now - .seconds(10), attemptHash: nil, expiresAt: now + .days(1),
            absoluteExpiresAt: now + .days(60), isRevoked: false)
        adjust(&facts)
        return facts
    }

    private func decide(
        _ facts: RefreshFacts, presented: UInt32, attempt: [UInt8]? = nil
    ) -> RefreshDecision {
        RefreshRules.decide(facts, presented: presented, attemptHash: attempt, now: now)
    }

    @Test("The living token rotates")
    func living() {
        #expect(decide(facts(), presented: 5) == .rotate)
    }

    @Test("The last generation that a token can name has no successor: the session is over")
    func lastGeneration() {
        #expect(decide(facts { $0.generation = .max }, presented: .max) == .refuse(.ended))
    }

    @Test("The token before it, without an attempt, is answered again for thirty seconds and is reuse after them")
    func grace() {
        #expect(decide(facts { $0.rotatedAt = now - .seconds(30) }, presented: 4) == .repeatAnswer)
        #expect(decide(facts { $0.rotatedAt = now - .milliseconds(30_001) }, presented: 4) == .reuse)
    }

    @Test("A rotation that another request's clock puts a moment ahead is still within grace")
    func skew() {
        #expect(decide(facts { $0.rotatedAt = now + .milliseconds(5) }, presented: 4) == .repeatAnswer)
    }

    @Test("A clock moved back by a day does not turn grace into forever")
    func clockMovedBack() {
        #expect(decide(facts { $0.rotatedAt = now + .days(1) }, presented: 4) == .reuse)
    }

    @Test("The attempt that rotated is answered again whenever it comes, another attempt is reuse at once")
    func attempts() {
        let rotated = facts {
            $0.attemptHash = attempt
            $0.rotatedAt = now - .days(20)
        }
        #expect(decide(rotated, presented: 4, attempt: attempt) == .repeatAnswer)
        #expect(decide(rotated, presented: 4, attempt: otherAttempt) == .reuse)
    }

    @Test("A thief who leaves the attempt out, or makes one up, is not taken for a standard client")
    func mixedAttempts() {
        #expect(decide(facts { $0.attemptHash = attempt }, presented: 4) == .reuse)
        #expect(decide(facts(), presented: 4, attempt: attempt) == .reuse)
    }

    @Test("Anything older than the token before is reuse, with whatever attempt", arguments: [0, 1, 3] as [UInt32])
    func older(generation: UInt32) {
        #expect(decide(facts(), presented: generation) == .reuse)
        #expect(decide(facts { $0.attemptHash = attempt }, presented: generation, attempt: attempt) == .reuse)
    }

    @Test("A generation above the row's, as after a restore, is refused without an alarm")
    func ahead() {
        #expect(decide(facts(), presented: 6) == .refuse(.ahead))
        #expect(decide(facts { $0.isRevoked = true }, presented: 9) == .refuse(.ahead))
    }

    @Test("An ended session refuses every token of its own without an alarm", arguments: [3, 4, 5] as [UInt32])
    func ended(generation: UInt32) {
        #expect(decide(facts { $0.isRevoked = true }, presented: generation) == .refuse(.ended))
        #expect(decide(facts { $0.expiresAt = now }, presented: generation) == .refuse(.ended))
        #expect(decide(facts { $0.absoluteExpiresAt = now }, presented: generation) == .refuse(.ended))
    }

    @Test("The sliding end never passes the absolute one")
    func sliding() {
        let end = now + .days(10)
        #expect(RefreshRules.slidingEnd(now: now, idle: .days(30), absoluteEnd: end) == end)
        #expect(RefreshRules.slidingEnd(now: now, idle: .days(3), absoluteEnd: end) == now + .days(3))
    }
}
