import HTTPTypes
import Hummingbird

/// Lets pages of any origin read discovery, keys, tokens and userinfo, as a public client in a browser must.
///
/// Never with credentials: cookies of this server mean nothing there, so a page of another origin gains nothing that
/// it could not have had without a browser.
enum CrossOrigin {
    /// Adds what lets a page read the answer.
    static func expose(_ response: inout Response) {
        response.headers[.accessControlAllowOrigin] = "*"
        response.headers[.accessControlExposeHeaders] = "DPoP-Nonce, WWW-Authenticate, Retry-After, traceparent"
    }

    /// The answer to a preflight request.
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
