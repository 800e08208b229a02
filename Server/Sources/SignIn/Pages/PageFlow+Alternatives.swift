internal import WalletAuthWire

/// Sign-in with another secret than the password on the hosted page, if the app's request asks for it. ``PasswordAlternative`` lists the
/// methods.
extension PageFlow {
    /// The first step: the method that the request asks for, otherwise the password.
    /// - Parameter username: prefilled.
    package func beginning(_ username: String?) -> SignInPage.Step {
        alternatives.first.map { step(of: $0, username) } ?? .credentials(username: username)
    }

    /// The methods that may replace the password here. None of them authorizes changes to sign-in methods.
    var alternatives: [PasswordAlternative] {
        purpose == .accountChange ? [] : PasswordAlternative.allCases.filter { $0.strategy == request.loginStrategy }
    }

    /// The form of a method; the password's if the method is not on offer.
    func step(of alternative: PasswordAlternative, _ username: String?) -> SignInPage.Step {
        guard alternatives.contains(alternative) else { return .credentials(username: username) }
        return .alternative(alternative, username: username)
    }

    func signIn(_ typed: String, with secret: PasswordAlternative.Secret) async throws -> AuthorizationAnswer {
        let form = step(of: secret.alternative, typed)
        guard case .alternative = form else { return try await ask(form) }
        let method = secret.method(try? Username(typed), .browser(device))
        return try await signIn(by: method, again: form, wrong: .invalidCredentials)
    }
}
