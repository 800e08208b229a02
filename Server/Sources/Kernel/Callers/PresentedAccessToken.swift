package import WalletAuthWire

/// An access token from the `Authorization` header.
package enum PresentedAccessToken: Sendable {
    /// RFC 6750 §2.1.
    case bearer(AccessToken)
    /// RFC 9449 §7.1.
    case dpop(AccessToken)
}
