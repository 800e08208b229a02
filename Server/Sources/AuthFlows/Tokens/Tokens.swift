public import WalletAuthWire

/// The token endpoint and what lives beside it. Only here are tokens minted; every sign-in ends in a code that comes
/// by the token endpoint.
public struct Tokens: Sendable {
    let context: ServerContext

    /// The token endpoint (RFC 6749 §3.2).
    /// - Parameters:
    ///   - request: the grant.
    ///   - client: how the client presented itself.
    ///   - proof: the DPoP proof, where one was sent.
    ///   - origin: where the request came from.
    /// - Throws: infrastructure trouble.
    public func token(
        _ request: TokenRequest, client: PresentedClient, proof: PresentedProof, origin: RequestOrigin
    ) async throws -> TokenOutcome {
        throw NotServed()
    }

    /// The revocation endpoint (RFC 7009). Revoking either token ends the session.
    public func revoke(
        _ request: RevocationRequest, client: PresentedClient, origin: RequestOrigin
    ) async throws -> RevocationOutcome {
        throw NotServed()
    }

    /// The introspection endpoint (RFC 7662). A client asks about its own tokens, a resource server about all.
    public func introspect(
        _ request: IntrospectionRequest, client: PresentedClient, origin: RequestOrigin
    ) async throws -> IntrospectionOutcome {
        throw NotServed()
    }

    /// The userinfo endpoint (OpenID Connect Core §5.3).
    /// - Parameters:
    ///   - authorization: what the `Authorization` header holds.
    ///   - proof: the DPoP proof, where one was sent.
    ///   - origin: where the request came from.
    public func userInfo(
        _ authorization: PresentedAccessToken, proof: PresentedProof, origin: RequestOrigin
    ) async throws -> UserInfoOutcome {
        throw NotServed()
    }
}

/// An access token as the `Authorization` header presents it.
public enum PresentedAccessToken: Sendable {
    /// `Bearer` (RFC 6750 §2.1).
    case bearer(AccessToken)
    /// `DPoP` (RFC 9449 §7.1).
    case dpop(AccessToken)
}

/// A flow that is not filled in yet.
struct NotServed: Error {}
