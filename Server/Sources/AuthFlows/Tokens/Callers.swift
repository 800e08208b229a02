/// The credentials of a call at one of our own protected resources, as the edge read them.
public struct PresentedCredentials: Sendable {
    /// The access token; `nil` where none was sent.
    public var authorization: PresentedAccessToken?
    /// The DPoP proof.
    public var proof: PresentedProof
    /// Where the call came from.
    public var origin: RequestOrigin

    /// - Parameters:
    ///   - authorization: the access token, where one was sent.
    ///   - proof: the DPoP proof.
    ///   - origin: where the call came from.
    public init(authorization: PresentedAccessToken?, proof: PresentedProof, origin: RequestOrigin) {
        self.authorization = authorization
        self.proof = proof
        self.origin = origin
    }
}

/// Checks who calls a protected resource of ours. The edge asks, and hands the flow a caller that was let in.
public struct Callers: Sendable {
    let context: ServerContext
}
