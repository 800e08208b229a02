public import Foundation
public import WalletAuthWire

extension Wallet {
    /// The configuration of a ``Wallet``. It holds no secret: an app cannot keep one.
    public struct Configuration: Sendable {
        /// The authorization server, and whether it is a sandbox.
        public var environment: Environment
        /// The app's client id.
        public var clientID: String
        /// Which part of the sign-in the SDK performs.
        public var signIn: SignIn
        /// The scopes to request, exactly: a server refuses scopes that the client is not registered for. Many standard
        /// servers issue a refresh token only for `offline_access`; this project's server always issues one.
        public var scopes: [String]
        /// The `prompt` values for the sign-in page (OpenID Connect Core §3.1.2.1); an empty list sends none. Nil
        /// requests the consent page if ``scopes`` contains `offline_access`, as OpenID Connect Core §11 requires. This
        /// project's server does not need it, and the SDK does not send it to a server that does not support the value.
        public var prompt: [AuthorizationRequest.Prompt]?
        /// The merchant to act for, if the client belongs to merchants.
        public var merchantID: String?
        /// The languages of the sign-in page in order of preference (BCP 47).
        public var locales: [String]
        /// Where ``Wallet/perform(_:)`` may send a token. With bearer tokens, list the origins of the app's APIs here:
        /// by default, a bearer token goes to the issuer's origin only.
        public var resources: ResourceOrigins
        /// Separates this wallet's items from those of another wallet in the same program, for instance one per
        /// profile. Leave it empty if there is only one.
        public var storeName: String
        /// Whether ``Wallet/register(mfa:answer:)`` links this device to the account. A linked device has an enrolled
        /// key of its own and is no longer asked for a second factor.
        public var linksDevice: Bool
        /// The name in the account's list of devices, 1 to 64 characters; nil for the platform's name.
        public var deviceName: String?
        /// Where a hosted consent page (``SCA/Channel``: `.redirect`) redirects to; must be registered for the client.
        /// Nil uses the URI of ``SignIn/full(redirectURI:)``. If there is none either,
        /// ``Wallet/perform(_:onSCA:choosing:)`` does not offer the page.
        public var consentReturnURL: URL?
        /// When face or fingerprint has to wait until the PIN is typed again; nil for no limit. The device enforces it,
        /// for sign-ins, transactions and consents; it does not apply if the device never had a PIN for the account.
        public var biometricPolicy: BiometricPolicy?
        /// The ports to use; nil for the platform's.
        public var ports: Ports?

        /// Creates a configuration. The defaults suit a wallet app.
        /// - Parameters:
        ///   - environment: the authorization server.
        ///   - clientID: the client id.
        ///   - signIn: which part of the sign-in the SDK performs.
        ///   - scopes: the scopes to request.
        ///   - prompt: the `prompt` values for the sign-in page; nil for what the scopes need.
        ///   - merchantID: the merchant to act for.
        ///   - locales: the languages of the sign-in page in order of preference (BCP 47).
        ///   - resources: where a token may be sent.
        ///   - storeName: separates this wallet from another one of the same program and client.
        ///   - linksDevice: whether a sign-in with a second factor links this device to the account.
        ///   - deviceName: the name in the account's list of devices; nil for the platform's name.
        ///   - consentReturnURL: where a hosted consent page redirects to; nil for the redirect URI of `signIn`.
        ///   - biometricPolicy: when face or fingerprint has to wait until the PIN is typed again; nil for no limit.
        ///   - ports: the ports to use; nil for the platform's.
        public init(
            environment: Environment, clientID: String, signIn: SignIn, scopes: [String] = ["openid"],
            prompt: [AuthorizationRequest.Prompt]? = nil, merchantID: String? = nil, locales: [String] = [],
            resources: ResourceOrigins = .anySecure, storeName: String = "", linksDevice: Bool = true,
            deviceName: String? = nil, consentReturnURL: URL? = nil, biometricPolicy: BiometricPolicy? = nil,
            ports: Ports? = nil
        ) {
            self.environment = environment
            self.clientID = clientID
            self.signIn = signIn
            self.scopes = scopes
            self.prompt = prompt
            self.merchantID = merchantID
            self.locales = locales
            self.resources = resources
            self.storeName = storeName
            self.linksDevice = linksDevice
            self.deviceName = deviceName
            self.consentReturnURL = consentReturnURL
            self.biometricPolicy = biometricPolicy
            self.ports = ports
        }
    }

