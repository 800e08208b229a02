import HTTPTypes
import Hummingbird
import WalletAuthWire

/// Serves every path below the path of the issuer as well: with `https://example.com/auth`, `/auth/oauth2/token` is `/oauth2/token`.
///
/// So the URLs that the server gives away lead to it, whether a proxy removes the issuer's path or passes it on.
struct IssuerPath<Base: HTTPResponder>: HTTPResponder where Base.Context == ServerRequestContext {
    private let base: Base
    /// `nil` if nothing is removed.
    private let prefix: String?

    /// - Parameter paths: of all routes. If one of them begins with the issuer's path, as `/oauth2/token` with
    ///   `https://example.com/oauth2`, a path that a proxy has shortened could not be told from one that it has not.
    init(_ issuer: Issuer, paths: [String], base: Base) {
        self.base = base
        let prefix = issuer.pathPrefix + "/"
        self.prefix = prefix == "/" || paths.contains { $0.hasPrefix(prefix) } ? nil : issuer.pathPrefix
    }

    func respond(to request: Request, context: ServerRequestContext) async throws -> Response {
        guard let prefix, let path = request.head.path, path.hasPrefix(prefix + "/") else {
            return try await base.respond(to: request, context: context)
        }
        var head = request.head
        head.path = String(path.dropFirst(prefix.count))
        return try await base.respond(to: Request(head: head, body: request.body), context: context)
    }
}
