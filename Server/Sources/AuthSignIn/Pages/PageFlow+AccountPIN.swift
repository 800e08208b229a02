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

    /// - Parameter pin: `nil` for text that cannot be a PIN.
    func signIn(_ typed: String, byPIN pin: AccountPIN?) async throws -> AuthorizationAnswer {
        guard mayUsePIN else { return try await ask(.credentials(username: typed)) }
        let method = AccountPINMethod(username: try? Username(typed), pin: pin, device: .browser(device))
        return try await signIn(by: .accountPIN(method), again: .pin(username: typed), wrong: .invalidPIN)
    }
}
