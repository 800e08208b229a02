import Logging
import ServiceLifecycle

@testable import walletauth

extension AdminSocket {
    /// Runs a body while a server listens on the socket and nowhere else.
    func serving(logger: Logger, _ body: () async throws -> Void) async throws {
        try removeStale()
        let (listening, source) = AsyncStream.makeStream(of: Void.self)
        let service = makeService { source.yield() }
        let group = ServiceGroup(configuration: .init(services: [.namedByType(service)], logger: logger))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            for await _ in listening { break }
            try await body()
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }
}
