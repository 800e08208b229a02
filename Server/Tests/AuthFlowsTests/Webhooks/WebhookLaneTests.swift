import Core
import Store
import Testing

@testable import Kernel
@testable import Operations

@Suite("Lanes of receivers")
struct WebhookLaneTests {
    private let id = UniqueID(uuid: "018f0000-0000-7000-8000-000000000001")
    private let start = Timestamp(seconds: 1_800_000_000)

    @Test("A receiver has four lanes, and one while it fails, with a growing pause after each failure")
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
        for _ in 0..<100 { lanes.noteFailure(id, now: start) }
        #expect(lanes.isOpen(id, now: start + .minutes(5)))
        lanes.noteSuccess(id)
        #expect(lanes.isOpen(id, now: start))
        #expect(lanes.open(id, now: start))
    }

    @Test("All receivers together have 64 lanes, so that slow ones do not use up the server")
    func limit() throws {
        let lanes = WebhookLanes()
        let random = SystemRandomBytes()
        let opened = try (0..<100).map { _ in lanes.open(try random.uniqueID(), now: start) }
        #expect(opened.filter(\.self).count == 64)
    }
}
