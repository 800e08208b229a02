public import WalletAuthWire

/// Native sign-in without a browser (OAuth 2.0 for First-Party Applications), for first-party clients with a DPoP key.
public struct NativeSignIn: Sendable {
    let context: ServerContext

    /// The authorize-challenge endpoint.
    /// - Parameters:
    ///   - request: the first step or the next.
    ///   - proof: the DPoP proof; without one the request is refused, since session and code are bound to its key.
    ///   - origin: where the request came from.
    /// - Throws: infrastructure trouble.
    public func challenge(
        _ request: AuthorizeChallengeRequest, proof: PresentedProof, origin: RequestOrigin
    ) async throws -> NativeSignInOutcome {
        throw NotServed()
    }
}
