import Core
import Store
import Testing

@testable import Kernel
@testable import Operations

@Suite("Lanes of receivers")
struct WebhookLaneTests {
    private let id = UniqueID(uuid: "018f0000-0000-7000-8000-000000000001")
    private let start = Timestamp(seconds: 1_800_000_000)

    @Test("A receiver has four lanes, and one while it fails, with a pause that grows with each failure after one")
    func lanes() throws {
        let (id, lanes) = (try #require(id), WebhookLanes())
        #expect((0..<6).map { _ in lanes.open(id, now: start) } == [true, true, true, true, false, false])
        #expect(lanes.looksAgain(id, now: start))
        #expect(!lanes.looksAgain(id, now: start))
        for _ in 0..<4 { lanes.close(id) }
        lanes.noteFailure(id, now: start)
        #expect(!lanes.open(id, now: start + .seconds(4)))
        #expect(lanes.open(id, now: start + .seconds(5)))
        #expect(!lanes.open(id, now: start + .seconds(5)))
        lanes.noteFailure(id, now: start + .seconds(5))
        #expect(!lanes.isOpen(id, now: start + .seconds(14)))
        #expect(lanes.isOpen(id, now: start + .seconds(15)))
        for number in Int64(1)...100 { lanes.noteFailure(id, now: start + .minutes(5 * number)) }
        #expect(!lanes.isOpen(id, now: start + .minutes(505) - .seconds(1)))
        #expect(lanes.isOpen(id, now: start + .minutes(505)))
        lanes.noteSuccess(id)
        #expect(lanes.isOpen(id, now: start))
        #expect(lanes.open(id, now: start))
    }

    @Test("Posts that fail together, in four lanes, begin one pause and not four")
    func burst() throws {
        let (id, lanes) = (try #require(id), WebhookLanes())
        for second in 0..<4 { lanes.noteFailure(id, now: start + .seconds(second)) }
        #expect(!lanes.isOpen(id, now: start + .seconds(4)))
        #expect(lanes.isOpen(id, now: start + .seconds(5)))
    }

    @Test("All receivers together have 64 lanes, so that they do not use up the server")
    func limit() throws {
        let lanes = WebhookLanes()
        let opened = try newReceivers(100).filter { id in
            guard lanes.open(id, now: start) else { return false }
            lanes.noteAnswer(of: id, after: .milliseconds(10))
            return true
        }
        #expect(opened.count == 64)
    }

    @Test("attack: sixteen receivers that never answer leave a lane to one that does")
    func hogs() throws {
        let (id, lanes) = (try #require(id), WebhookLanes())
        for hog in try newReceivers(16) { for _ in 0..<4 { _ = lanes.open(hog, now: start) } }
        #expect(lanes.open(id, now: start))
    }

    @Test("Slow receivers have two lanes each, half of the lanes together, and take turns")
    func slow() throws {
        let (id, lanes) = (try #require(id), WebhookLanes())
        let slow = try newReceivers(40)
        for id in slow {
            #expect(lanes.open(id, now: start))
            lanes.noteAnswer(of: id, after: .seconds(9))
            lanes.close(id)
        }
        #expect((0..<3).map { _ in lanes.open(slow[0], now: start) } == [true, true, false])
        #expect(slow[1...].filter { lanes.open($0, now: start) }.count == 30)
        // The others wait, so that a lane ends with its lease, and theirs is the next one.
        #expect(!lanes.isOpen(slow[0], now: start))
        #expect(lanes.close(slow[0]))
        let order = lanes.inTurn(slow)
        #expect(Set(order[..<9]) == Set(slow[31...]))
        #expect(order.filter { lanes.open($0, now: start) } == [slow[31]])
        // One that answers promptly waits for none of them.
        #expect(lanes.open(id, now: start))
    }

    @Test("Receivers of which nothing is known yet leave a share to those that answered promptly")
    func unproven() throws {
        let (id, lanes) = (try #require(id), WebhookLanes())
        #expect(lanes.open(id, now: start))
        lanes.noteAnswer(of: id, after: .milliseconds(10))
        lanes.close(id)
        #expect(try newReceivers(100).filter { lanes.open($0, now: start) }.count == 48)
        #expect(lanes.open(id, now: start))
    }

    private func newReceivers(_ count: Int) throws -> [UniqueID] {
        let random = SystemRandomBytes()
        return try (0..<count).map { _ in try random.uniqueID() }
    }
}
