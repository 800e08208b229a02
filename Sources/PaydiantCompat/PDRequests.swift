public import Foundation

/// The superclass of what an app fills in or is handed. Reflection and `dump` show nothing of it: it may hold a credential.
#if canImport(ObjectiveC)
    @objcMembers
#endif
public class PDObject: NSObject, CustomReflectable {
    /// An empty mirror.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// A property that goes with a sign-in: in a request, something for the server's audit log; in a response, an attribute of the wallet.
public final class PDAuthenticationAdditionalData: PDObject {
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

/// The superclass of requests with properties.
public class PDLoginRequest: PDObject {
    /// What the server records with the sign-in: at most 16 properties. Of two with the same name the last one counts.
    public var additionalData: [PDAuthenticationAdditionalData]?

    var properties: [String: String] {
        (additionalData ?? []).reduce(into: [:]) { properties, item in
            if let name = item.additionalDataKey { properties[name] = item.additionalDataValue ?? "" }
        }
    }
}

/// A one-time token from the app's backend or another party that the issuer trusts.
public final class PDLoginByNonceRequest: PDLoginRequest {
    /// The token (`POST /v1/login-nonces`).
    public var nonce: String?
}

/// A credential from an identity provider that the server's operator has configured.
///
/// It holds either a code of the provider's authorization endpoint, or what the person typed for the issuer's own user repository.
/// A code needs the server's nonce: call ``PDAthenticationCoordinator/federatedNonce(completion:failure:)`` before the provider's
/// page is shown, and send the provider the value.
public final class PDLoginByFederatedIdentityRequest: PDLoginRequest {
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
}

/// What the person typed to start a long-running session.
public final class PDGenerateDeviceAuthenticationRequest: PDObject {
    /// The username as typed.
    public var username: String?
    /// The password as typed.
    public var password: String?
}

/// A newcomer, for ``PDUserEnrollmentCoordinator``.
public final class PDUser: PDObject {
    /// The e-mail address to prove, as typed. Set it or ``phoneNumber``.
    public var emailAddress: String?
    /// The phone number to prove, as typed, with the country's code.
    public var phoneNumber: String?
    /// The username that the person chose; nil for the address.
    public var username: String?
    /// The password that the person chose.
    public var password: String?
    /// The person's language (BCP 47).
    public var locale: String?
    /// The version or address of the terms that the person accepted.
    public var acceptedTerms: String?
}