    /// The authorization server, and how strictly the SDK treats it.
    public enum Environment: Sendable, Hashable {
        /// For development: http is allowed to a loopback address.
        case sandbox(issuer: URL)
        /// For production: https only.
        case production(issuer: URL)

        /// The issuer identifier. It must match the server's own identifier exactly.
        public var issuer: URL {
            switch self {
            case .sandbox(let issuer), .production(let issuer): issuer
            }
        }
    }

    /// Which part of the sign-in the SDK performs.
    public enum SignIn: Sendable, Hashable {
        /// The SDK opens the browser, redeems the code and renews the tokens.
        /// - Parameter redirectURI: claimed https, reverse-DNS custom scheme or loopback, as registered for the client.
        case full(redirectURI: URL)
        /// The app obtains the code; the SDK redeems it and renews the tokens.
        /// - Parameter codeResponse: the code; nil to continue with the stored session.
        case partial(codeResponse: OAuthCodeResponse?)
        /// The app (or its backend) obtains the tokens and renews them with ``Wallet/updateToken(_:expiresAt:)``.
        /// - Parameters:
        ///   - token: the access token.
        ///   - expiresAt: when it expires; nil reads the time from the token if it is a JWT.
        case external(token: String, expiresAt: Date?)
    }

    /// Where ``Wallet/perform(_:)`` may send a token.
    public enum ResourceOrigins: Sendable, Hashable {
        /// A token bound to this device's key (DPoP) may go anywhere over https, and in the sandbox over http to a
        /// loopback address: a recipient cannot use it without the key. A bearer token goes to the issuer's origin
        /// only, because any recipient can use it (RFC 6750 §5.3).
        case anySecure
        /// Bound or not, tokens go only to these origins (scheme, host and port of each URL) and to the issuer's.
        case only([URL])
    }
}

extension Wallet.Configuration {
    /// Whether both lead to the same wallet, apart from the ports, which cannot be compared.
    /// - Parameter other: another configuration.
    package func isEqual(exceptPorts other: Self) -> Bool {
        environment == other.environment && clientID == other.clientID && signIn == other.signIn
            && scopes == other.scopes && prompt == other.prompt && merchantID == other.merchantID
            && locales == other.locales && resources == other.resources && storeName == other.storeName
            && linksDevice == other.linksDevice && deviceName == other.deviceName
            && consentReturnURL == other.consentReturnURL && biometricPolicy == other.biometricPolicy
    }
}

// The flows do not know the configuration. ``Wallet/init(configuration:)`` gives them these values of it.

extension Wallet.Configuration {
    /// The return URL of hosted consent pages.
    var pageReturnURL: URL? {
        if let consentReturnURL { return consentReturnURL }
        if case .full(let redirectURI) = signIn { return redirectURI }
        return nil
    }
}

extension Wallet.ResourceOrigins {
    /// The listed origins; nil if any may have a token.
    var listed: [String]? {
        switch self {
        case .anySecure: nil
        case .only(let origins): origins.map(\.origin)
        }
    }
}

extension Wallet.SignIn {
    /// Whether the app obtains and renews the tokens.
    var isExternal: Bool {
        if case .external = self { true } else { false }
    }
}

extension Wallet.SignIn: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The mode, without any token.
    public var description: String {
        switch self {
        case .full(let redirectURI): "full(redirectURI: \(redirectURI.absoluteString))"
        case .partial(.some): "partial(codeResponse: <redacted>)"
        case .partial(.none): "partial(codeResponse: nil)"
        case .external: "external(token: <redacted>)"
        }
    }
    /// The mode, without any token.
    public var debugDescription: String { description }
    /// An empty mirror, without any token.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
