package import AuthFoundation

/// The credentials of a call to one of this server's protected resources, as the edge read them.
///
/// The folder owns the check of an app, a backend or a client: access token, DPoP proof, client authentication. Who signed in on a
/// page, and which device signed a request, is not its part (`AuthSignIn/Pages`, `AuthCredentials/Devices`).
package struct PresentedCredentials: Sendable {
    /// `nil` if none was sent.
    package var authorization: PresentedAccessToken?
    package var proof: PresentedProof
    package var origin: RequestOrigin

    package init(authorization: PresentedAccessToken?, proof: PresentedProof, origin: RequestOrigin) {
        self.authorization = authorization
        self.proof = proof
        self.origin = origin
    }
}

/// Authenticates the callers of this server's protected resources. The edge calls it and passes the caller to the flow.
package struct Callers: Sendable {
    package let context: ServerContext

    package init(context: ServerContext) { self.context = context }
}
