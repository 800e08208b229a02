public import WalletAuthWire

extension Wallet {
    /// The second factors of whoever is signed in.
    public var factors: Factors { Factors(core: core) }

    /// Second factors: listed, added, taken away.
    ///
    /// Each change takes a sign-in that is minutes old and of two factors, or of all that the account has: where a call is
    /// refused with `insufficient_user_authentication`, ``Wallet/login(username:password:strength:properties:requestedAttributes:)`` with
    /// ``Wallet/LoginStrength/twoFactors`` comes first. The holder is told of every change.
    public struct Factors: Sendable {
        let core: WalletCore

        /// The account's second factors, the preferred one first, and how many recovery codes are left.
        /// - Throws: ``WalletError``.
        public func list() async throws -> AccountFactorList {
            try await core.during(.listFactors) {
                try AccountFactorList(
                    try await core.sessionCalls.send(.get, Endpoints.accountFactors.path, during: .listFactors))
            }
        }

        /// Begins to set up an authenticator app. An app that is in use stays in use until the new one is confirmed.
        /// - Returns: the secret, to be shown as a QR code of its `AuthenticatorSetup.uri` or as text, and
        ///   how many seconds there are for ``confirmAuthenticator(code:)``. It is told this once.
        /// - Throws: ``WalletError``: `insufficient_user_authentication` …
        public func beginAuthenticator() async throws -> AuthenticatorSetup {
            try await core.during(.changeFactors) {
                try AuthenticatorSetup(
                    try await core.sessionCalls.send(
                        .post, Endpoints.authenticator.path,
                        // Another secret in the place of one that nobody saw costs nothing.
                        idempotencyKey: Randomness.token(), during: .changeFactors))
            }
        }

        /// Takes the authenticator app into use.
        /// - Parameter code: what the app shows, as typed. It is spent by this.
        /// - Throws: ``WalletError``: `invalid_code`, `nothing_to_confirm` where it took too long …
        public func confirmAuthenticator(code: String) async throws {
            try await core.during(.changeFactors) {
                let confirmation: AuthenticatorConfirmation
                do { confirmation = AuthenticatorConfirmation(code: try OneTimeCode(digits: code)) } catch {
                    throw WalletError(.invalidCode, .refused, during: .changeFactors, reason: "\(error)")
                }
                _ = try await core.sessionCalls.send(
                    .post, Endpoints.authenticatorConfirmation.path, confirmation.json, during: .changeFactors)
            }
        }

        /// Takes the authenticator app away.
        /// - Throws: ``WalletError``: `factor_not_found` where there is none …
        public func removeAuthenticator() async throws {
            try await core.during(.changeFactors) {
                _ = try await core.sessionCalls.send(.delete, Endpoints.authenticator.path, during: .changeFactors)
            }
        }

        /// Makes ten codes for the day when nothing else is at hand, each good once; the set before is void.
        /// - Returns: the codes, told this once. The person writes them down.
        /// - Throws: ``WalletError``: `insufficient_user_authentication` …
        public func makeRecoveryCodes() async throws -> [RecoveryCode] {
            try await core.during(.changeFactors) {
                try RecoveryCodeSet(
                    try await core.sessionCalls.send(
                        .post, Endpoints.recoveryCodes.path,
                        // The set of a lost answer is void as soon as there is another.
                        idempotencyKey: Randomness.token(), during: .changeFactors)
                ).codes
            }
        }

        /// The secret questions that there are, in the person's language, where the operator takes them at all.
        /// - Throws: ``WalletError``: `secret_questions_off` …
        public func secretQuestions() async throws -> SecretQuestionCatalog {
            try await core.during(.listFactors) {
                try SecretQuestionCatalog(
                    try await core.sessionCalls.send(.get, Endpoints.secretQuestions.path, during: .listFactors))
            }
        }

        /// Puts answers to secret questions in the place of the ones before; none takes them all away.
        ///
        /// An answer is easily found out: it opens a sign-in where the operator allows that, and links no device.
        /// - Parameter answers: as typed, by the question's id; case and the number of spaces count for nothing.
        /// - Throws: ``WalletError``: `secret_questions_off`, `unacceptable_answers` …
        public func setSecretQuestions(_ answers: [String: String]) async throws {
            try await core.during(.changeFactors) {
                let choice: SecretQuestionChoice
                do {
                    choice = SecretQuestionChoice(
                        answers: try answers.sorted { $0.key < $1.key }.map {
                            SecretQuestionChoice.Answer(question: $0.key, answer: try Password($0.value))
                        })
                } catch { throw WalletError(.badRequest, .refused, during: .changeFactors, reason: "\(error)") }
                _ = try await core.sessionCalls.send(
                    .put, Endpoints.secretQuestions.path, choice.json, during: .changeFactors)
            }
        }
    }
}
