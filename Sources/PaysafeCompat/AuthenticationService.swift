extension Wallet {
    /// Sign-in on a hosted page, and consent to operations.
    public struct AuthenticationService: Sendable {
        let wallet: Wallet

        /// Asks the server for the URL of a brand's sign-in page, which begins the authorization code flow.
        ///
        /// Open it in an external user agent. The person comes back to the redirect URI with `code` and `state`. Compare
        /// `state`, have the backend redeem the code with the verifier, and pass its access token to
        /// ``Wallet/authenticate(_:completion:)``. The verifier stays with the app.
        /// - Parameters:
        ///   - brandIdentity: the brand whose look the page has.
        ///   - request: the client and the parameters of the page.
        ///   - completion: receives the URL.
        public func getAuthenticationDetails(
            brandIdentity: String, request: AuthenticationDetailsRequest,
            completion: @escaping Completion<AuthenticationDetailsResponse>
        ) {
            wallet.call(completion) {
                try await $0.wallet.authentication.getAuthenticationDetails(
                    brandIdentity: brandIdentity, request: request)
            }
        }

        /// Challenges one of an event's `availableVerifications`, for instance by sending a code. Call it again to send the
        /// code again: every thirty seconds, three times in all.
        /// - Parameters:
        ///   - eventID: from ``WalletError/scaRequired(authenticationEvent:errorID:)``.
        ///   - request: the operation and the way to verify it.
        ///   - completion: receives the challenge.
        public func sendSCAChallenge(
            eventID: String, request: SCAAuthenticationEventChallengeEmbeddedHybridRequest,
            completion: @escaping Completion<SCAAuthenticationEventChallengeEmbeddedHybridResponse>
        ) {
            wallet.call(completion) { try await $0.challenge(eventID, request) }
        }

        /// Submits the value that the person entered.
        ///
        /// The status is `.verified` for the right one and `.failed` for a wrong one, up to the fifth, which fails with
        /// ``WalletError/dataError``. For the channels `.redirect` and `.pushNotification` there is
        /// no value: the call asks for the outcome of the page, or of the other device.
        /// For `.device`, the value is the device's PIN, or the sentence that the system shows while it asks for face or
        /// finger; the device must have been enrolled through ``Wallet/walletAuth``.
        /// - Parameters:
        ///   - eventID: the challenge's event.
        ///   - request: the operation, the way that was challenged, and the value.
        ///   - completion: receives the outcome.
        public func submitSCAAttempt(
            eventID: String, request: SCAAuthenticationEventAttemptEmbeddedHybridRequest,
            completion: @escaping Completion<SCAAuthenticationEventAttemptEmbeddedHybridResponse>
        ) {
            wallet.call(completion) { try await $0.attempt(eventID, request) }
        }
    }
}
