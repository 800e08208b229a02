public import Foundation
public import WalletAuthWire

extension Wallet {
    /// Everything a ``Wallet`` has to be told. There is no secret among it: an app cannot keep one.
    public struct Configuration: Sendable {
        /// The authorization server, and whether it is one to try things on.
        public var environment: Environment
        /// The client id under which the app is registered.
        public var clientID: String
        /// Who leads the sign-in: the SDK, the app, or nobody.
        public var signIn: SignIn
        /// The scopes to ask for, exactly: a server refuses what the client is not registered for. Many standard servers
        /// give a refresh token only for `offline_access`; this project's own gives one always.
        public var scopes: [String]
        /// What the sign-in page is to show or not (`prompt`, OpenID Connect Core section 3.1.2.1); an empty list asks for nothing.
        /// Nil asks for the consent page where ``scopes`` has `offline_access`, as OpenID Connect Core section 11 wants it; this
        /// project's own servers need no such thing, and a server that does not take the value is not sent it.
        public var prompt: [AuthorizationRequest.Prompt]?
        /// The merchant to act for, where the client belongs to merchants.
        public var merchantID: String?
        /// The languages for the sign-in page, the preferred one first (BCP 47).
        public var locales: [String]
        /// Where ``Wallet/perform(_:)`` may send a token. With bearer tokens, list the origins of the app's APIs here: by
        /// default such a token goes to the issuer's origin only.
        public var resources: ResourceOrigins
        /// Separates what this wallet keeps from what another wallet of the same program keeps, for instance one for each
        /// profile. Empty for the only one.
        public var storeName: String
        /// Whether ``Wallet/register(mfa:answer:)`` links this device to the account: it is enrolled with a key of its own,
        /// and no second factor is asked for on it from then on.
        public var linksDevice: Bool = true
        /// What the holder reads in the list of devices; nil for what the platform is called. 1 to 64 characters.
        public var deviceName: String?
        /// Where a hosted page on which the person agrees to an operation (``SCA/Channel``: `.redirect`) comes back to,
        /// registered for the client. Nil takes that of ``SignIn/full(redirectURI:)``; where there is
        /// none either, ``Wallet/perform(_:onSCA:choosing:)`` offers no such page.
        public var consentReturnURL: URL?
        /// The ports to use instead of the platform's.
        public var ports: Ports?

        /// Makes a configuration; what is not named has a default that suits a wallet app.
        /// - Parameters:
        ///   - environment: the authorization server.
        ///   - clientID: the client id.
        ///   - signIn: who leads the sign-in.
        ///   - scopes: the scopes to ask for.
        ///   - merchantID: the merchant to act for.
        ///   - locales: the languages of the sign-in page, BCP 47, the preferred one first.
        ///   - resources: where a token may be sent.
        ///   - storeName: what separates this wallet from another one of the same program and client.
        ///   - ports: the ports to use; nil for the platform's.
        public init(
            environment: Environment, clientID: String, signIn: SignIn, scopes: [String] = ["openid"],
            merchantID: String? = nil, locales: [String] = [], resources: ResourceOrigins = .anySecure,
            storeName: String = "", ports: Ports? = nil
        ) {
            self.environment = environment
            self.clientID = clientID
            self.signIn = signIn
            self.scopes = scopes
            self.merchantID = merchantID
            self.locales = locales
            self.resources = resources
            self.storeName = storeName
            self.ports = ports
        }
    }

    /// Which authorization server, and how strictly it is taken.
    public enum Environment: Sendable, Hashable {
        /// To try things on: http is allowed for a loopback address.
        case sandbox(issuer: URL)
        /// The real thing: https only.
        case production(issuer: URL)

        /// The issuer identifier, compared to the letter with what the server calls itself.
        public var issuer: URL {
            switch self {
            case .sandbox(let issuer), .production(let issuer): issuer
            }
        }
    }

    /// Who leads the sign-in.
    public enum SignIn: Sendable {
        /// The SDK opens the browser, redeems the code and renews the tokens.
        /// - Parameter redirectURI: claimed https, a reverse-DNS custom scheme or loopback, as registered for the client.
        case full(redirectURI: URL)
        /// The app leads the sign-in up to the code; the SDK redeems it and renews the tokens.
        /// - Parameter codeResponse: the code, or nil when there is no new one and the kept session is to be used.
        case partial(codeResponse: OAuthCodeResponse?)
        /// The app (or its backend) gets the tokens and renews them by ``Wallet/updateToken(_:expiresAt:)``.
        /// - Parameters:
        ///   - token: the access token.
        ///   - expiresAt: when it ends; nil takes it from the token where that is a JWT.
        case external(token: String, expiresAt: Date?)
    }

    /// Where ``Wallet/perform(_:)`` may send a token.
    public enum ResourceOrigins: Sendable, Hashable {
        /// A token that is bound to this device's key (DPoP) anywhere by https, and in the sandbox by http to a loopback
        /// address: without the key it is of no use to whoever receives it. A bearer token only to the issuer's origin,
        /// since anybody who receives it can use it (RFC 6750 §5.3).
        case anySecure
        /// Bound or not, only to these origins (scheme, host and port of each URL) and to the issuer's.
        case only([URL])
    }
}

/// A code that the app received in a sign-in of its own, with what is needed to redeem it.
public struct OAuthCodeResponse: Sendable {
    /// The authorization code.
    public let code: String
    /// The challenge with which the sign-in was begun.
    public let challenge: OAuthCodeChallenge
    /// The redirect URI of the authorization request.
    public let redirectURI: URL
    /// The nonce of the authorization request, if it had one: the ID token has to repeat it.
    public let nonce: String?

    /// Brings together what the app has.
    /// - Parameters:
    ///   - code: the authorization code, as it stood in the callback.
    ///   - challenge: the pair whose challenge was in the authorization request.
    ///   - redirectURI: the redirect URI of the authorization request, to the letter.
    ///   - nonce: the nonce of the authorization request, if it had one.
    public init(code: String, challenge: OAuthCodeChallenge, redirectURI: URL, nonce: String? = nil) {
        self.code = code
        self.challenge = challenge
        self.redirectURI = redirectURI
        self.nonce = nonce
    }
}

extension OAuthCodeResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Never the code.
    public var description: String { "OAuthCodeResponse(<redacted>)" }
    /// Never the code.
    public var debugDescription: String { description }
    /// Never the code.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension Wallet.SignIn: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The mode, never a token.
    public var description: String {
        switch self {
        case .full(let redirectURI): "full(redirectURI: \(redirectURI.absoluteString))"
        case .partial(.some): "partial(codeResponse: <redacted>)"
        case .partial(.none): "partial(codeResponse: nil)"
        case .external: "external(token: <redacted>)"
        }
    }
    /// The mode, never a token.
    public var debugDescription: String { description }
    /// The mode, never a token.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
