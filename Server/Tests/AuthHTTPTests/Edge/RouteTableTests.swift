import AuthFlows
import AuthFoundation
import HTTPTypes
import Logging
import Testing
import WalletAuthWire

@testable import AuthHTTP

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

    /// The router keeps what it captured on a way that led nowhere, under the segment's name. So a segment that is read by its place
    /// needs one name for all routes that share it, and no path may have a name twice.
    @Test("A variable segment has one name in all paths with the same beginning, and no path has a name twice")
    func names() async throws {
        try await TestServer.use { server in
            var names: [String: Set<String>] = [:]
            for path in Set(try server.routes().map(\.path)) {
                var beginning = ""
                var own: [String] = []
                for segment in path.split(separator: "/").map(String.init) {
                    if segment.hasPrefix("{") {
                        names[beginning, default: []].insert(segment)
                        own.append(segment)
                        beginning += "/{}"
                    } else {
                        beginning += "/" + segment
                    }
                }
                #expect(Set(own).count == own.count, "\(path)")
            }
            #expect(names.filter { $0.value.count > 1 }.isEmpty)
            #expect(!names.isEmpty)
        }
    }
}

extension TestServer {
    /// The rows of the server's route table.
    func routes() throws -> [Route] {
        let pages = try Pages(issuer: server.context.settings.issuer)
        let faults = FaultAnswers(pages: pages, logger: Logger(label: "test"))
        return HTTPServer.makeRoutes(server: server, pages: pages, faults: faults).table
    }
}
