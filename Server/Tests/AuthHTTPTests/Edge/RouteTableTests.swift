import HTTPTypes
import Kernel
import Logging
import Operations
import Testing
import WalletAuthWire

@testable import HTTP
@testable import Web

@Suite("The route table")
struct RouteTableTests {
    /// Files and pages that no app calls.
    private static let unlisted: Set = ["/assets/{name}", PageEndpoints.outboxPath]

    @Test("Endpoints.all has exactly the routes of the server, with their methods")
    func endpoints() async throws {
        try await TestServer.use { server in
            var served: [String: Set<String>] = [:]
            for route in try server.routes() where !Self.unlisted.contains(route.path) {
                served[route.path, default: []].insert(route.method.rawValue)
            }
            let listed = Dictionary(
                uniqueKeysWithValues: Endpoints.all.map { ($0.path, Set($0.methods.map(\.rawValue))) })
            #expect(listed == served)
        }
    }
}

extension TestServer {
    /// The rows of the server's route table.
    func routes() throws -> [Route] {
        let pages = Pages(issuer: server.context.settings.issuer, templates: try Features.templates())
        let edge = Edge(
            pages: pages, proofs: server.context.proofs, environment: server.context.settings.environment,
            logger: Logger(label: "test"))
        return try HTTPServer.routes(features, edge)
    }
}
