/// What a page asks a person to allow a third-party client.
public struct ClientConsentRequest: Sendable, Hashable {
    /// The account that is signed in, or about to be.
    public var username: String
    /// The scopes that the person would allow.
    public var new: [String]
    /// The scopes that the client has already.
    public var granted: [String]
    /// Whether the client has all of it already, and asks again (`prompt=consent`).
    public var isRepeated = false
}
