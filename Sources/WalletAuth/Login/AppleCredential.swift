public import Foundation

/// What Sign in with Apple gave the app. Hand it to ``Wallet/login(apple:provider:strength:properties:requestedAttributes:)``
/// within five minutes: Apple's code works once.
///
/// The request to Apple carries the value of the nonce verbatim. An app that hashes it, as other kits want it, is refused.
public struct AppleCredential: Sendable {
    let authorizationCode: String
    let identityToken: String
    let nonce: FederatedNonce

    /// Takes what Apple gave as text.
    /// - Parameters:
    ///   - authorizationCode: the `authorizationCode` of Apple's credential, as UTF-8.
    ///   - identityToken: the `identityToken` of Apple's credential, as UTF-8.
    ///   - nonce: from ``Wallet/federatedNonce()``; its value was the `nonce` of the request to Apple.
    public init(authorizationCode: String, identityToken: String, nonce: FederatedNonce) {
        self.authorizationCode = authorizationCode
        self.identityToken = identityToken
        self.nonce = nonce
    }

    /// Takes what Apple gave as it is.
    /// - Parameters:
    ///   - authorizationCode: the `authorizationCode` of Apple's credential.
    ///   - identityToken: the `identityToken` of Apple's credential.
    ///   - nonce: from ``Wallet/federatedNonce()``; its value was the `nonce` of the request to Apple.
    /// - Returns: nil where one of the two is missing or not text.
    public init?(authorizationCode: Data?, identityToken: Data?, nonce: FederatedNonce) {
        guard let code = authorizationCode.flatMap({ String(data: $0, encoding: .utf8) }),
            let token = identityToken.flatMap({ String(data: $0, encoding: .utf8) })
        else { return nil }
        self.init(authorizationCode: code, identityToken: token, nonce: nonce)
    }
}

extension AppleCredential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Nothing of what Apple gave.
    public var description: String { "AppleCredential(<redacted>)" }
    /// Nothing of what Apple gave.
    public var debugDescription: String { description }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
