/// The credentials of a call at one of our own protected resources, as the edge read them.
package struct PresentedCredentials: Sendable {
    /// The access token; `nil` where none was sent.
    package var authorization: PresentedAccessToken?
    /// The DPoP proof.
    package var proof: PresentedProof
    /// Where the call came from.
    package var origin: RequestOrigin

    /// - Parameters:
    ///   - authorization: the access token, where one was sent.
    ///   - proof: the DPoP proof.
    ///   - origin: where the call came from.
    package init(authorization: PresentedAccessToken?, proof: PresentedProof, origin: RequestOrigin) {
        self.authorization = authorization
        self.proof = proof
        self.origin = origin
    }
}

/// Checks who calls a protected resource of ours. The edge asks, and hands the flow a caller that was let in.
package struct Callers: Sendable {
    let context: ServerContext
}
