internal import AuthCore
internal import AuthStore
internal import WalletAuthWire

/// Signing in by the account's PIN on the hosted page, where the app's request asked for it (`login_strategy=PIN`) and the brand's
/// operator turned it on.
extension PageFlow {
    /// With what a sign-in begins: the PIN where it was asked for, the password otherwise.
    /// - Parameter username: the name to fill in.
    func beginning(_ username: String?) -> SignInPage.Step {
        mayUsePIN ? .pin(username: username) : .credentials(username: username)
    }

    /// Whether a PIN may stand in the password's place here. Nothing that an account is signed in with is changed by one.
    var mayUsePIN: Bool { request.loginStrategy == .pin && purpose != .accountChange }

    /// Signs in by a PIN; `nil` for what can be none, which is as wrong as any other.
    func signIn(_ typed: String, byPIN pin: AccountPIN?) async throws -> AuthorizationAnswer {
        let brand = try brand
        // What stands in a form that was served an hour ago may have been turned off since.
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
