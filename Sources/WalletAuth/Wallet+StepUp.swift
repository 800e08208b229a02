public import WalletAuthWire

extension Wallet {
    /// Has the signed-in person sign in again, as strongly and as recently as a call requires (RFC 9470). The
    /// browser opens with `acr_values` and `max_age`; if the person is signed in there, it asks only for what is
    /// missing. The new session replaces the current one. Then repeat the call.
    ///
    /// A server may sign the person in and ignore the requirements: `acr_values` is voluntary (OpenID Connect Core
    /// §5.5.1.1), and a server that issues no ID token proves no age. Check ``unconfirmed(of:)`` before repeating the
    /// call, or it may require the same step-up again.
    ///
    /// An ID token whose sign-in was older than `max_age` when the step-up began is an error; for `max_age` 0, so is one
    /// from the previous sign-in. The comparison is by the server's clock, as its answers showed it, and tolerates 10
    /// seconds. By the time the answer arrives, the sign-in may be 60 seconds older than `max_age`. If
    /// ``Configuration/prompt`` is nil, the SDK adds `prompt=login` to `max_age` 0 at a standard server.
    ///
    /// With `signIn: .partial` or `.external`, the app or its backend controls the sign-in: pass both values to it.
    /// - Parameter requirements: from ``WalletError/Outcome/stepUp(_:)``.
    /// - Returns: whether the person signed in, or the browser's callback will arrive through
    ///   ``receivedOAuthCodeOrToken(_:)``.
    /// - Throws: ``WalletError``: `unmet_authentication_requirements` if the account has no sufficient factor, which
    ///   trying again does not change; `another_person` if another person signed in, while the current one stays signed
    ///   in; `signed_out` if no one is signed in, or if the person signed out or another one signed in while the page was
    ///   open, so that its answer is not used; `cancelled_by_person`, `wrong_sign_in_mode` …
    @discardableResult
    public func stepUp(to requirements: AuthenticationRequirements) async throws -> SetUpOutcome {
        try await core.stepUp(to: requirements)
    }

    /// Compares what the server said about the current session's sign-in with the requirements of a call. Reads memory
    /// only.
    /// - Parameter requirements: from ``WalletError/Outcome/stepUp(_:)``.
    /// - Returns: the requirements that the server has not confirmed; nil if it has confirmed all of them. Without a
    ///   session, none is confirmed.
    public func unconfirmed(of requirements: AuthenticationRequirements) -> AuthenticationRequirements? {
        core.unconfirmed(of: requirements)
    }
}

extension WalletCore {
    fileprivate func stepUp(to requirements: AuthenticationRequirements) async throws -> Wallet.SetUpOutcome {
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
