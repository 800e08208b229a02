import Core
import Testing

@testable import Kernel

@Suite("The pause after an outage of a push service")
struct ServicePauseTests {
    private static let start = Timestamp(seconds: 1_800_000_000)

    /// One that has begun.
    private func begun(retryAfter: Duration? = nil) throws -> ServicePause {
        var pause = ServicePause()
        let change = pause.noteOutage(of: ["aa", "bb"], retryAfter: retryAfter, at: Self.start)
        #expect(change == .began)
        return pause
    }

    @Test("After each failure the service is left alone for longer, up to 25 seconds, and then given a few pushes")
    func growth() throws {
        var pause = try begun()
        var (now, lengths) = (Self.start, [Int64]())
        for number in 3...9 {
            let begin = now
            while pause.admission(at: now) == .nothing { now = now + .seconds(1) }
            #expect(pause.admission(at: now) == .few)
            lengths.append((now - begin).wholeSeconds)
            let change = pause.noteOutage(of: ["device \(number)"], retryAfter: nil, at: now)
            #expect(change == nil)
        }
        #expect(lengths == [1, 2, 4, 8, 16, 25, 25])
    }

    @Test("An answer ends the pause at once, and says how long the outage was")
    func end() throws {
        var pause = try begun()
        #expect(pause.noteAnswer(at: Self.start + .seconds(95)) == .ended(after: .seconds(95)))
        #expect(pause.admission(at: Self.start) == .all)
        #expect(pause.noteAnswer(at: Self.start) == nil)
    }

    @Test("A single device whose pushes always fail is no outage, and a second one is")
    func single() throws {
        var pause = ServicePause()
        for _ in 0..<9 {
            #expect(pause.noteOutage(of: ["aa", "aa"], retryAfter: nil, at: Self.start) == nil)
            #expect(pause.admission(at: Self.start) == .all)
        }
        #expect(pause.noteOutage(of: ["bb"], retryAfter: nil, at: Self.start) == .began)
    }

    @Test("An answer between two failures keeps them from being an outage")
    func between() throws {
        var pause = ServicePause()
        #expect(pause.noteOutage(of: ["aa"], retryAfter: nil, at: Self.start) == nil)
        #expect(pause.noteAnswer(at: Self.start) == nil)
        #expect(pause.noteOutage(of: ["bb"], retryAfter: nil, at: Self.start) == nil)
        #expect(!pause.isPaused)
    }

    @Test("A service that asks for a pause gets it, for 25 seconds at most", arguments: [(10, 10), (3600, 25)])
    func retryAfter(_ asked: Int64, _ given: Int64) throws {
        let pause = try begun(retryAfter: .seconds(asked))
        #expect(pause.admission(at: Self.start + .seconds(given - 1)) == .nothing)
        #expect(pause.admission(at: Self.start + .seconds(given)) == .few)
    }

    @Test("A pause that began by a clock far ahead does not last when the clock is right again")
    func leap() throws {
        #expect(try begun().admission(at: Self.start - .days(40)) == .few)
    }
}
