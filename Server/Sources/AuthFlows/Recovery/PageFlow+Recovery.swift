internal import AuthCore
internal import AuthStore
internal import WalletAuthWire

/// Recovery by the person on the hosted page: the name, the code, and from there like every other sign-in.
extension PageFlow {
    /// Sends a code, if there is somebody to send it to, and asks for it.
    func recover(_ typed: String) async throws -> AuthorizationAnswer {
        // A name that no account can have goes the way of one that nobody has, as far as the page can tell.
        guard let username = try? Username(typed) else {
            return try await ask(.recovery(username: typed), .unusableName)
        }
        switch try await recovery.begin(username, brand: try brand, device: .cookie(device)) {
        case .tooManyAttempts(let seconds):
            return try await ask(.recovery(username: typed), .tooManyAttempts(retryAfter: seconds))
        case .begun(let id, let prompt): return try await askCode(prompt, of: id)
        }
    }

    /// Compares the code, and goes on.
    func checkRecoveryCode(_ code: OneTimeCode, _ id: UniqueID?) async throws -> AuthorizationAnswer {
        guard let id else { return stale }
        switch try await recovery.answer(code, for: id) {
        case .over, .wrong(isLast: true): return try await ask(.credentials(username: nil), .factorOver)
        case .wrong(isLast: false):
            return try await ask(.recoveryCode(canResend: true), .invalidCode, recovery: id)
        case .proved(let account):
            let factors = SignInPolicy.Factors(
                securityVersion: account.securityVersion, amr: [FactorKind.email.authenticationMethod], authTime: now,
                recovery: .mailbox)
            return try await finish(account.id, factors: factors)
        }
    }

    /// Sends another code, where that may be.
    func resendRecoveryCode(_ id: UniqueID?) async throws -> AuthorizationAnswer {
        guard let id else { return stale }
        guard let prompt = try await recovery.resend(id) else {
            return try await ask(.credentials(username: nil), .factorOver)
        }
        // A code that went out starts the whole wait anew.
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
    /// How a new password is asked for.
    var passwordStep: SignInPage.Step { recovery == nil ? .newPassword : .recoveredPassword }
}
