public import WalletAuthWire

extension Wallet {
    /// The second factors of the signed-in account.
    public var factors: Factors { Factors(wallet: self) }

    /// Lists, adds and removes second factors.
    ///
    /// Every change requires a sign-in of the last few minutes with two factors, or with every factor that the account
    /// has. If a call fails with `insufficient_user_authentication`, call
    /// ``Wallet/login(username:password:strength:properties:requestedAttributes:)`` with
    /// ``Wallet/LoginStrength/twoFactors`` first. The server notifies the account's owner of every change.
    public struct Factors: Sendable {
        let wallet: Wallet

        /// Returns the account's second factors, the preferred one first, and the number of recovery codes left.
        /// - Throws: ``WalletError``.
        public func list() async throws -> AccountFactorList {
            try await wallet.call(.listFactors, .get, Endpoints.accountFactors.path) { try AccountFactorList($0) }
        }

        /// Starts setting up an authenticator app. A current app stays in use until the new one is confirmed.
        /// - Returns: the secret, to be shown as a QR code of its `AuthenticatorSetup.uri` or as text, and how many
        ///   seconds remain for ``confirmAuthenticator(code:)``. It is returned only once.
        /// - Throws: ``WalletError``: `insufficient_user_authentication` …
        public func beginAuthenticator() async throws -> AuthenticatorSetup {
            // Replacing a secret that was never shown costs nothing.
            try await wallet.call(.changeFactors, .post, Endpoints.authenticator.path, isRepeatable: true) {
                try AuthenticatorSetup($0)
            }
        }

        /// Confirms the authenticator app and puts it into use.
        /// - Parameter code: the code the app shows, as typed. This uses it up.
        /// - Throws: ``WalletError``: `invalid_code`, `nothing_to_confirm` if it took too long …
        public func confirmAuthenticator(code: String) async throws {
            try await wallet.call(
                .changeFactors, .post, Endpoints.authenticatorConfirmation.path,
                try WalletError.argument(.changeFactors, .invalidCode) {
                    AuthenticatorConfirmation(code: try OneTimeCode(digits: code)).json
                })
        }

        /// Removes the authenticator app.
        /// - Throws: ``WalletError``: `factor_not_found` if there is none, except for a repetition after a lost answer …
        public func removeAuthenticator() async throws {
            try await wallet.remove(.changeFactors, Endpoints.authenticator.path, missing: .factorNotFound)
        }

        /// Creates ten single-use recovery codes and invalidates the former set.
        /// - Returns: the codes. They are returned only once, and the person should write them down.
        /// - Throws: ``WalletError``: `insufficient_user_authentication` …
        public func makeRecoveryCodes() async throws -> [RecoveryCode] {
            // If the response is lost, its set is invalid as soon as there is another.
            try await wallet.call(.changeFactors, .post, Endpoints.recoveryCodes.path, isRepeatable: true) {
                try RecoveryCodeSet($0).codes
            }
        }

        /// Returns the available secret questions in the person's language, if the operator allows them.
        /// - Throws: ``WalletError``: `secret_questions_off` …
        public func secretQuestions() async throws -> SecretQuestionCatalog {
            try await wallet.call(.listFactors, .get, Endpoints.secretQuestions.path) { try SecretQuestionCatalog($0) }
        }

        /// Replaces the answers to secret questions; an empty dictionary removes them all.
        ///
        /// Answers are easy to find out: they open a sign-in where the operator allows it, but never link a device.
        /// - Parameter answers: as typed, by question id; case and the number of spaces do not matter.
        /// - Throws: ``WalletError``: `secret_questions_off`, `unacceptable_answers` …
        public func setSecretQuestions(_ answers: [String: String]) async throws {
            try await wallet.call(
                .changeFactors, .put, Endpoints.secretQuestions.path,
                try WalletError.argument(.changeFactors) {
                    SecretQuestionChoice(
                        answers: try answers.sorted { $0.key < $1.key }.map {
                            SecretQuestionChoice.Answer(question: $0.key, answer: try Password($0.value))
                        }
                    ).json
                })
        }
    }
}

extension Wallet {
    /// Changes the password. All other sessions of the account end, on this device and on others; this one continues.
    /// - Parameters:
    ///   - current: the current password; may be nil within minutes of a sign-in.
    ///   - new: the new password as typed.
    /// - Throws: ``WalletError``: `invalid_credentials` if the current one is wrong, `password_too_short`,
    ///   `password_too_common`, `password_breached` for a known stolen one, `password_unchanged`,
    ///   `insufficient_user_authentication` if a stronger or more recent sign-in is needed, `recovery_cooling` for a day
    ///   after a recovery by mailbox, or by mailbox and SMS …
    public func changePassword(current: String?, new: String) async throws {
        try await call(
            .changePassword, .put, Endpoints.accountPassword.path,
            try WalletError.argument(.changePassword) {
                PasswordChangeRequest(
                    currentPassword: try current.map { try Password($0) }, newPassword: try Password(new)
                ).json
            })
    }

    /// Starts the recovery of a forgotten password, or of a wallet locked by failed attempts. The server sends a code
    /// to the account's confirmed e-mail address; with it, the person chooses a new password and is signed in.
    ///
    /// The answer is the same whether the account exists or not, so say: "If we know this name, a code is on its way."
    /// An account with an authenticator app, recovery codes or a phone number requires one of these too. The new
    /// password ends all of the account's sessions. The new session has only one factor; if the person proved only
    /// access to the mailbox, or to the mailbox and a phone number, devices, factors and the password cannot be changed for
    /// a day (`recovery_cooling`). ``Wallet/Factors/list()`` says until when.
    /// - Parameter username: the user name as typed.
    /// - Returns: the challenge for the code.
    /// - Throws: ``WalletError``: `temporarily_unavailable` after many requests from one network.
    public func recover(username: String) async throws -> RecoveryChallenge {
        try await log.during(.recover) { try await nativeLogin.recover(username: username) }
    }
}
