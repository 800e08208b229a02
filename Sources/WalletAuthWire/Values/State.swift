/// The `state` of an authorization request (RFC 6749 §4.1.1): opaque to the server, which returns it unchanged.
///
/// Named `OAuthState` because SwiftUI has a `State`.
public struct OAuthState: WireValue {
    /// The form of its text.
    public static var form: TextForm { .visible(1...2048, spaces: true) }

    /// The text: 1 to 2048 printable ASCII characters, including spaces.
    public let rawValue: String

    /// Validates a state.
    /// - Parameter text: the received text.
    public init(_ text: String) throws(MalformedValue) { rawValue = try Self.checked(text, "state") }

    /// Whether another state is the same. Compares in constant time.
    /// - Parameter other: the returned state.
    public func matches(_ other: OAuthState) -> Bool { ConstantTime.equal(rawValue, other.rawValue) }
}

/// The `nonce` that ties an ID token to an authorization request (OpenID Connect Core §3.1.2.1), or the one that a
/// server requires in DPoP proofs (RFC 9449 §8).
public struct Nonce: WireValue {
    /// The form of its text.
    public static var form: TextForm { .visible(1...1024, spaces: true) }

    /// The text: 1 to 1024 printable ASCII characters.
    public let rawValue: String

    /// Validates a nonce.
    /// - Parameter text: the received text.
    public init(_ text: String) throws(MalformedValue) { rawValue = try Self.checked(text, "nonce") }

    /// Whether another nonce is the same. Compares in constant time.
    /// - Parameter other: the returned nonce.
    public func matches(_ other: Nonce) -> Bool { ConstantTime.equal(rawValue, other.rawValue) }
}
