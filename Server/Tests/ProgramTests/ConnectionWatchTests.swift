import Store
import Testing

@testable import walletauth

@Suite("A server with fewer connections than its settings ask for")
struct ConnectionWatchTests {
    private static let failure = StoreError(.noConnections, "the connection pooler may have no free connection")

    private func metrics(_ connected: Int, _ failure: StoreError? = Self.failure) -> ConnectionMetrics {
        var metrics = ConnectionMetrics()
        metrics.connected = connected
        metrics.configured = 8
        metrics.failure = connected == 8 ? nil : failure
        return metrics
    }

    @Test("It is reported once, when it lasts, and its end as well; a reconnection is not")
    func lasting() {
        var watch = ConnectionWatch()
        #expect(watch.look(at: metrics(8)) == nil)
        #expect(watch.look(at: metrics(7)) == nil)
        #expect(watch.look(at: metrics(8)) == nil)
        #expect(watch.look(at: metrics(1)) == nil)
        #expect(watch.look(at: metrics(2)) == .missing(Self.failure))
        #expect(watch.look(at: metrics(1)) == nil)
        #expect(watch.look(at: metrics(8)) == .complete)
        #expect(watch.look(at: metrics(8)) == nil)
    }

    @Test("Threads that are still connecting, and a server that is away, are not reported")
    func others() {
        var watch = ConnectionWatch()
        for _ in 1...3 { #expect(watch.look(at: metrics(1, nil)) == nil) }
        for _ in 1...3 { #expect(watch.look(at: metrics(0)) == nil) }
        #expect(watch.look(at: metrics(3)) == .missing(Self.failure))
    }
}
