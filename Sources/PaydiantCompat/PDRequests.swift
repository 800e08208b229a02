public import Foundation

/// A property that goes with a sign-in: in a request, something for the server's audit log; in a response, an attribute of the wallet.
#if canImport(ObjectiveC)
    @objc(PDAuthenticationAdditionalData) @objcMembers
#endif
public final class PDAuthenticationAdditionalData: NSObject {
    /// The name, for example `hostIP`.
    public var additionalDataKey: String?
    /// The value. In a request, never a secret.
    public var additionalDataValue: String?

    /// Creates a property. Each parameter sets the property of the same name.
    public convenience init(additionalDataKey: String, additionalDataValue: String) {
        self.init()
        self.additionalDataKey = additionalDataKey
        self.additionalDataValue = additionalDataValue
    }
}

/// A one-time token from the app's backend or another party that the issuer trusts.
#if canImport(ObjectiveC)
    @objc(PDLoginByNonceRequest) @objcMembers
#endif
public final class PDLoginByNonceRequest: NSObject {
    /// The token (`POST /v1/login-nonces`).
    public var nonce: String?
    /// What the server records with the sign-in: at most 16 properties.
    public var additionalData: [PDAuthenticationAdditionalData]?
}

/// A credential from an identity provider that the server's operator has configured.
///
/// It holds either a code of the provider's authorization endpoint, or what the person typed for the issuer's own user repository.
/// A code needs the server's nonce: call ``PDAthenticationCoordinator/federatedNonce(completion:failure:)`` before the provider's
/// page is shown, and send the provider the value.
#if canImport(ObjectiveC)
    @objc(PDLoginByFederatedIdentityRequest) @objcMembers
#endif
public final class PDLoginByFederatedIdentityRequest: NSObject {
    /// The provider's code, which the server redeems.
    public var authorizationCode: String?
    /// The server's name for the provider.
    public var identityProvider: String?
    /// The username in the issuer's own user repository.
    public var username: String?
    /// The password in the issuer's own user repository.
    public var password: String?
    /// The redirect URI of the app's request to the provider.
    public var redirectURI: URL?
    /// The PKCE verifier of the app's request to the provider.
    public var codeVerifier: String?
    /// What the server records with the sign-in: at most 16 properties.
    public var additionalData: [PDAuthenticationAdditionalData]?
}

/// What the person typed to start a long-running session.
#if canImport(ObjectiveC)
    @objc(PDGenerateDeviceAuthenticationRequest) @objcMembers
#endif
public final class PDGenerateDeviceAuthenticationRequest: NSObject {
    /// The username as typed.
    public var username: String?
    /// The password as typed.
    public var password: String?

    /// Creates a request. Each parameter sets the property of the same name.
    public convenience init(username: String, password: String) {
        self.init()
        self.username = username
        self.password = password
    }
}

/// The result of a sign-in by nonce or by another provider.
#if canImport(ObjectiveC)
    @objc(PDLoginResponse) @objcMembers
#endif
public final class PDLoginResponse: NSObject {
    /// The wallet's attributes that have a text, a number or a truth value, and then the properties of the request.
    public let additionalData: [PDAuthenticationAdditionalData]

    init(additionalData: [PDAuthenticationAdditionalData]) { self.additionalData = additionalData }
}

// Reflection and `dump` show no credential.

extension PDLoginByNonceRequest: CustomReflectable {
    /// An empty mirror.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension PDLoginByFederatedIdentityRequest: CustomReflectable {
    /// An empty mirror.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension PDGenerateDeviceAuthenticationRequest: CustomReflectable {
    /// An empty mirror.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
