public import WalletAuthWire

/// What a request needs besides a good token.
public struct AccessRequirement: Hashable, Sendable {
    /// Every one of these scope tokens.
    public var scope: Scope
    /// One of these authentication context classes (`acr`), the preferred one first; empty for any (RFC 9470).
    public var acrValues: [String]
    /// The person signed in at most so long ago (`auth_time`, RFC 9470); nil for any time.
    public var maximumAge: Duration?
    /// Whether a token that is not bound to a key will do.
    public var binding: Binding

    /// Whether a token that is not bound to a key will do.
    public enum Binding: Hashable, Sendable {
        /// A bound token with its proof, or a bearer token.
        case any
        /// Only a bound token with its proof (RFC 9449): a stolen token is worth nothing.
        case proofOfPossession
    }

    /// Asks for these things. Each parameter sets the property of the same name.
    public init(
        scope: Scope = .none, acrValues: [String] = [], maximumAge: Duration? = nil, binding: Binding = .any
    ) {
        self.scope = scope
        self.acrValues = acrValues
        self.maximumAge = maximumAge
        self.binding = binding
    }
}

/// The authentication context classes of walletauth, as ``AccessRequirement/acrValues`` takes them.
public enum AuthenticationStrength {
    /// At least one factor.
    public static let oneFactor = ["urn:wallet-auth:acr:1fa", "urn:wallet-auth:acr:2fa"]
    /// Two factors of different categories.
    public static let twoFactors = ["urn:wallet-auth:acr:2fa"]
}
