import Foundation
import WalletAuthTransport
public import WalletAuthWire

/// A PKCE verifier and its challenge (RFC 7636), method S256.
///
/// The challenge goes into the authorization request. The verifier stays on the device until the code is redeemed.
public struct OAuthCodeChallenge: Sendable, Hashable {
    /// The secret half. Its description is redacted; `reveal()` returns the value.
    public let verifier: CodeVerifier
    /// The public half: `BASE64URL(SHA-256(verifier))`.
    public let challenge: CodeChallenge

    /// Creates a pair from 32 bytes of the system's random number generator.
    public init() {
        guard let verifier = try? CodeVerifier(random: Randomness.bytes(32)) else {
            preconditionFailure("32 bytes are what RFC 7636 §4.1 recommends")
        }
        self.init(verifier: verifier)
    }

    /// Creates the pair of an existing verifier.
    /// - Parameter verifier: 43 to 128 characters (RFC 7636 §4.1).
    public init(verifier: CodeVerifier) {
        self.verifier = verifier
        challenge = CodeChallenge(verifier: verifier)
    }
}
