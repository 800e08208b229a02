import Crypto
import Foundation
public import WalletAuthWire

/// A PKCE verifier and its challenge (RFC 7636), method S256.
///
/// The challenge goes into the authorization request, the verifier stays on the device until the code is redeemed.
public struct OAuthCodeChallenge: Sendable, Hashable {
    /// The secret half; its description is redacted, `reveal()` hands it out.
    public let verifier: CodeVerifier
    /// The public half: `BASE64URL(SHA-256(verifier))`.
    public let challenge: CodeChallenge

    /// A new pair from 32 random bytes of the system's generator.
    public init() {
        self.init(verifier: Randomness.codeVerifier())
    }

    /// The pair of a verifier that already exists.
    /// - Parameter verifier: 43 to 128 characters of RFC 7636 §4.1.
    public init(verifier: CodeVerifier) {
        self.verifier = verifier
        challenge = CodeChallenge(verifier: verifier)
    }
}
