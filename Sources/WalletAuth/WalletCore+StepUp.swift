import Foundation
import WalletAuthWire

extension WalletCore {
    func stepUp(to requirements: AuthenticationRequirements) async throws -> Wallet.SetUpOutcome {
        try await during(.stepUp) { () -> Wallet.SetUpOutcome in
            guard case .full(let redirectURI) = configuration.signIn else {
                throw WalletError(
                    .wrongSignInMode, .misconfigured, during: .stepUp,
                    reason: "the app handles the sign-in: request acr_values and max_age there")
            }
            try await keeper.load()
            guard let session = keeper.snapshot.holding?.session else {
                // Throws the reason no one is signed in.
                _ = try await tokens.ticket(of: nil, during: .stepUp)
                return .restored
            }
            let ending = try await browser.signIn(
                redirectURI: redirectURI,
                stepUp: BrowserSignIn.StepUp(
                    requirements: requirements, owner: session.owner,
                    authenticatedAt: session.authentication?.authenticatedAt))
            return switch ending {
            case .signedIn: .signedIn
            case .opened: .awaitingCallback
            }
        }
    }
}
