public import Foundation
import WalletAuthTransport
public import WalletAuthWire

extension Wallet {
    /// The parameters of a hosted sign-in page.
    public struct AuthenticationDetailsRequest: Sendable {
        /// The first factor that the page asks for.
        public typealias LoginStrategy = AuthorizationRequest.LoginStrategy

        /// The client id.
        public var clientIdentifier: String
        /// The PKCE challenge (S256).
        public var codeChallenge: String
        /// Where the page sends a person who forgot their password; must be registered for the client.
        public var resetCredentialsURL: String
        /// An opaque value that the callback repeats.
        public var state: String
        /// The redirect URI; must be registered for the client.
        public var redirectURI: String
        /// The language of the page (BCP 47).
        public var locale: String?
        /// The user name to prefill.
        public var loginHint: String?
        /// The page to show; nil for the brand's default.
        public var loginStrategy: LoginStrategy?
        /// The verifier of `codeChallenge`, if the SDK should keep it until the callback. Leave it out if the app's
        /// backend redeems the code.
        public var codeVerifier: CodeVerifier?

        /// Creates a request with a challenge whose verifier the app keeps.
        /// - Parameters:
        ///   - clientIdentifier: the client id.
        ///   - codeChallenge: `BASE64URL(SHA-256(verifier))` (RFC 7636 §4.2).
        ///   - resetCredentialsURL: where the page sends a person who forgot their password.
        ///   - state: an unguessable value that the callback repeats; new for each sign-in.
        ///   - redirectURI: the redirect URI, exactly as registered.
        ///   - locale: the language of the page (BCP 47).
        ///   - loginHint: the user name to prefill.
        ///   - loginStrategy: the page to show; nil for the brand's default.
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

        /// Creates a request with a challenge whose verifier the SDK keeps. The sign-in survives if the app is killed
        /// meanwhile.
        /// - Parameters:
        ///   - clientIdentifier: the client id.
        ///   - codeChallenge: the pair; the SDK keeps its verifier until the callback.
        ///   - resetCredentialsURL: where the page sends a person who forgot their password.
        ///   - state: an unguessable value that the callback repeats; new for each sign-in.
        ///   - redirectURI: the redirect URI, exactly as registered.
        ///   - locale: the language of the page (BCP 47).
        ///   - loginHint: the user name to prefill.
        ///   - loginStrategy: the page to show; nil for the brand's default.
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

    /// The URL that starts a hosted sign-in.
    public struct AuthenticationDetails: Sendable, Hashable {
        /// The page to open in an external user agent.
        public let authenticationURL: URL
        /// How long the URL stays valid before it is opened.
        public let expiresIn: Duration
    }

    /// An authorization code from a verified callback: its `state` belongs to a sign-in that this device began, and its
    /// issuer is the configured one.
    public struct VerifiedCode: Sendable {
        /// The code; `reveal()` hands it out.
        public let code: AuthorizationCode
        /// The verifier, if the SDK kept it.
        public let verifier: CodeVerifier?
        /// The redirect URI to redeem it with.
        public let redirectURI: URL
        /// The `state` of the sign-in.
        public let state: String
        let nonce: Nonce?
        let scopes: [String]
    }

    /// Sign-in through a hosted page that the app opens.
    public struct Authentication: Sendable {
        let wallet: Wallet

