public import Foundation
public import WalletAuthWire

extension Wallet {
    /// What a sign-in page is asked for.
    public struct AuthenticationDetailsRequest: Sendable {
        /// Which page of a brand is shown.
        public enum LoginStrategy: String, Sendable, Hashable, Codable {
            /// By the PIN of the account, where the brand takes one: it is set on the account's page, and is no device's. The
            /// page offers the password, too. The call is refused where the brand takes none.
            case pin = "PIN"
            /// By password.
            case password = "PASSWORD"
        }

        /// The client id.
        public var clientIdentifier: String
        /// The PKCE challenge, method S256.
        public var codeChallenge: String
        /// Where a person who forgot the password is sent; registered for the client.
        public var resetCredentialsURL: String
        /// Repeated by the callback.
        public var state: String
        /// Registered for the client.
        public var redirectURI: String
        /// The language of the page (BCP 47).
        public var locale: String?
        /// Who probably signs in.
        public var loginHint: String?
        /// Which page is shown.
        public var loginStrategy: LoginStrategy?
        /// The verifier of `codeChallenge`, where the SDK is to keep it until the callback; an app whose backend redeems
        /// the code may keep it itself.
        public var codeVerifier: CodeVerifier?

        /// With a challenge whose verifier the app keeps.
        /// - Parameters:
        ///   - clientIdentifier: the client id.
        ///   - codeChallenge: `BASE64URL(SHA-256(verifier))` (RFC 7636 §4.2).
        ///   - resetCredentialsURL: where a person who forgot the password is sent.
        ///   - state: what the callback repeats; unguessable, a new one for each sign-in.
        ///   - redirectURI: the redirect URI, to the letter.
        ///   - locale: the language of the page, BCP 47.
        ///   - loginHint: who probably signs in.
        ///   - loginStrategy: which page is shown; the brand's own choice without one.
        public init(
            clientIdentifier: String, codeChallenge: String, resetCredentialsURL: String, state: String,
            redirectURI: String, locale: String? = nil, loginHint: String? = nil, loginStrategy: LoginStrategy? = nil
        ) {
            self.clientIdentifier = clientIdentifier
            self.codeChallenge = codeChallenge
            self.resetCredentialsURL = resetCredentialsURL
            self.state = state
            self.redirectURI = redirectURI
            self.locale = locale
            self.loginHint = loginHint
            self.loginStrategy = loginStrategy
        }

        /// With a challenge whose verifier the SDK keeps: the sign-in survives that the app is killed meanwhile.
        /// - Parameters:
        ///   - clientIdentifier: the client id.
        ///   - codeChallenge: the pair; its verifier is kept until the callback.
        ///   - resetCredentialsURL: where a person who forgot the password is sent.
        ///   - state: what the callback repeats; unguessable, a new one for each sign-in.
        ///   - redirectURI: the redirect URI, to the letter.
        ///   - locale: the language of the page, BCP 47.
        ///   - loginHint: who probably signs in.
        ///   - loginStrategy: which page is shown; the brand's own choice without one.
        public init(
            clientIdentifier: String, codeChallenge: OAuthCodeChallenge, resetCredentialsURL: String, state: String,
            redirectURI: String, locale: String? = nil, loginHint: String? = nil, loginStrategy: LoginStrategy? = nil
        ) {
            self.init(
                clientIdentifier: clientIdentifier, codeChallenge: codeChallenge.challenge.rawValue,
                resetCredentialsURL: resetCredentialsURL, state: state, redirectURI: redirectURI, locale: locale,
                loginHint: loginHint, loginStrategy: loginStrategy)
            codeVerifier = codeChallenge.verifier
        }
    }

    /// Where a sign-in begins.
    public struct AuthenticationDetails: Sendable, Hashable {
        /// To be opened in an external user agent.
        public let authenticationURL: URL
        /// How long it may take until it is opened.
        public let expiresIn: Duration
    }

    /// A code whose callback was checked: its `state` is of a sign-in that this device began, its issuer is ours.
    public struct VerifiedCode: Sendable {
        /// The code; `reveal()` hands it out.
        public let code: AuthorizationCode
        /// The verifier, where the SDK kept it.
        public let verifier: CodeVerifier?
        /// The redirect URI to redeem it with.
        public let redirectURI: URL
        /// The state of the sign-in.
        public let state: String
        let nonce: Nonce?
        let scopes: [String]
    }

    /// Sign-in through a page that the app opens.
    public struct Authentication: Sendable {
        let core: WalletCore

        /// Asks the server for the URL of its sign-in page with the brand's look. The pending sign-in is stored first, so
        /// that ``callback(_:)`` knows it even when the app was killed meanwhile. The page is for an external user agent
        /// (RFC 8252), never for a web view of the app.
        /// - Parameters:
        ///   - brandIdentity: the brand whose look the page has.
        ///   - request: for which client, and what the page shows.
        /// - Returns: the URL to open, and how long it is good.
        /// - Throws: ``WalletError``: `invalid_configuration` for a malformed request, `brand_not_found`, `invalid_client`,
        ///   `unregistered_url`, `login_strategy_unavailable`, `store_unavailable`, `offline`, `temporarily_unavailable`.
        public func getAuthenticationDetails(
            brandIdentity: String, request: AuthenticationDetailsRequest
        ) async throws -> AuthenticationDetails {
            try await core.authenticationDetails(brandIdentity: brandIdentity, request: request)
        }

        /// Checks a callback (`state`, `iss`, redirect URI) against the sign-ins that are pending on this device, and
        /// hands out its code once: for the app's backend, or for ``Wallet/authenticate(code:)``.
        /// - Parameter url: with which the app was opened, or where its browser ended.
        /// - Returns: the code, with what is needed to redeem it.
        /// - Throws: ``WalletError``; also when the callback is a refusal (`access_denied` …).
        public func callback(_ url: URL) async throws -> VerifiedCode {
            try await core.callback(url)
        }
    }
}
