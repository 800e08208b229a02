import HTTPTypes
import Hummingbird

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
