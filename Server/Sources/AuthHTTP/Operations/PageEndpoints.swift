import Hummingbird

/// What the pages load, and the sandbox's outbox.
struct PageEndpoints: Sendable {
    let pages: Pages
    let sandbox: SandboxPages

    /// `GET /assets/{name}`.
    @Sendable func asset(_ request: EndpointRequest) async throws -> Response {
        guard let name = request.context.parameters.get("name"), let response = pages.assets.response(for: name) else {
            throw RequestFault.unknownPath
        }
        return response
    }

    /// `GET /sandbox/outbox`.
    @Sendable func outbox(_ request: EndpointRequest) async throws -> Response {
        switch sandbox {
        case .hidden: throw RequestFault.unknownPath
        case .shown(let outbox): return pages.outbox(try await outbox.messages(limit: 100))
        }
    }
}
