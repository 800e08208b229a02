import HTTPTypes
import Hummingbird

/// Takes the content from every answer to HEAD, refusals included, and leaves the fields that GET would have had (RFC 9110
/// §9.3.2). A peer that keeps the connection would read content as the beginning of the next answer.
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
