/// Why an OAuth endpoint refuses a request: the standards' errors as one type.
package enum OAuthRefusal: Error, Sendable, Hashable {
    /// A parameter is missing, malformed or repeated (RFC 6749 §5.2). The text says which.
    case invalidRequest(String)
    /// The client failed to authenticate (RFC 6749 §5.2). Only a client that proved its key learns why.
    case invalidClient(ClientFault)
    /// The attestation of the app's instance is refused (draft-ietf-oauth-attestation-based-client-auth-11 §7.4).
    case clientAttestation(ClientAttestationFault)
    /// The code or refresh token is invalid, expired, spent, revoked or another client's (RFC 6749 §5.2).
    case invalidGrant
    /// The client may not use this grant (RFC 6749 §5.2).
    case unauthorizedClient
    /// The client is registered for people's sign-ins alone: a token of its own would open nothing (RFC 6749 §5.2).
    case noOwnScope
    /// RFC 6749 §5.2.
    case unsupportedGrantType
    /// The scope is unknown, or wider than granted (RFC 6749 §5.2). With the scopes that are refused.
    case invalidScope([String])
    /// The client may not request this resource (RFC 8707 §2).
    case invalidTarget
    /// The client may not ask for authorization details of this type (RFC 9396 §5).
    case invalidAuthorizationDetails(String)
    /// The token cannot be revoked by this request (RFC 7009 §2.2.1). The text says by which it can.
    case unsupportedTokenType(String)
    /// The DPoP proof is invalid (RFC 9449 §5). The text says why and contains no secret.
    case invalidDPoPProof(String)
    /// A proof must carry this fresh nonce (RFC 9449 §8).
    case useDPoPNonce(String)
    /// The access token is malformed or not signed by this server, as far as it can tell (RFC 6750 §3.1).
    case invalidToken
    /// The access token is one of this server's, and the sender may know why it is refused (RFC 6750 §3.1).
    case unusableToken(AccessTokenFault)
    /// The access token lacks this scope (RFC 6750 §3.1).
    case insufficientScope(String)
    /// The hint names no one who could sign in on a phone here (OpenID CIBA Core 1.0 §13).
    case unknownUserID
    /// The person has not decided yet (RFC 8628 §3.5, as the others here).
    case authorizationPending
    /// The same, and the device or client polls too often: from now on it waits five seconds more.
    case slowDown
    /// The person refused.
    case accessDenied
    /// The device's codes, or the client's request, have expired.
    case expiredToken
    /// The server has no capacity for this kind of work at the moment. In seconds.
    case temporarilyUnavailable(retryAfter: Int64)

    package var code: String {
        switch self {
        case .invalidRequest: "invalid_request"
        case .invalidClient: "invalid_client"
        case .clientAttestation(let fault): fault.code
        case .invalidGrant: "invalid_grant"
        case .unauthorizedClient, .noOwnScope: "unauthorized_client"
        case .unsupportedGrantType: "unsupported_grant_type"
        case .invalidScope: "invalid_scope"
        case .invalidTarget: "invalid_target"
        case .invalidAuthorizationDetails: "invalid_authorization_details"
        case .unsupportedTokenType: "unsupported_token_type"
        case .invalidDPoPProof: "invalid_dpop_proof"
        case .useDPoPNonce: "use_dpop_nonce"
        case .invalidToken, .unusableToken: "invalid_token"
        case .insufficientScope: "insufficient_scope"
        case .unknownUserID: "unknown_user_id"
        case .authorizationPending: "authorization_pending"
        case .slowDown: "slow_down"
        case .accessDenied: "access_denied"
        case .expiredToken: "expired_token"
        case .temporarilyUnavailable: "temporarily_unavailable"
        }
    }

    /// The `error_description` member: a sentence for developers, in ASCII (RFC 6749 §5.2), without secrets.
    package var reason: String {
        switch self {
        case .invalidRequest(let reason), .unsupportedTokenType(let reason), .invalidDPoPProof(let reason): reason
        case .invalidClient(let fault): fault.isAfterProof ? fault.sentence : "Client authentication failed."
        case .clientAttestation(let fault):
            fault.isAfterProof ? fault.sentence : "The client attestation is not signed by an attester of the client."
        case .invalidGrant: "The grant is invalid, expired, revoked or already used, or was issued to another client."
        case .unauthorizedClient: "The client may not use this grant."
        case .noOwnScope:
            "The client has no scope for itself, only people's. Its operator adds one: walletauth client update --add-scope."
        case .unsupportedGrantType: "The grant type is not supported."
        case .invalidScope([]): "A scope is unknown, or more than may be granted."
        case .invalidScope(let scopes): "Unknown, or more than may be granted: the scope \(Self.shown(scopes))."
        case .invalidTarget: "The client may not request this resource."
        case .invalidAuthorizationDetails(""): "The client may not ask for such authorization details."
        case .invalidAuthorizationDetails(let type):
            "The client may not ask for authorization details of the type \(type)."
        case .useDPoPNonce: "The DPoP proof must carry the nonce from the DPoP-Nonce header."
        case .invalidToken:
            "The access token is malformed, or signed by no current key of this server. Get another one."
        case .unusableToken(let fault): fault.sentence
        case .insufficientScope(let scope): "The access token lacks the scope \(scope)."
        case .unknownUserID: "The hint names no one who could sign in to this client on a phone."
        case .authorizationPending: "The person has not decided yet. Poll again after the interval."
        case .slowDown: "The polls come too often. From now on, wait five seconds more between two of them."
        case .accessDenied: "The person refused."
        case .expiredToken: "This has expired. Begin again with a new request."
        case .temporarilyUnavailable: "The server is busy. Try again later."
        }
    }

    /// The sentence for the log, which may say more than the response.
    package var loggedReason: String {
        switch self {
        case .invalidClient(let fault): fault.sentence
        case .clientAttestation(let fault): fault.sentence
        default: reason
        }
    }

    /// The first ones, as the request may name many.
    package static func shown(_ scopes: [String]) -> String {
        let names = scopes.prefix(8).map { $0.utf8.count > 64 ? $0.prefix(64) + "..." : $0[...] }
        return names.joined(separator: " ") + (scopes.count > 8 ? " ..." : "")
    }
}

