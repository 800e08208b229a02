public import Foundation

/// A credential from an identity provider. Pass it to
/// ``Wallet/login(federatedIdentity:strength:properties:requestedAttributes:)`` once; the SDK does not keep it.
public struct FederatedIdentity: Sendable {
    enum Credential: Sendable {
        case authorizationCode(
            String, redirectURI: String?, codeVerifier: String?, idToken: String? = nil, FederatedNonce)
        case idToken(String, FederatedNonce)
        case password(username: String, String)
    }

    let provider: String
    let credential: Credential

    /// Creates an identity from a code of the provider's authorization endpoint. The wallet's server redeems it, so the
    /// app needs no secret.
    /// - Parameters:
    ///   - provider: the server's name for the provider.
    ///   - authorizationCode: the code that the provider sent.
    ///   - redirectURI: the redirect URI of the app's request to the provider.
    ///   - codeVerifier: the PKCE verifier of that request.
    ///   - nonce: from ``Wallet/federatedNonce()``; it was the `nonce` of that request.
    public init(
        provider: String, authorizationCode: String, redirectURI: URL?, codeVerifier: String?, nonce: FederatedNonce
    ) {
        self.provider = provider
        credential = .authorizationCode(
            authorizationCode, redirectURI: redirectURI?.absoluteString, codeVerifier: codeVerifier, nonce)
    }

    /// Creates an identity from a code and an ID token, as a vendor's SDK returns them. The wallet's server redeems the
    /// code, and accepts it only for the person whom the token names.
    /// - Parameters:
    ///   - provider: the server's name for the provider.
    ///   - authorizationCode: the code from the vendor's SDK.
    ///   - idToken: the ID token from the vendor's SDK.
    ///   - nonce: from ``Wallet/federatedNonce()``; the vendor's SDK was called with its value.
    public init(provider: String, authorizationCode: String, idToken: String, nonce: FederatedNonce) {
        self.provider = provider
        credential = .authorizationCode(
            authorizationCode, redirectURI: nil, codeVerifier: nil, idToken: idToken, nonce)
    }

    /// Creates an identity from an ID token of the provider's SDK.
    /// - Parameters:
    ///   - provider: the server's name for the provider.
    ///   - idToken: the ID token from the provider's SDK.
    ///   - nonce: from ``Wallet/federatedNonce()``; the provider's SDK was called with its value.
    public init(provider: String, idToken: String, nonce: FederatedNonce) {
        self.provider = provider
        credential = .idToken(idToken, nonce)
    }

    /// Creates an identity from a user name and password in the issuer's own user repository.
    /// - Parameters:
    ///   - provider: the server's name for the repository.
    ///   - username: the user name as typed.
    ///   - password: the password as typed.
    public init(provider: String, username: String, password: String) {
        self.provider = provider
        credential = .password(username: username, password)
    }
}

extension FederatedIdentity: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The provider, without the credential.
    public var description: String { "FederatedIdentity(provider: \(provider))" }
    /// The provider, without the credential.
    public var debugDescription: String { description }
    /// An empty mirror, without the credential.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// A person whom the provider knows and the wallet's server does not.
/// ``Wallet/AccountEnrollment/createAndRegister(_:for:)`` creates an account for them. After a few minutes, the sign-in
/// must start again.
public struct GuestContinuation: Sendable {
    let continuation: LoginContinuation
}

/// The account to create for a guest.
public struct NewAccount: Sendable, Hashable {
    /// The user name that the person chose.
    public var username: String
    /// The e-mail address; nil for the provider's, if it sent one. An address that the provider did not verify must be
    /// confirmed with a code.
    public var email: String?
    /// The person's language (BCP 47).
    public var locale: String?
    /// The version of the terms that the person accepted.
    public var acceptedTerms: String?

    /// Creates an account description. Each parameter sets the property of the same name.
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
