/// How a client hears what became of its request to have a person sign in on their phone (OpenID CIBA Core 1.0 §5). Tokens are never
/// pushed to it.
package enum BackchannelMode: String, Sendable, CaseIterable {
    /// It asks the token endpoint.
    case poll
    /// It is notified, and then asks the token endpoint.
    case ping
}
