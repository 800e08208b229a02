import ArgumentParser
import Foundation
import WalletAuth
import WalletAuthLoopback
import WalletAuthWire

/// Sign-in with an identity provider: by its page, by its user repository, or with Apple.
struct ProviderOptions: ParsableArguments {
    @Option(
        name: .customLong("provider"),
        help: ArgumentHelp("Sign in with an identity provider.", valueName: "provider"))
    var name: String?

    @Option(
        name: .customLong("provider-page"),
        help: ArgumentHelp("The provider's authorization endpoint, shown in the browser.", valueName: "url"))
    var page: String?

    @Option(
        name: .customLong("provider-client-id"),
        help: ArgumentHelp(
            "The wallet server's client id at the provider; for Apple, the app's bundle id, by default this client's id.",
            valueName: "id"))
    var clientID: String?

    @OptionGroup var apple: AppleOptions

    @Option(
        name: .customLong("new-username"),
        help: ArgumentHelp(
            "The user name for your new account, if the provider knows you and the server does not.",
            valueName: "name"),
        transform: TypedText.trimmed)
    var newUsername: String?

    @Option(
        name: .customLong("link-to"),
        help: ArgumentHelp(
            "The user name of your existing account: sign in to it, and use the provider from then on.",
            valueName: "name"),
        transform: TypedText.trimmed)
    var existingUsername: String?

    /// Whether there is an option that only makes sense with `--provider`.
    var hasDetails: Bool {
        page != nil || clientID != nil || newUsername != nil || existingUsername != nil || apple.isNamed
    }

    /// The action for an identity that is not linked to an account.
    var unlinkedIdentity: TerminalSignIn.UnlinkedIdentity {
        newUsername.map(TerminalSignIn.UnlinkedIdentity.create) ?? .askForName
    }
}

/// An identity provider's own page in the browser. Wallet apps run this step themselves before they sign in with the
/// result.
struct ProviderPage {
    let endpoint: URL
    /// The client id of the wallet's server at the provider.
    let clientID: String
    /// The loopback redirect URI registered for that client.
    let redirectURI: URL
    let opener: @Sendable (URL) async throws -> Void

    /// Runs the sign-in there (OpenID Connect Core §3.1.2.1, with PKCE) and returns the code.
    /// - Throws: ``Failure``; `UserAgentFailure`.
    func identity(of provider: String, nonce: FederatedNonce) async throws -> FederatedIdentity {
        #if os(Linux)
            let session = try await LoopbackUserAgent(timeout: Profile.browserPatience, opener: opener).begin(
                redirectURI: redirectURI)
            do {
                return try await present(session, provider: provider, nonce: nonce)
            } catch {
                await session.close()
                throw error
            }
        #else
            throw Failure(
                code: "unsupported", message: "this wallet cannot show a provider's page here",
                advice: "use it on Linux")
        #endif
    }

    /// The provider's error response (RFC 6749 §4.1.2.1).
    func refusal(_ error: String) -> Failure {
        let refused = "the provider refused: \(error)"
        return switch error {
        case "access_denied":
            Failure(
                code: error, message: "you or the provider refused the sign-in on its page",
                advice: "start again to sign in")
        case "server_error", "temporarily_unavailable":
            Failure(code: error, message: refused, advice: "try again later")
        default:
            Failure(
                code: error, message: refused,
                advice:
                    "compare --provider-client-id with walletauth provider show, and register \(redirectURI.absoluteString) "
                    + "for it at the provider")
        }
    }

    private func present(
        _ session: any UserAgentSession, provider: String, nonce: FederatedNonce
    ) async throws -> FederatedIdentity {
        let pkce = OAuthCodeChallenge()
        // Random like a verifier, but not connected to one.
        let state = OAuthCodeChallenge().challenge.rawValue
        guard var components = URLComponents(url: endpoint, resolvingAgainstBaseURL: false) else {
            throw Failure(
                code: "invalid_configuration", message: "\(endpoint) is not a URL",
                advice: "correct --provider-page: it is the authorization endpoint in the provider's metadata")
        }
        components.queryItems =
            (components.queryItems ?? []) + [
                URLQueryItem(name: "response_type", value: "code"), URLQueryItem(name: "client_id", value: clientID),
                URLQueryItem(name: "redirect_uri", value: session.redirectURI.absoluteString),
                URLQueryItem(name: "scope", value: "openid email"), URLQueryItem(name: "state", value: state),
                URLQueryItem(name: "nonce", value: nonce.value),
                URLQueryItem(name: "code_challenge", value: pkce.challenge.rawValue),
                URLQueryItem(name: "code_challenge_method", value: CodeChallenge.method),
            ]
        guard let page = components.url, case .callback(let callback) = try await session.present(page) else {
            throw Failure(
                code: "no_answer", message: "the browser did not return from the provider's page", advice: "start again"
            )
        }
        let answer = URLComponents(url: callback, resolvingAgainstBaseURL: false)?.queryItems ?? []
        func value(_ name: String) -> String? { answer.first { $0.name == name }?.value }
        guard value("state") == state else {
            throw Failure(
                code: "unknown_state", message: "the provider's response does not belong to this sign-in",
                advice: "close other sign-ins in the browser, and start again")
        }
        if let error = value("error") { throw refusal(error) }
        guard let code = value("code") else {
            throw Failure(
                code: "no_code", message: "the provider's response has no code",
                advice: "correct --provider-page: it is the authorization endpoint in the provider's metadata")
        }
        return FederatedIdentity(
            provider: provider, authorizationCode: code, redirectURI: session.redirectURI,
            codeVerifier: pkce.verifier.reveal(), nonce: nonce)
    }
}
