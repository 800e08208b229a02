internal import Core
package import Kernel
package import WalletAuthWire

/// Lets the holder manage second factors and the password through an app.
package struct AccountSecurity: Sendable {
    package let context: ServerContext

    package init(context: ServerContext) { self.context = context }

    package func factors(call: AppCaller) async throws -> AccountFactorList {
        let facts = try await StepUpPolicy(context: context, call: call).facts()
        let vault = AccountVault(context.sealing)
        let factors = FactorKind.allCases.filter(facts.usable.contains).map { kind in
            AccountFactorList.Factor(
                method: kind.method, channel: kind.channel,
                destination: vault.maskedDestination(of: kind, account: call.account))
        }
        let passkeys = try await PasskeyManagement.listed(of: call.account.id, in: context, now: call.now)
            .map { AccountFactorList.Factor($0) }
        let cooling = call.account.coolingUntil.flatMap { call.now < $0 ? $0 : nil }
        return AccountFactorList(
            factors: factors + passkeys, recoveryCodes: facts.own.recoveryCodes,
            coolingUntil: cooling.map { NumericDate(clamping: $0.seconds) })
    }

    /// Begins to set up an authenticator app. It counts once ``confirmAuthenticator(_:call:)`` has proved that it has the
    /// secret.
    /// - Parameter call: its sign-in must be minutes old and prove two factors, or everything the account has.
    package func beginAuthenticator(call: AppCaller) async throws -> Result<AuthenticatorSetup, FactorRefusal> {
        try await AuthenticatorApps(context: context, call: call).begin()
    }

    /// Takes an authenticator app into use, in place of the previous one.
    /// - Parameters:
    ///   - confirmation: the code that the app shows.
    ///   - call: a call of the session that began.
    package func confirmAuthenticator(
        _ confirmation: AuthenticatorConfirmation, call: AppCaller
    ) async throws -> Result<Void, FactorRefusal> {
        try await AuthenticatorApps(context: context, call: call).confirm(confirmation.code)
    }

    /// Removes the authenticator app.
    /// - Parameter call: its sign-in must be minutes old and prove two factors.
    package func removeAuthenticator(call: AppCaller) async throws -> Result<Void, FactorRefusal> {
        try await AuthenticatorApps(context: context, call: call).remove()
    }

    /// Creates a set of recovery codes and voids the previous one.
    /// - Parameter call: its sign-in must be minutes old and prove two factors.
    package func makeRecoveryCodes(call: AppCaller) async throws -> Result<RecoveryCodeSet, FactorRefusal> {
        try await RecoveryCodeManagement(context: context, call: call).make()
    }

    /// The available questions, in the person's language.
    package func secretQuestions(call: AppCaller) async throws -> Result<SecretQuestionCatalog, FactorRefusal> {
        try await SecretQuestionManagement(context: context, call: call).catalog()
    }

    /// Replaces the answers to secret questions.
    /// - Parameters:
    ///   - choice: the questions and their answers; an empty list removes all.
    ///   - call: its sign-in must be minutes old and prove two factors, or everything the account has.
    package func setSecretQuestions(
        _ choice: SecretQuestionChoice, call: AppCaller
    ) async throws -> Result<Void, FactorRefusal> {
        try await SecretQuestionManagement(context: context, call: call).set(choice)
    }

    /// Changes the password. Every other session of the account ends; the caller's continues.
    package func changePassword(
        _ request: PasswordChangeRequest, call: AppCaller
    ) async throws -> Result<Void, FactorRefusal> {
        try await PasswordManagement(context: context, call: call).change(request)
    }
}
