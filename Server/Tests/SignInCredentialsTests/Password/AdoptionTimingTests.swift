import Kernel
import Testing

@Suite("How long a check of a former system holds")
struct AdoptionTimingTests {
    @Test("Checks that follow each other hold longer and longer, up to half a minute, and a pause starts over")
    func lifetimes() {
        let timing = AdoptionTiming()
        var (lifetime, lifetimes) = (timing.checkLifetime, [Duration]())
        for _ in 0..<4 {
            // As soon as it has ended, and as late as it still counts as following.
            lifetime = timing.checkLifetime(after: lifetime, age: lifetime + (lifetimes.isEmpty ? .zero : .seconds(29)))
            lifetimes.append(lifetime)
        }
        #expect(lifetimes == [.seconds(10), .seconds(20), .seconds(30), .seconds(30)])
        #expect(timing.checkLifetime(after: lifetime, age: .seconds(60)) == .seconds(5))
    }
}
