internal import Core
internal import Store
internal import WalletAuthWire

/// Recovery on the hosted page: the name, the code, and then the steps of any other sign-in.
extension PageFlow {
    /// Sends a code if the account can be reached, and asks for it in any case.
    func recover(_ typed: String) async throws -> AuthorizationAnswer {
        // A name that no account can have looks like an unknown one.
        guard let username = try? Username(typed) else {
            return try await ask(.recovery(username: typed), .unusableName)
        }
        switch try await recovery.begin(username, brand: try brand, device: .cookie(device), form: form) {
        case .tooManyAttempts(let seconds):
            return try await ask(.recovery(username: typed), .tooManyAttempts(retryAfter: seconds))
        case .networkHeld(let seconds):
            return try await ask(.recovery(username: typed), .networkHeld(retryAfter: seconds))
        case .begun(let id, let prompt): return try await askCode(prompt, of: id)
        }
    }

    /// Verifies the code and continues.
    func checkRecoveryCode(_ code: OneTimeCode?, _ id: UniqueID?) async throws -> AuthorizationAnswer {
        guard let id else { return stale }
        guard let code else { return try await ask(.recoveryCode(canResend: true), .invalidCode, recovery: id) }
        let method = RecoveryCodeMethod(code: code, recovery: id)
        switch try await engine.verify(method) {
        case .proved(let proof): return try await present(engine.admit(proof))
        case .refused(.wrongRecoveryCode(isLast: false)):
            return try await ask(.recoveryCode(canResend: true), .invalidCode, recovery: id)
        case .refused: return try await ask(.credentials(username: nil), .factorOver)
        }
    }

    /// Sends another code if the limits allow it.
    func resendRecoveryCode(_ id: UniqueID?) async throws -> AuthorizationAnswer {
        guard let id else { return stale }
        guard let prompt = try await recovery.resend(id) else {
            return try await ask(.credentials(username: nil), .factorOver)
        }
        // A code that was sent restarts the full delay.
        let wait = prompt.resendAfter ?? PasswordRecovery.interval.wholeSeconds
        return try await askCode(
            prompt, of: id,
            wait == PasswordRecovery.interval.wholeSeconds ? .recoveryCodeSent : .codeSentRecently(retryAfter: wait))
    }

    private func askCode(
        _ prompt: RecoveryPrompt, of id: UniqueID, _ notice: SignInPage.Notice = .recoveryCodeSent
    ) async throws -> AuthorizationAnswer {
        try await ask(.recoveryCode(canResend: prompt.resendAfter != nil), notice, recovery: id)
    }

    private var recovery: PasswordRecovery { PasswordRecovery(context: context, origin: origin, now: now) }
}

extension PageState {
    /// The recovery that waits for its code.
    var recoveryID: UniqueID? { recovery.flatMap(UniqueID.init(uuid:)) }
}

extension PendingSignIn {
    /// The step that asks for the new password.
    var passwordStep: SignInPage.Step { recovery == nil ? .newPassword : .recoveredPassword }
}
