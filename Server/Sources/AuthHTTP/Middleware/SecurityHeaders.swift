import HTTPTypes
import Hummingbird

/// The headers of every answer. Pages add their own, see ``Pages``.
///
/// A header that the endpoint has set is kept: pages bring a policy with their own form target, and public documents
/// set how long they may be cached. Everything else is never stored.
struct SecurityHeaders: RouterMiddleware {
    typealias Context = ServerRequestContext

    /// Whether the issuer is https. Browsers then get `Strict-Transport-Security`.
    let strictTransport: Bool

    /// For everything except pages: no content runs, loads or gets framed.
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
