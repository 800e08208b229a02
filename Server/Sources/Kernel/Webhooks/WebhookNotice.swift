/// What a client registered a URI for that hears of nothing else. Such a URI is a receiver of webhooks: it is delivered to as they are, but
/// in the form of its own specification.
package enum WebhookNotice: String, Sendable, CaseIterable {
    /// The end of a session (OpenID Connect Back-Channel Logout 1.0).
    case logout
    /// The decision of a person whom the client named (OpenID CIBA Core 1.0 §10.2).
    case ping

    /// As in a receiver's row, in place of kinds.
    package var stored: String { " \(rawValue) " }
}
