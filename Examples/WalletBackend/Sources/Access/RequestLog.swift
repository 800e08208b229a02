import Hummingbird
import Logging

/// Logs the route of each request and never its path: a purchase's address is the only protection of its page.
struct RequestLog: RouterMiddleware {
    typealias Context = BackendContext

    func handle(
        _ request: Request, context: BackendContext,
        next: (Request, BackendContext) async throws -> Response
    ) async throws -> Response {
        let response = try await next(request, context)
        context.logger.info(
            "request",
            metadata: [
                "method": "\(request.method)", "route": "\(context.endpointPath ?? "none")",
                "status": "\(response.status.code)",
            ])
        return response
    }
}
