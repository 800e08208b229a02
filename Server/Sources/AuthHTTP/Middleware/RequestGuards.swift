import AuthCore
import HTTPTypes
import Hummingbird
import WalletAuthWire

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
    static func expose(_ response: inout Response) {
        response.headers[.accessControlAllowOrigin] = "*"
        response.headers[.accessControlExposeHeaders] = "DPoP-Nonce, WWW-Authenticate, Retry-After, traceparent"
    }

    static func preflight(for methods: [HTTPRequest.Method]) -> Response {
        Response(
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

/// The hosts that may be used for routes reserved to this machine: the issuer's host, and loopback on any port.
///
/// A web page can point its own name at 127.0.0.1 (DNS rebinding) and then reads everything that answers there as its
/// own origin. But the name remains in `Host`, which a page cannot set. Forwarding headers do not count, because a page
/// can send them.
struct LocalHosts: Sendable {
    let issuer: Issuer

    /// - Parameter path: the path of the route, so that a refusal can name the address to use.
    /// - Throws: ``RequestFault/foreignHost(address:)``.
    func check(_ request: Request, at path: String) throws(RequestFault) {
        // The first `Host` becomes the authority. A second one makes it ambiguous which one counts (RFC 9112 §3.2).
        guard !request.headers.contains(Self.host), let authority = request.head.authority, contain(authority) else {
            throw .foreignHost(address: issuer.url(path: path))
        }
    }

    /// - Parameter authority: a host, with or without a port.
    func contain(_ authority: String) -> Bool {
        guard let host = HostField(authority)?.host else { return false }
        if host == "localhost" || host == issuer.host { return true }
        return NetworkAddress(host)?.isLoopback ?? false
    }

    private static let host = HTTPField.Name("Host") ?? .origin
}