/// Why a token that this server signed is refused. Only the server's signature lets the sender know so much.
package enum AccessTokenFault: Sendable, Hashable {
    /// With the seconds since the expiry.
    case expired(ago: Int64)
    /// A token that is bound to a key came as `Bearer` (RFC 9449 §7.1).
    case unproved
    /// A token that is bound to no key came as `DPoP`.
    case unbound
    /// A token that is bound to no key came where one must be.
    case bindingRequired
    /// The proof is of another key than the token's.
    case otherKey
    /// The token is for other resource servers only.
    case otherAudience
    /// A person's token came where a client's own is needed.
    case ofPerson
    /// A client's own token came where a person's is needed.
    case ofClient
    /// The key that signed the token was withdrawn.
    case keyWithdrawn
    /// The token's session, account or client is gone.
    case ended
    /// The token's session was opened without a key, or with another one than the token's.
    case otherSessionKey

    var sentence: String {
        switch self {
        case .expired(let seconds): "The access token expired \(seconds) seconds ago."
        case .unproved:
            "The access token is bound to a key: send it as DPoP, not as Bearer, with a proof of that key."
        case .unbound: "The access token is bound to no key: send it as Bearer, not as DPoP."
        case .bindingRequired: "The access token is bound to no key, which is required here: get it with a DPoP proof."
        case .otherKey: "The DPoP proof is of another key than the one to which the access token is bound."
        case .otherAudience: "The access token is for another audience than this server."
        case .ofPerson:
            "The access token is a person's: get the client's own by client_credentials."
        case .ofClient:
            "The access token is a client's own, by client_credentials: one from a person's sign-in is needed."
        case .keyWithdrawn: "The key that signed the access token was withdrawn. Get another token."
        case .ended: "The access token was revoked: its session has ended, or its account or client is gone."
        case .otherSessionKey: "The session of the access token was opened without a key, or with another one."
        }
    }
}
