extension Wallet {
    /// A new customer's account, and a forgotten password, on the app's own screens: a code proves an address, then the person
    /// chooses a password.
    ///
    /// The brand has to allow newcomers (`walletauth brand update BRAND --registration on`); otherwise the first call fails with
    /// `registration_off`. Verifications exist in this process only. An ended one, after five wrong codes or a quarter of an hour,
    /// fails with `invalid_session`: initiate another.
    public struct WalletSetupService: Sendable {
        let wallet: Wallet

        /// Sends a code to an address. The answer never says whether the address has an account. Called again for the same address,
        /// it sends another code under the same id.
        /// - Parameters:
        ///   - request: the address, and what it is proved for.
        ///   - completion: receives the verification, whose id goes into the next calls.
        public func initiateDataVerificationProcess(
            request: CustomerDataVerificationRequest, completion: @escaping Completion<CustomerDataVerificationResponse>
        ) {
            wallet.call(completion) { try await $0.initiate(request) }
        }

        /// Submits the code that the person entered. A wrong one has the status `.failed`.
        /// - Parameters:
        ///   - verificationId: from ``CustomerDataVerificationResponse``.
        ///   - request: the address and the code.
        ///   - completion: receives the outcome.
        public func submitDataVerificationAttempt(
            verificationId: String, request: CustomerDataVerificationAttemptRequest,
            completion: @escaping Completion<CustomerDataVerificationAttemptResponse>
        ) {
            wallet.call(completion) { try await $0.attempt(verificationId, request) }
        }

        /// Makes an account with a proved address, and signs in to it. After `username_taken` or a fault of the password, call it
        /// again with another; after a lost answer, with the same.
        /// - Parameters:
        ///   - request: the address and the password.
        ///   - completion: receives the customer, with the token for ``Wallet/authenticate(_:completion:)``. The wallet keeps the
        ///     session, and renews it.
        public func onboardCustomer(
            request: CustomerOnboardingRequest, completion: @escaping Completion<CustomerInfo>
        ) {
            wallet.call(completion) { try await $0.onboard(request) }
        }

        /// Chooses a new password for the account of a proved address (``CustomerDataVerificationFlow/passwordReset``), and signs in.
        ///
        /// An account with an authenticator app or another factor asks for it after the code, which fails with
        /// ``WalletError/signInPageRequired(_:)``. There is no such call for the account's PIN. A signed-in person changes the
        /// password with `walletAuth?.changePassword(current:new:)`.
        /// - Parameters:
        ///   - request: the address and the new password.
        ///   - completion: receives the token, as a sign-in does.
        public func changeCustomerCredentials(
            request: CustomerCredentialsRequest, completion: @escaping Completion<TokenResponse>
        ) {
            wallet.call(completion) { try await $0.changeCredentials(request) }
        }
    }
}
