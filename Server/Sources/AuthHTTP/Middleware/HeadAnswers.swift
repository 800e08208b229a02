import HTTPTypes
import Hummingbird

/// Removes the content from every answer to HEAD, refusals included, and keeps the fields GET would have (RFC 9110
/// §9.3.2). On a persistent connection, the peer would take content for the start of the next answer.
struct HeadAnswers: RouterMiddleware {
    typealias Context = ServerRequestContext

    func handle(
        _ request: Request, context: ServerRequestContext,
        next: (Request, ServerRequestContext) async throws -> Response
    ) async throws -> Response {
        let response = try await next(request, context)
        return request.method == .head ? response.createHeadResponse() : response
    }
}
