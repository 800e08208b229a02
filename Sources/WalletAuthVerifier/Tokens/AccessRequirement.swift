public import WalletAuthWire

/// The requirements of a request, in addition to a valid token.
public struct AccessRequirement: Hashable, Sendable {
    /// The required scope tokens, all of them.
    public var scope: Scope
    /// The accepted authentication context classes (`acr`), the preferred one first; empty accepts any (RFC 9470).
    public var acrValues: [String]
    /// The maximum time since the person signed in (`auth_time`, RFC 9470); nil for no limit.
    public var maximumAge: Duration?
    /// Whether the token must be bound to a key.
    public var binding: Binding
    /// Whether the token must say that an attested app enrolled the session's device (`attestation`). Only the tokens of a client
    /// with `--attestation-claim` can. Which app, and when, is in ``VerifiedAccess/claims``.
    public var requiresAttestedApp: Bool
    /// Whether the token may be for `authorization_details` (RFC 9396). Such a token is for what they say and nothing else: compare them
    /// (`claims.authorizationDetails` of ``VerifiedAccess``) with what is asked for.
    public var takesAuthorizationDetails: Bool

    /// Whether the token must be bound to a key.
    public enum Binding: Hashable, Sendable {
        /// A bound token with its proof, or a bearer token.
        case any
        /// A bound token with its proof (RFC 9449). A stolen token alone is useless.
        case proofOfPossession
    }

    /// Creates a requirement. Each parameter sets the property of the same name.
    public init(
        scope: Scope = .none, acrValues: [String] = [], maximumAge: Duration? = nil, binding: Binding = .any,
        requiresAttestedApp: Bool = false, takesAuthorizationDetails: Bool = false
    ) {
        self.scope = scope
        self.acrValues = acrValues
        self.maximumAge = maximumAge
        self.binding = binding
        self.requiresAttestedApp = requiresAttestedApp
        self.takesAuthorizationDetails = takesAuthorizationDetails
    }
}

/// The server's authentication context classes, for ``AccessRequirement/acrValues``.
public enum AuthenticationStrength {
    /// At least one factor.
    public static let oneFactor = ["urn:wallet-auth:acr:1fa", "urn:wallet-auth:acr:2fa"]
    /// Two factors of different categories.
    public static let twoFactors = ["urn:wallet-auth:acr:2fa"]
}
