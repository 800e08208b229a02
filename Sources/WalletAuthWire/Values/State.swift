/// The `state` of an authorization request (RFC 6749 section 4.1.1): opaque to the server, which returns it as it came.
///
/// Named so because `State` is SwiftUI's.
public struct OAuthState: WireValue {
    /// The text: 1 to 2048 printable ASCII characters, the space among them.
    public let rawValue: String

    /// Checks a state.
    /// - Parameter text: what was received.
    public init(_ text: String) throws(MalformedValue) {
        if let reason = TextRule.visible(text, 1...2048, from: 0x20) {
            throw MalformedValue(field: "state", reason: reason)
        }
        rawValue = text
    }

    /// Whether another state is the same, in a time that does not tell where they differ.
    /// - Parameter other: what came back.
    public func matches(_ other: OAuthState) -> Bool { ConstantTime.equal(rawValue, other.rawValue) }
}

/// The `nonce` that ties an ID token to an authorization request (OpenID Connect Core section 3.1.2.1), or the one that a
/// server asks for in DPoP proofs (RFC 9449 section 8).
public struct Nonce: WireValue {
    /// The text: 1 to 1024 printable ASCII characters.
    public let rawValue: String

    /// Checks a nonce.
    /// - Parameter text: what was received.
    public init(_ text: String) throws(MalformedValue) {
        if let reason = TextRule.visible(text, 1...1024, from: 0x20) {
            throw MalformedValue(field: "nonce", reason: reason)
        }
        rawValue = text
    }

    /// Whether another nonce is the same, in a time that does not tell where they differ.
    /// - Parameter other: what came back.
    public func matches(_ other: Nonce) -> Bool { ConstantTime.equal(rawValue, other.rawValue) }
}
