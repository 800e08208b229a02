import Outbound
import Testing

@Suite("A deadline")
struct DeadlineTests {
    @Test("A result that comes after the deadline is handed over to be closed, and the caller gets a timeout")
    func late() async throws {
        let (never, source) = AsyncStream.makeStream(of: Void.self)
        let (discarded, sink) = AsyncStream.makeStream(of: Int.self)
        await #expect(throws: OutboundFault.timeout) {
            try await within(.now) {
                // Ends when the deadline cancels it, and answers all the same.
                for await _ in never {}
                return 7
            } discard: {
                sink.yield($0)
                sink.finish()
            }
        }
        var late: [Int] = []
        for await value in discarded { late.append(value) }
        #expect(late == [7])
        source.finish()
    }

    @Test("A result in time is the caller's alone")
    func inTime() async throws {
        let (discarded, sink) = AsyncStream.makeStream(of: Int.self)
        let value = try await within(.now + .seconds(300)) {
            7
        } discard: {
            sink.yield($0)
        }
        #expect(value == 7)
        sink.finish()
        var late: [Int] = []
        for await value in discarded { late.append(value) }
        #expect(late.isEmpty)
    }
}
