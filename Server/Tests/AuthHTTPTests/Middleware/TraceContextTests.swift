import Testing

@testable import Web

@Suite("traceparent")
struct TraceContextTests {
    /// The example of the W3C recommendation.
    private let example = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    @Test("A valid header's trace goes on with a span of this server's own")
    func joins() {
        let trace = TraceContext(traceparent: example)
        #expect(trace.traceID == "4bf92f3577b34da6a3ce929d0e0e4736")
        #expect(trace.traceparent.hasPrefix("00-4bf92f3577b34da6a3ce929d0e0e4736-"))
        #expect(trace.traceparent.hasSuffix("-01"))
        #expect(!trace.traceparent.contains("00f067aa0ba902b7"))
    }

    @Test("A later version is read by its first four fields")
    func laterVersion() {
        #expect(TraceContext(traceparent: "cc" + example.dropFirst(2) + "-what").traceID.hasPrefix("4bf92f35"))
    }

    @Test(
        "A malformed header begins a new trace and is not echoed",
        arguments: [
            "", "00", "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0\r", "00_4bf92f3577b34da6a3ce929d0e0e4736",
        ])
    func malformed(header: String) {
        let trace = TraceContext(traceparent: header)
        #expect(!trace.traceID.hasPrefix("4bf9"))
        #expect(trace.traceID.utf8.count == 32)
        #expect(trace.traceparent.utf8.count == 55)
    }

    @Test("Every new trace is another one")
    func fresh() {
        #expect(Set((0..<100).map { _ in TraceContext().traceID }).count == 100)
    }
}
