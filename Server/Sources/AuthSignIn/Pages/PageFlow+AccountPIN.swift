internal import AuthCore
internal import AuthCredentials
internal import AuthFoundation
internal import AuthStore
internal import WalletAuthWire

/// Sign-in with the account PIN on the hosted page, if the app's request asks for it (`login_strategy=PIN`) and the brand's
/// operator turned it on.
extension PageFlow {
    /// The first step: the PIN if requested, otherwise the password.
    /// - Parameter username: prefilled.
    package func beginning(_ username: String?) -> SignInPage.Step {
        mayUsePIN ? .pin(username: username) : .credentials(username: username)
    }

    /// Whether a PIN may replace the password here. It never authorizes changes to sign-in methods.
    var mayUsePIN: Bool { request.loginStrategy == .pin && purpose != .accountChange }

    /// - Parameter pin: `nil` for text that cannot be a PIN. It counts as a wrong one.
    func signIn(_ typed: String, byPIN pin: AccountPIN?) async throws -> AuthorizationAnswer {
        let brand = try brand
        // The form may be an hour old, and PINs turned off since.
        guard mayUsePIN,
            try await context.database.read({ try Brands.takesAccountPINs(brand.rawValue, on: $0) })
        else { return try await ask(.credentials(username: typed)) }
        let again = SignInPage.Step.pin(username: typed)
        guard let username = try? Username(typed), let pin else { return try await ask(again, .invalidPIN) }
        let outcome = try await AccountPINVerification(context: context, origin: origin, now: now).verify(
            pin, username: username, brand: brand, cookie: device)
        switch outcome {
        case .notTaken: return try await ask(.credentials(username: typed))
        case .invalid: return try await ask(again, .invalidPIN)
        case .deactivated: return try await ask(again, .walletDeactivated)
        case .tooManyAttempts(let seconds): return try await ask(again, .tooManyAttempts(retryAfter: seconds))
        case .busy(let seconds): return try await ask(again, .busy(retryAfter: seconds))
        case .verified(let account):
            let factors = SignInPolicy.Factors(
                securityVersion: account.securityVersion, amr: [AuthenticationStrength.pin], authTime: now)
            return try await finish(account.id, factors: factors)
        }
    }
}