        /// Asks the server for the URL of a brand's sign-in page.
        ///
        /// The pending sign-in is stored first, so that ``callback(_:)`` recognizes it even if the app was killed
        /// meanwhile. Open the page in an external user agent (RFC 8252), never in a web view of the app.
        /// - Parameters:
        ///   - brandIdentity: the brand whose look the page has.
        ///   - request: the client and the parameters of the page.
        /// - Returns: the URL to open, and how long it is valid.
        /// - Throws: ``WalletError``: `invalid_configuration` for a malformed request, `brand_not_found`,
        ///   `invalid_client`, `unauthorized_client` for a client that has to push or sign its requests, `unregistered_url`,
        ///   `login_strategy_unavailable`, `store_unavailable`, `offline`, `temporarily_unavailable`.
        public func getAuthenticationDetails(
            brandIdentity: String, request: AuthenticationDetailsRequest
        ) async throws -> AuthenticationDetails {
            try await wallet.log.during(.authenticationDetails) {
                let operation = WalletError.Operation.authenticationDetails
                let brand: BrandID
                let wire: WalletAuthWire.AuthenticationDetailsRequest
                do { (brand, wire) = (try BrandID(brandIdentity), try request.wire) } catch {
                    throw WalletError(
                        .invalidConfiguration, .misconfigured, during: operation,
                        reason: "the request is malformed: \(error)")
                }
                guard let url = URL(string: wallet.calls.issuer.url(path: Endpoints.authenticationDetails.path(brand)))
                else {
                    throw WalletError(
                        .invalidConfiguration, .misconfigured, during: operation,
                        reason: "the brand cannot be part of a URL")
                }
                let login = PendingLogin(
                    state: wire.state, verifier: request.codeVerifier, nonce: wire.nonce, redirectURI: wire.redirectURI,
                    scopes: wire.scope?.tokens ?? [], begunAt: wallet.keeper.clock.now)
                try await wallet.keeper.change { $0.begin(login) }
                // Safe to repeat: a second request only creates a second URL.
                let answer = try await wallet.calls.exchange.send(
                    HTTPRequest(url, .json(wire.json)), policy: .idempotent)
                let response = try answer.message(AuthenticationDetailsResponse.self, during: operation)
                guard let page = URL(string: response.authenticationURL.rawValue),
                    wallet.configuration.environment.allows(page)
                else {
                    throw WalletError(
                        .malformedAnswer, .misconfigured, during: operation, reachedServer: true,
                        reason: "the page's URL may not be opened in this environment")
                }
                return AuthenticationDetails(
                    authenticationURL: page, expiresIn: .seconds(max(0, response.expiresIn)))
            }
        }

        /// Verifies a callback (`state`, `iss`, redirect URI) against the sign-ins pending on this device, and returns
        /// its code once: for the app's backend, or for ``Wallet/authenticate(code:)``.
        /// - Parameter url: the URL that opened the app, or the last URL of its browser session.
        /// - Returns: the code, and everything needed to redeem it.
        /// - Throws: ``WalletError``; also if the callback is a refusal (`access_denied` …).
        public func callback(_ url: URL) async throws -> VerifiedCode {
            try await wallet.log.during(.signIn) {
                switch try await wallet.receiver.receive(url, during: .signIn) {
                case .code(let code, let login):
                    guard let redirectURI = URL(string: login.redirectURI.rawValue) else {
                        throw MalformedValue(field: "redirect_uri", reason: "is not a URL")
                    }
                    return VerifiedCode(
                        code: code, verifier: login.verifier, redirectURI: redirectURI, state: login.state.rawValue,
                        nonce: login.nonce, scopes: login.scopes)
                case .repeated:
                    throw WalletError(
                        .codeAlreadyUsed, .refused, during: .signIn, reason: "this response has already been used")
                }
            }
        }
    }
}

extension Wallet.AuthenticationDetailsRequest {
    /// The request as the server reads it.
    var wire: AuthenticationDetailsRequest {
        get throws {
            var wire = AuthenticationDetailsRequest(
                clientID: try ClientID(clientIdentifier), codeChallenge: try CodeChallenge(codeChallenge),
                resetCredentialsURL: try WebURL(resetCredentialsURL), state: try OAuthState(state),
                redirectURI: try RedirectURI(redirectURI))
            if let codeVerifier, !wire.codeChallenge.verify(codeVerifier) {
                throw MalformedValue(field: "codeVerifier", reason: "does not match the challenge")
            }
            wire.locale = try locale.map { try LocaleTag($0) }
            wire.loginHint = loginHint
            wire.loginStrategy = loginStrategy
            return wire
        }
    }
}
