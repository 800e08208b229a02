import HTTPTypes
import Hummingbird

/// The headers that every answer carries, whatever the endpoint; pages add their own, see ``Pages``.
///
/// An endpoint that set one of them itself keeps its own: pages bring a policy that names their own form target, and
/// public documents say how long they may be cached. Whatever says nothing is never stored.
struct SecurityHeaders: RouterMiddleware {
    typealias Context = ServerRequestContext

    /// Whether the issuer is https: then browsers are told to stay there.
    let strictTransport: Bool

    /// For whatever is no page: nothing in it is ever run, framed or loaded.
    static let closedPolicy = "default-src 'none'; frame-ancestors 'none'"

    func handle(
        _ request: Request, context: ServerRequestContext,
        next: (Request, ServerRequestContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        response.headers[.xContentTypeOptions] = "nosniff"
        response.headers[.referrerPolicy] = "no-referrer"
        if !response.headers.contains(.contentSecurityPolicy) {
            response.headers[.contentSecurityPolicy] = Self.closedPolicy
        }
        if !response.headers.contains(.cacheControl) { response.headers[.cacheControl] = "no-store" }
        if strictTransport { response.headers[.strictTransportSecurity] = "max-age=63072000; includeSubDomains" }
        return response
    }
}
