/// The server's own nonce for a provider's ID token: it ties the token to this device and this sign-in, and serves once
/// within five minutes. An app that may be killed while the provider's page is open keeps it with what it kept of the
/// request.
public struct FederatedNonce: Sendable, Hashable, Codable {
    /// What goes to the provider as `nonce`.
    public let value: String
    let challengeID: String
}
