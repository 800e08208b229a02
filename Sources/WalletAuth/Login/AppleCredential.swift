public import Foundation

/// A credential from Sign in with Apple. Pass it to
/// ``Wallet/login(apple:provider:strength:properties:requestedAttributes:)`` within five minutes: Apple's code works
/// once.
///
/// The request to Apple must carry the value of the nonce verbatim. If the app hashes it, as other SDKs require, the
/// sign-in is refused.
public struct AppleCredential: Sendable {
    let authorizationCode: String
    let identityToken: String
    let nonce: FederatedNonce

    /// Creates a credential from text.
    /// - Parameters:
    ///   - authorizationCode: the `authorizationCode` of Apple's credential, as UTF-8.
    ///   - identityToken: the `identityToken` of Apple's credential, as UTF-8.
    ///   - nonce: from ``Wallet/federatedNonce()``; its value was the `nonce` of the request to Apple.
    public init(authorizationCode: String, identityToken: String, nonce: FederatedNonce) {
        self.authorizationCode = authorizationCode
        self.identityToken = identityToken
        self.nonce = nonce
    }

    /// Creates a credential from the data that Apple returned.
    /// - Parameters:
    ///   - authorizationCode: the `authorizationCode` of Apple's credential.
    ///   - identityToken: the `identityToken` of Apple's credential.
    ///   - nonce: from ``Wallet/federatedNonce()``; its value was the `nonce` of the request to Apple.
    /// - Returns: nil if one of the two is missing or not text.
    public init?(authorizationCode: Data?, identityToken: Data?, nonce: FederatedNonce) {
        guard let code = authorizationCode.flatMap({ String(data: $0, encoding: .utf8) }),
            let token = identityToken.flatMap({ String(data: $0, encoding: .utf8) })
        else { return nil }
        self.init(authorizationCode: code, identityToken: token, nonce: nonce)
    }
}

extension AppleCredential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A redacted description.
    public var description: String { "AppleCredential(<redacted>)" }
    /// A redacted description.
    public var debugDescription: String { description }
    /// An empty mirror.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
