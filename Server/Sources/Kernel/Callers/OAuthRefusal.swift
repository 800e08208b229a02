/// Why an OAuth endpoint refuses a request: the standards' errors as one type.
package enum OAuthRefusal: Error, Sendable, Hashable {
    /// A parameter is missing, malformed or repeated (RFC 6749 §5.2). The text says which.
    case invalidRequest(String)
    /// The client is unknown or failed to authenticate (RFC 6749 §5.2).
    case invalidClient
    /// The code or refresh token is invalid, expired, spent, revoked or another client's (RFC 6749 §5.2).
    case invalidGrant
    /// The client may not use this grant (RFC 6749 §5.2).
    case unauthorizedClient
    /// RFC 6749 §5.2.
    case unsupportedGrantType
    /// The scope is unknown, or wider than granted (RFC 6749 §5.2).
    case invalidScope
    /// The client may not request this resource (RFC 8707 §2).
    case invalidTarget
    /// The token cannot be revoked by this request (RFC 7009 §2.2.1). The text says by which it can.
    case unsupportedTokenType(String)
    /// The DPoP proof is invalid (RFC 9449 §5). The text says why and contains no secret.
    case invalidDPoPProof(String)
    /// A proof must carry this fresh nonce (RFC 9449 §8).
    case useDPoPNonce(String)
    /// The access token is malformed, expired, revoked or bound to another key (RFC 6750 §3.1).
    case invalidToken
    /// The access token lacks this scope (RFC 6750 §3.1).
    case insufficientScope(String)
    /// The server has no capacity for this kind of work at the moment. In seconds.
    case temporarilyUnavailable(retryAfter: Int64)

    package var code: String {
        switch self {
        case .invalidRequest: "invalid_request"
        case .invalidClient: "invalid_client"
        case .invalidGrant: "invalid_grant"
        case .unauthorizedClient: "unauthorized_client"
        case .unsupportedGrantType: "unsupported_grant_type"
        case .invalidScope: "invalid_scope"
        case .invalidTarget: "invalid_target"
        case .unsupportedTokenType: "unsupported_token_type"
        case .invalidDPoPProof: "invalid_dpop_proof"
        case .useDPoPNonce: "use_dpop_nonce"
        case .invalidToken: "invalid_token"
        case .insufficientScope: "insufficient_scope"
        case .temporarilyUnavailable: "temporarily_unavailable"
        }
    }

    /// The `error_description` member: a sentence for developers, in ASCII (RFC 6749 §5.2), without secrets.
    package var reason: String {
        switch self {
        case .invalidRequest(let reason), .unsupportedTokenType(let reason), .invalidDPoPProof(let reason): reason
        case .invalidClient: "Client authentication failed."
        case .invalidGrant: "The grant is invalid, expired, revoked or already used, or was issued to another client."
        case .unauthorizedClient: "The client may not use this grant."
        case .unsupportedGrantType: "The grant type is not supported."
        case .invalidScope: "The scope is unknown or exceeds what was granted."
        case .invalidTarget: "The client may not request this resource."
        case .useDPoPNonce: "The DPoP proof must carry the nonce from the DPoP-Nonce header."
        case .invalidToken: "The access token is malformed, expired, revoked or bound to another key."
        case .insufficientScope(let scope): "The access token lacks the scope \(scope)."
        case .temporarilyUnavailable: "The server is busy. Try again later."
        }
    }
}
