/// What a page asks a person to allow a third-party client.
package struct ClientConsentRequest: Sendable, Hashable {
    /// The account that is signed in, or about to be.
    package var username: String
    /// The scopes that the person would allow.
    package var new: [String]
    /// The scopes that the client has already.
    package var granted: [String]
    /// Whether the client has all of it already, and asks again (`prompt=consent`).
    package var isRepeated = false
}
