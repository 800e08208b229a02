import Core
import Store
import Testing

@testable import Kernel

@Suite("The pause after an outage of a message service")
struct ServicePauseTests {
    private static let start = Timestamp(seconds: 1_800_000_000)

    private static func id(_ number: UInt8) throws -> UniqueID {
        try #require(UniqueID(bytes: [UInt8](repeating: number, count: 16)))
    }

    /// One that has begun.
    private func begun(retryAfter: Duration? = nil) throws -> ServicePause {
        var pause = ServicePause()
        let change = pause.noteOutage(of: [try Self.id(1), try Self.id(2)], retryAfter: retryAfter, at: Self.start)
        #expect(change == .began)
        return pause
    }

    @Test("After each failure the service is left alone for longer, up to 25 seconds, and then given one message")
    func growth() throws {
        var pause = try begun()
        var (now, lengths) = (Self.start, [Int64]())
        for number: UInt8 in 3...9 {
            let begin = now
            while pause.admission(at: now) == .nothing { now = now + .seconds(1) }
            #expect(pause.admission(at: now) == .one)
            lengths.append((now - begin).wholeSeconds)
            let change = pause.noteOutage(of: [try Self.id(number)], retryAfter: nil, at: now)
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

    @Test("One message that fails again and again is no outage, and a second one is")
    func single() throws {
        var pause = ServicePause()
        let (first, second) = (try Self.id(1), try Self.id(2))
        for _ in 0..<9 {
            #expect(pause.noteOutage(of: [first], retryAfter: nil, at: Self.start) == nil)
            #expect(pause.admission(at: Self.start) == .all)
        }
        #expect(pause.noteOutage(of: [second], retryAfter: nil, at: Self.start) == .began)
    }

    @Test("An answer between two failures keeps them from being an outage")
    func between() throws {
        var pause = ServicePause()
        let (first, second) = (try Self.id(1), try Self.id(2))
        #expect(pause.noteOutage(of: [first], retryAfter: nil, at: Self.start) == nil)
        #expect(pause.noteAnswer(at: Self.start) == nil)
        #expect(pause.noteOutage(of: [second], retryAfter: nil, at: Self.start) == nil)
        #expect(!pause.isPaused)
    }

    @Test("A service that asks for a pause gets it, for 25 seconds at most", arguments: [(10, 10), (3600, 25)])
    func retryAfter(_ asked: Int64, _ given: Int64) throws {
        let pause = try begun(retryAfter: .seconds(asked))
        #expect(pause.admission(at: Self.start + .seconds(given - 1)) == .nothing)
        #expect(pause.admission(at: Self.start + .seconds(given)) == .one)
    }

    @Test("A pause that began by a clock far ahead does not last when the clock is right again")
    func leap() throws {
        #expect(try begun().admission(at: Self.start - .days(40)) == .one)
    }
}
