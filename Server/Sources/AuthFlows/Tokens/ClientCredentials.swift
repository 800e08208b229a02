public import WalletAuthWire

/// How a client presented itself at the token endpoint and its siblings (RFC 6749 §2.3), not yet checked. More than one
/// way in a request is refused at the edge.
public enum PresentedClient: Sendable {
    /// `client_id` alone: a public client, which proves nothing by it.
    case id(ClientID)
    /// HTTP Basic, form-decoded (RFC 6749 §2.3.1).
    case basic(ClientID, ClientSecret)
    /// `client_id` and `client_secret` in the form.
    case post(ClientID, ClientSecret)
    /// `client_assertion` of type `jwt-bearer` (RFC 7523 §2.2), with the `client_id` where one was sent.
    case assertion(ClientAssertion, ClientID?)
}
