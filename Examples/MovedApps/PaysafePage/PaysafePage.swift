import CryptoKit
import PaysafeCompat
import SafariServices

// The Swift code of Paysafe's page "Authentication" in an app that moved here: its import was `PaysafeWallet`.
//
// Three things are not as printed, since no compiler takes them. A case with nothing but a comment has the app's call in its place.
// A closure calls `present` without `self`, so it is a function of the method here. And what the page declares as `"..."` and
// other examples are parameters.

/// An app's screens for signing in and for consent.
@MainActor
public final class PaysafeScreens {
    // MARK: As printed

    let authentication = Wallet.instance.authenticationService

    // MARK: The app's own

    /// What came back.
    public enum Event: Sendable {
        /// The sign-in page is shown.
        case shownPage(URL)
        /// A challenge was sent.
        case challenge(Wallet.SCAAuthenticationEventChallengeEmbeddedHybridResponse)
        /// A value was compared.
        case attempt(Wallet.SCAAuthenticationEventAttemptEmbeddedHybridResponse)
        /// The operation was carried out.
        case done(Wallet.OperationResponse)
        /// A call failed.
        case failed(Wallet.WalletError)
    }

    /// The screen above which the sign-in page is shown.
    public let screen = UIViewController()
    let handle: @MainActor @Sendable (Event) -> Void
    private var authenticationService: AuthenticationService { authentication }

    /// Creates the screens.
    /// - Parameter handle: receives each result.
    public init(_ handle: @escaping @MainActor @Sendable (Event) -> Void) { self.handle = handle }

    /// "Authenticate User with Authorization Code", up to the page.
    public func signIn(
        state: String = "random-string", codeVerifier: String = "random-alphanumeric-string-64-characters",
        clientIdentifier: String = "client-identifier",
        resetCredentialsURL: String = "https://www.paysafe.com/reset-credentials",
        redirectURI: String = "http://www.partner.com/wallet/dashboard", loginHint: String = "someone@partner.com",
        loginStrategy: LoginStrategy = .pin,  // or .password
        brandIdentity: String = "brand-identity"
    ) {
        let (screen, handle) = (screen, handle)
        func present(_ shown: SFSafariViewController, animated: Bool) {
            screen.present(shown, animated: animated)
            handle(.shownPage(shown.url))
        }

        // MARK: As printed

        let codeChallengeHash = SHA256.hash(data: Data(codeVerifier.utf8))
        let codeChallenge = Data(codeChallengeHash).base64URLEncodedString()

        let request = Wallet.AuthenticationDetailsRequest(
            clientIdentifier: clientIdentifier,
            codeChallenge: codeChallenge,
            resetCredentialsURL: resetCredentialsURL,
            state: state,
            redirectURI: redirectURI,
            locale: "en-US",
            loginHint: loginHint,
            loginStrategy: loginStrategy
        )

        Wallet.instance.authenticationService.getAuthenticationDetails(
            brandIdentity: brandIdentity,
            request: request,
            completion: { result in
                switch result {
                case .success(let response):
                    let safariViewController = SFSafariViewController(url: response.authenticationURL)
                    present(safariViewController, animated: true)
                case .failure(let error):
                    // Handle error
                    handle(.failed(error))
                    break
                }
            })
    }

    /// The first step of "Handle Strong Customer Authentication (SCA) Challenges".
    public func sendChallenge(eventID: String, walletOperationID: String) {
        let handle = handle

        // MARK: As printed

        // 1. Instruct the system to send an one-time password (OTP) code via SMS
        authenticationService.sendSCAChallenge(
            eventID: eventID,
            request: Wallet.SCAAuthenticationEventChallengeEmbeddedHybridRequest(
                walletOperationID: walletOperationID,
                verification: Wallet.SCAAuthenticationEventAttemptVerification(
                    method: .otp,
                    channel: .sms
                )
            ),
            completion: { result in
                switch result {
                case .success(let scaEventChallenge):
                    // Display information about scaEventChallenge
                    handle(.challenge(scaEventChallenge))
                case .failure(let error):
                    // Handle error
                    handle(.failed(error))
                }
            }
        )
    }

    /// The second step.
    /// - Parameter value: what the person typed.
    public func submitAttempt(eventID: String, walletOperationID: String, value: String = "123456") {
        let handle = handle

        // MARK: As printed

        // 2. Submit the one-time password entered by the customer
        authenticationService.submitSCAAttempt(
            eventID: eventID,
            request: Wallet.SCAAuthenticationEventAttemptEmbeddedHybridRequest(
                walletOperationID: walletOperationID,
                verification: Wallet.SCAAuthenticationEventAttemptVerification(
                    method: .otp,
                    channel: .sms
                ),
                value: value  // Replace with actual OTP value
            ),
            completion: { result in
                switch result {
                case .success(let scaEventAttempt):
                    // Handle result of scaEventAttempt
                    handle(.attempt(scaEventAttempt))
                case .failure(let error):
                    // Handle error
                    handle(.failed(error))
                }
            }
        )
    }

    // 3. Retry the wallet operation, providing the scaDetails parameter with the same eventId and walletOperationId.
}
