public import Foundation
import WalletAuth
import WalletAuthWire

extension Wallet {
    /// What the sign-in page asks for first.
    public enum LoginStrategy: String, Sendable, Hashable {
        /// The account's PIN, if the brand accepts one.
        case pin = "PIN"
        /// The password.
        case password = "PASSWORD"
    }

    /// The parameters of a hosted sign-in page.
    public struct AuthenticationDetailsRequest: Sendable {
        private let counterpart: WalletAuth.Wallet.AuthenticationDetailsRequest

        /// Creates a request.
        /// - Parameters:
        ///   - clientIdentifier: the client id.
        ///   - codeChallenge: base64url of the verifier's SHA-256.
        ///   - resetCredentialsURL: where the page sends a person who forgot their password; must be registered for the client.
        ///   - state: an unguessable value that the callback repeats; new for each sign-in.
        ///   - redirectURI: where the page returns to; must be registered for the client. Not `http`, except on this device.
        ///   - locale: the language of the page.
        ///   - loginHint: the user name to prefill.
        ///   - loginStrategy: what the page asks for first; nil for the brand's default.
        public init(
            clientIdentifier: String, codeChallenge: String, resetCredentialsURL: String, state: String,
            redirectURI: String, locale: String? = nil, loginHint: String? = nil, loginStrategy: LoginStrategy? = nil
        ) {
            counterpart = WalletAuth.Wallet.AuthenticationDetailsRequest(
                clientIdentifier: clientIdentifier, codeChallenge: codeChallenge,
                resetCredentialsURL: resetCredentialsURL, state: state, redirectURI: redirectURI, locale: locale,
                loginHint: loginHint, loginStrategy: loginStrategy.flatMap { .init(rawValue: $0.rawValue) })
        }

        /// The request in the terms of `WalletAuth`.
        /// - Throws: `WalletAuth.WalletError` for a redirect URI with `http`.
        func checked() throws -> WalletAuth.Wallet.AuthenticationDetailsRequest {
            let redirectURI = counterpart.redirectURI
            guard redirectURI.lowercased().hasPrefix("http:"), (try? RedirectURI(redirectURI)) == nil else {
                return counterpart
            }
            throw WalletAuth.WalletError(
                .invalidConfiguration, .misconfigured, during: .authenticationDetails,
                reason: "the redirect URI is http, so others on the network could read the code: register an https link"
                    + " that the app claims, or a scheme of its own such as com.example.app:/callback")
        }
    }

    /// Where the sign-in begins.
    public struct AuthenticationDetailsResponse: Sendable, Hashable {
        /// The page to open in an external user agent.
        public let authenticationURL: URL
    }
}
