import HTTPTypes
import Hummingbird
import Web

/// Accepts a path only as the route table spells it.
///
/// The router splits a path at its slashes and skips empty parts, so `//metrics` and `/metrics/` would reach
/// `/metrics`. A proxy that blocks `/metrics` compares text and would let them through.
struct ExactPaths: RouterMiddleware {
    typealias Context = ServerRequestContext

    func handle(
        _ request: Request, context: ServerRequestContext,
        next: (Request, ServerRequestContext) async throws -> Response
    ) async throws -> Response {
        guard Self.isExact(request.uri.path) else { throw HTTPError(.notFound) }
        return try await next(request, context)
    }

    /// Whether a path begins with a slash and has no empty part.
    static func isExact(_ path: String) -> Bool {
        let slash = UInt8(ascii: "/")
        var previous: UInt8?
        for byte in path.utf8 {
            if previous == nil, byte != slash { return false }
            if previous == slash, byte == slash { return false }
            previous = byte
        }
        return previous != nil && (previous != slash || path.utf8.count == 1)
    }
}

/// Lets pages of any origin read discovery, keys, tokens and userinfo, which public clients in browsers need.
///
/// Never with credentials: the server's cookies mean nothing on these routes. A page of another origin gains nothing
/// that a program without a browser could not get.
enum CrossOrigin {
    /// Adds the fields that let a page read the answer.
    static func expose(_ response: inout EndpointResponse) {
        response.headers[.accessControlAllowOrigin] = "*"
        response.headers[.accessControlExposeHeaders] = "DPoP-Nonce, WWW-Authenticate, Retry-After, traceparent"
    }

    static func preflight(for methods: [HTTPRequest.Method]) -> EndpointResponse {
        EndpointResponse(
            status: .noContent,
            headers: [
                .accessControlAllowOrigin: "*",
                .accessControlAllowMethods: methods.map(\.rawValue).joined(separator: ", "),
                .accessControlAllowHeaders: "Authorization, Content-Type, DPoP, traceparent",
                .accessControlMaxAge: "7200",
                .vary: "Access-Control-Request-Method, Access-Control-Request-Headers",
            ])
    }
}
