/// Authenticates the callers of this server's protected resources. The edge calls it and passes the caller to the flow.
///
/// This folder owns the check of an app, a backend or a client: access token, DPoP proof, client authentication.
package struct Callers: Sendable {
    package let context: ServerContext

    package init(context: ServerContext) { self.context = context }
}
