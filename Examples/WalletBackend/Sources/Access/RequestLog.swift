import Hummingbird
import Logging

/// Logs each request by its route and never by its path: the address of a purchase is all that its page is protected by.
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
