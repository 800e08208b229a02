package import WalletAuthWire

@testable import Operations
@testable package import SignIn

/// What a signed-in device asks about the account's own factors.
extension TestDevice {
    private var security: AccountSecurity { app.client.server.flows.signIn.security }

    package func list(factors: Void) async throws -> AccountFactorList {
        try await security.factors(call: call(.get, Endpoints.accountFactors.path))
    }

    package func beginAuthenticator() async throws -> Result<AuthenticatorSetup, FactorRefusal> {
        try await security.authenticatorApps.begin(call: call(.post, Endpoints.authenticator.path))
    }

    package func confirmAuthenticator(_ code: String) async throws -> Result<Void, FactorRefusal> {
        try await security.authenticatorApps.confirm(
            OneTimeCode(code), call: call(.post, Endpoints.authenticatorConfirmation.path)
        ).map { _ in }
    }

    /// An authenticator app that is in use.
    package func authenticator() async throws -> AuthenticatorSetup {
        let setup = try await beginAuthenticator().get()
        try await confirmAuthenticator(code(of: setup)).get()
        return setup
    }

    /// What an authenticator app shows.
    package func code(of setup: AuthenticatorSetup, stepsAway: Int64 = 0) throws -> String {
        guard let secret = Base32.decode(setup.secret.reveal()) else {
            throw NativeSignInOutcome.Unexpected(what: "the secret is not Base32")
        }
        return TOTP.code(at: TOTP.stepNumber(at: app.client.server.clock.now()) + stepsAway, secret: secret)
    }

    package func removeAuthenticator() async throws -> Result<Void, FactorRefusal> {
        try await security.authenticatorApps.remove(call: call(.delete, Endpoints.authenticator.path))
    }

    package func makeRecoveryCodes() async throws -> Result<RecoveryCodeSet, FactorRefusal> {
        try await security.recoveryCodes.make(call: call(.post, Endpoints.recoveryCodes.path)).map(\.codes)
    }

    package func secretQuestions() async throws -> Result<SecretQuestionCatalog, FactorRefusal> {
        try await security.secretQuestions.catalog(call: call(.get, Endpoints.secretQuestions.path))
    }

    package func setSecretQuestions(_ answers: [(String, String)]) async throws -> Result<Void, FactorRefusal> {
        let choice = SecretQuestionChoice(
            answers: try answers.map { .init(question: $0.0, answer: try Password($0.1)) })
        return try await security.secretQuestions.set(choice, call: call(.put, Endpoints.secretQuestions.path))
    }

    package func changePassword(from current: String?, to new: String) async throws -> Result<Void, FactorRefusal> {
        try await security.password.change(
            PasswordChangeRequest(currentPassword: current.map { try Password($0) }, newPassword: Password(new)),
            call: call(.put, Endpoints.accountPassword.path))
    }
}

extension Result where Failure == FactorRefusal {
    /// The refusal; `nil` where there is none.
    package var refusal: FactorRefusal? {
        if case .failure(let refusal) = self { refusal } else { nil }
    }
}
