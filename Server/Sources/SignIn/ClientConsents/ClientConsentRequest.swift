/// A third-party client's request for consent, as shown on a page.
package struct ClientConsentRequest: Sendable, Hashable {
    /// The account that is signed in, or about to be.
    package var username: String
    /// The scopes to allow.
    package var new: [String]
    /// The scopes allowed earlier.
    package var granted: [String]
    /// Whether the client already has everything and asks again (`prompt=consent`).
    package var isRepeated = false
}
