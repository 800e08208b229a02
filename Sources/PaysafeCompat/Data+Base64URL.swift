public import Foundation
internal import WalletAuthWire

extension Data {
    /// The bytes as base64url without padding (RFC 4648 §5), as the authentication page writes a PKCE challenge.
    public func base64URLEncodedString() -> String { Base64URL.encode(self) }
}
