import AuthFlows
import Hummingbird

/// What the pages load, and the sandbox's outbox.
struct PageEndpoints: Sendable {
    let pages: Pages
    let server: AuthorizationServer
    let hosts: OwnHosts

    /// `GET /assets/{name}`.
    @Sendable func asset(_ request: EndpointRequest) async throws -> Response {
        guard let name = request.context.parameters.get("name"), let response = pages.assets.response(for: name) else {
            throw RequestFault.unknownPath
        }
        return response
    }

    static let outboxPath = "/sandbox/outbox"

    /// `GET /sandbox/outbox`; in production there is no such page, whatever is configured.
    @Sendable func outbox(_ request: EndpointRequest) async throws -> Response {
        guard let messages = server.messages else { throw RequestFault.unknownPath }
        try hosts.check(request.request, at: Self.outboxPath)
        return pages.outbox(try await messages.recent(limit: 100))
    }
}
