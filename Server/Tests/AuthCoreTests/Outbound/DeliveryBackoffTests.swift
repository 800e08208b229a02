import Core
import Outbound
import Testing

@Suite("How long a message waits after an attempt that failed")
struct DeliveryBackoffTests {
    private func delay(_ attempts: Int64, retryAfter: Duration? = nil, random: UInt64 = 250) -> Duration {
        DeliveryBackoff.delay(after: attempts, retryAfter: retryAfter, random: random)
    }

    @Test("It doubles from five seconds up to an hour")
    func doubling() {
        #expect([1, 2, 3, 4].map { delay($0) } == [5, 10, 20, 40].map(Duration.seconds))
        #expect(delay(30) == .hours(1))
        #expect(delay(.max) == .hours(1))
        #expect(delay(0) == .seconds(5))
    }

    @Test("Chance makes it up to a quarter shorter or longer, so that not all are tried at once")
    func jitter() {
        #expect(delay(1, random: 0) == .milliseconds(3750))
        #expect(delay(1, random: 500) == .milliseconds(6250))
        let all = (0..<1000).map { delay(4, random: UInt64($0)) }
        #expect(all.allSatisfy { (Duration.seconds(30) ... .seconds(50)).contains($0) })
    }

    @Test("A receiver that asks for a pause gets it, for an hour at most")
    func retryAfter() {
        #expect(delay(1, retryAfter: .minutes(2)) == .minutes(2))
        #expect(delay(1, retryAfter: .seconds(1)) == .seconds(5))
        #expect(delay(1, retryAfter: .days(9)) == .hours(1))
    }
}
