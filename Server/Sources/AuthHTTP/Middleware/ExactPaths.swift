import Hummingbird

/// Lets a path through that is written as the table of routes writes it.
///
/// The router splits a path at its slashes and passes over empty parts, so `//metrics` and `/metrics/` would lead where
/// `/metrics` does. A proxy that keeps `/metrics` from the outside compares text, and would let them pass.
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
