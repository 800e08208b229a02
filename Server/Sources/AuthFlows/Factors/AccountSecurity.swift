internal import AuthCore
internal import AuthStore
package import WalletAuthWire

/// What somebody signs in with beside the password, for its holder: listed, added, taken away; and the password itself.
package struct AccountSecurity: Sendable {
    let context: ServerContext

    /// The account's second factors.
    /// - Parameter call: the app's call.
    /// - Throws: infrastructure errors.
    package func factors(call: AppCaller) async throws -> AccountFactorList {
        let facts = try await StepUpPolicy(context: context, call: call).facts()
        let vault = AccountVault(context: context)
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

    /// Begins to set up an authenticator app; it counts once ``confirmAuthenticator(_:call:)`` has shown that it was told.
    /// - Parameter call: the app's call; its sign-in has to be minutes old and of two factors, or of all that the account
    ///   has.
    /// - Throws: infrastructure errors.
    package func beginAuthenticator(call: AppCaller) async throws -> Result<AuthenticatorSetup, FactorRefusal> {
        try await AuthenticatorApps(context: context, call: call).begin()
    }

    /// Takes an authenticator app into use, in the place of the one before.
    /// - Parameters:
    ///   - confirmation: the code that the app shows.
    ///   - call: the app's call, of the session that began.
    /// - Throws: infrastructure errors.
    package func confirmAuthenticator(
        _ confirmation: AuthenticatorConfirmation, call: AppCaller
    ) async throws -> Result<Void, FactorRefusal> {
        try await AuthenticatorApps(context: context, call: call).confirm(confirmation.code)
    }

    /// Takes the authenticator app away.
    /// - Parameter call: the app's call; its sign-in has to be minutes old and of two factors.
    /// - Throws: infrastructure errors.
    package func removeAuthenticator(call: AppCaller) async throws -> Result<Void, FactorRefusal> {
        try await AuthenticatorApps(context: context, call: call).remove()
    }

    /// Makes a set of recovery codes and voids the one before.
    /// - Parameter call: the app's call; its sign-in has to be minutes old and of two factors.
    /// - Throws: infrastructure errors.
    package func makeRecoveryCodes(call: AppCaller) async throws -> Result<RecoveryCodeSet, FactorRefusal> {
        try await RecoveryCodeManagement(context: context, call: call).make()
    }

    /// The questions that there are, in the person's language.
    /// - Parameter call: the app's call.
    /// - Throws: infrastructure errors.
    package func secretQuestions(call: AppCaller) async throws -> Result<SecretQuestionCatalog, FactorRefusal> {
        try await SecretQuestionManagement(context: context, call: call).catalog()
    }

    /// Puts answers in the place of the ones before.
    /// - Parameters:
    ///   - choice: the questions and their answers; none takes them all away.
    ///   - call: the app's call; its sign-in has to be minutes old and of two factors, or of all that the account has.
    /// - Throws: infrastructure errors.
    package func setSecretQuestions(
        _ choice: SecretQuestionChoice, call: AppCaller
    ) async throws -> Result<Void, FactorRefusal> {
        try await SecretQuestionManagement(context: context, call: call).set(choice)
    }

    /// Sets another password. Every other session of the account ends; the caller's goes on.
    /// - Parameters:
    ///   - request: the passwords.
    ///   - call: the app's call.
    /// - Throws: infrastructure errors.
    package func changePassword(
        _ request: PasswordChangeRequest, call: AppCaller
    ) async throws -> Result<Void, FactorRefusal> {
        try await PasswordManagement(context: context, call: call).change(request)
    }
}

extension AuditLog {
    /// What the holder of an account did by an app or a page, and is told of.
    func entry(_ event: Event, message: Message, call: any FactorCaller) throws -> Entry {
        let email = AccountVault(context: context).open(call.account.email, .email, of: call.account.id)
        return try entry(
            event, account: call.account.id, client: call.clientID, origin: call.origin, now: call.now,
            message: message, email: email)
    }
}

extension AccountVault {
    /// Where a factor's code goes to, with most of it hidden; `nil` for a factor that is not sent.
    func maskedDestination(of kind: FactorKind, account: AccountRecord) -> String? {
        destination(of: kind, account: account).map { Self.masked($0, of: kind) }
    }

    /// Where a factor's codes go; `nil` for one that is sent none, or where the account has no address.
    func destination(of kind: FactorKind, account: AccountRecord) -> String? {
        switch kind {
        case .email: open(account.email, .email, of: account.id)
        case .sms: open(account.phone, .phone, of: account.id)
        case .totp, .secretQuestion, .recoveryCode: nil
        }
    }

    /// As much of an address as tells its holder which one it is.
    static func masked(_ address: String, of kind: FactorKind) -> String {
        kind == .sms ? "…\(address.suffix(2))" : EmailCodes.masked(address)
    }
}
