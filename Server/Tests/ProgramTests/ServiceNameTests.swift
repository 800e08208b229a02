import Logging
import ServiceLifecycle
import TestSupport
import Testing

@testable import walletauth

@Suite("The services in the log")
struct ServiceNameTests {
    private struct Ending: Service {
        let secret = "correct horse battery staple"

        func run() async throws {}
    }

    @Test("A service that ends too early is named by its type, and nothing that it holds is in the log or the error")
    func ending() async throws {
        let log = LogRecorder()
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [.namedByType(Ending())], logger: Logger(label: "test") { _ in log.handler }))
        let error = await #expect(throws: ServiceGroupError.self) { try await group.run() }
        let texts = log.lines + [error.map { "\($0)" } ?? ""]
        #expect(texts.count { $0.contains("Ending") } >= 2)
        #expect(!texts.contains { $0.contains("correct horse") })
    }
}
