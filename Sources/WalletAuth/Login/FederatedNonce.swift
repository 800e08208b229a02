/// The server's nonce for a provider's ID token. It ties the token to this device and sign-in, and works once, within
/// five minutes. If the app may be killed while the provider's page is open, store the nonce with the rest of the
/// request.
public struct FederatedNonce: Sendable, Hashable, Codable {
    /// The value to send to the provider as `nonce`.
    public let value: String
    let challengeID: String
}
