public import Foundation
import WalletAuthWire

/// What an identity provider gave the app of the person: handed to
/// ``Wallet/login(federatedIdentity:strength:properties:requestedAttributes:)`` once, and kept nowhere.
public struct FederatedIdentity: Sendable {
    enum Credential: Sendable {
        case authorizationCode(
            String, redirectURI: String?, codeVerifier: String?, idToken: String? = nil, FederatedNonce)
        case idToken(String, FederatedNonce)
        case password(username: String, String)
    }

    let provider: String
    let credential: Credential

    /// A code of the provider's authorization endpoint. The wallet's server redeems it there, so the app needs no secret.
    /// - Parameters:
    ///   - provider: the provider, as the wallet's server calls it.
    ///   - authorizationCode: as the provider sent it.
    ///   - redirectURI: where the provider sent it, as the app's request to the provider said.
    ///   - codeVerifier: the PKCE verifier of that request.
    ///   - nonce: from ``Wallet/federatedNonce()``; it was the `nonce` of that request.
    public init(
        provider: String, authorizationCode: String, redirectURI: URL?, codeVerifier: String?, nonce: FederatedNonce
    ) {
        self.provider = provider
        credential = .authorizationCode(
            authorizationCode, redirectURI: redirectURI?.absoluteString, codeVerifier: codeVerifier, nonce)
    }

    /// A code and the ID token beside it, as a vendor's own kit gives them to an app. The wallet's server redeems the code,
    /// and takes it only from the person whom the token names.
    /// - Parameters:
    ///   - provider: the provider, as the wallet's server calls it.
    ///   - authorizationCode: as the kit gave it.
    ///   - idToken: as the kit gave it.
    ///   - nonce: from ``Wallet/federatedNonce()``; the kit was asked with its value.
    public init(provider: String, authorizationCode: String, idToken: String, nonce: FederatedNonce) {
        self.provider = provider
        credential = .authorizationCode(
            authorizationCode, redirectURI: nil, codeVerifier: nil, idToken: idToken, nonce)
    }

    /// An ID token that the provider's own kit gave the app.
    /// - Parameters:
    ///   - provider: the provider, as the wallet's server calls it.
    ///   - idToken: as the provider's kit gave it.
    ///   - nonce: from ``Wallet/federatedNonce()``; the kit was asked with its value.
    public init(provider: String, idToken: String, nonce: FederatedNonce) {
        self.provider = provider
        credential = .idToken(idToken, nonce)
    }

    /// The name and the password in the issuer's own user repository.
    /// - Parameters:
    ///   - provider: the repository, as the wallet's server calls it.
    ///   - username: as the person typed it.
    ///   - password: as the person typed it.
    public init(provider: String, username: String, password: String) {
        self.provider = provider
        credential = .password(username: username, password)
    }
}

extension FederatedIdentity: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The provider, and nothing of what it gave.
    public var description: String { "FederatedIdentity(provider: \(provider))" }
    /// The provider, and nothing of what it gave.
    public var debugDescription: String { description }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Somebody whom a provider knows and the wallet's server does not. ``Wallet/AccountEnrollment/createAndRegister(_:for:)``
/// makes an account; minutes later the sign-in has to be begun again.
public struct GuestContinuation: Sendable {
    let continuation: LoginContinuation
}

/// The account that is to be made for a guest.
public struct NewAccount: Sendable, Hashable {
    /// The user name, as the person chose it.
    public var username: String
    /// The e-mail address; nil for the one that the provider told, where it told one. An address that the provider did not
    /// vouch for has to be confirmed by a code.
    public var email: String?
    /// The person's language (BCP 47).
    public var locale: String?
    /// The version of the terms that the person accepted.
    public var acceptedTerms: String?

    /// Each parameter is the property of its name.
    public init(
        username: String, email: String? = nil, locale: String? = nil,
        acceptedTerms: String? = nil
    ) {
        self.username = username
        self.email = email
        self.locale = locale
        self.acceptedTerms = acceptedTerms
    }
}
