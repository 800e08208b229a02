/// The credentials of a call to one of this server's protected resources, as the edge read them.
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
