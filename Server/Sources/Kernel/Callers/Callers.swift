/// Authenticates the callers of this server's protected resources. The edge calls it and passes the caller to the flow.
///
/// This target owns the check of an app, a backend or a client: access token, DPoP proof, client authentication. Who signed in on a
/// page, and which device signed a request, is not its part (`AuthSignIn/Pages`, `AuthCredentials/Devices`).
package struct Callers: Sendable {
    package let context: ServerContext

    package init(context: ServerContext) { self.context = context }
}
