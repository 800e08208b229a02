internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// Sign-in with another secret than the password on the hosted page, if the app's request asks for it. ``PasswordAlternative`` lists the
/// methods.
extension PageFlow {
    func signIn(_ typed: String, _ password: Password?) async throws -> AuthorizationAnswer {
        // A name or password that no account can have is answered like any wrong one.
        guard let username = try? Username(typed), let password else {
            return try await ask(again: .credentials(username: typed), .invalidCredentials)
        }
        let method = PasswordMethod(username: username, password: password, device: .browser(device))
        return try await signIn(
            by: method, again: .credentials(username: typed), wrong: .invalidCredentials)
    }

    /// The first step: the method that the request asks for, otherwise the password.
    /// - Parameter username: prefilled.
    func beginning(_ username: String?) -> SignInPage.Step {
        alternatives.first.map { step(of: $0, username) } ?? .credentials(username: username)
    }

    /// The methods that may replace the password here. None of them authorizes changes to sign-in methods.
    var alternatives: [PasswordAlternative] {
        purpose.needsOwnSignIn
            ? [] : PasswordAlternative.allCases.filter { $0.form.strategy == request.loginStrategy }
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

/// What a browser that the account knows learns of wrong passwords, which close the account.
extension PageFlow {
    /// Asks for the secret again, and says how many attempts are left. A browser that the account does not know learns how long even the
    /// right password may be refused instead. A method that is no password has a rule of its own.
    func ask(again step: SignInPage.Step, _ wrong: SignInPage.Notice) async throws -> AuthorizationAnswer {
        var next = self
        if case .credentials = step, case .open(let left)? = try await failures(at: step) { next.attemptsLeft = left }
        if case .credentials(let typed?) = step, wrong == .invalidCredentials, let name = try? Username(typed) {
            next.refusedUntil = try await attempt.checks.passwords.announcedWait(
                at: name, brand: try brand, from: .cookie(device), now: now)
        }
        return try await next.ask(step, wrong)
    }

    /// The account is closed. If wrong passwords did it, a recovery opens it, so the page asks for its name at once; the app may have
    /// its own page for it.
    func askAfterClosure(at step: SignInPage.Step) async throws -> AuthorizationAnswer {
        guard case .closed(isRecoverable: true)? = try await failures(at: step) else {
            return try await ask(step, .walletDeactivated)
        }
        let name = typedName(at: step)
        let isElsewhere = request.resetCredentialsURL != nil || !client.settings.resetCredentialsURLs.isEmpty
        return try await ask(isElsewhere ? .credentials(username: name) : .recovery(username: name), .closedByFailures)
    }

    private func failures(at step: SignInPage.Step) async throws -> KnownDeviceFailures? {
        guard let device, let name = typedName(at: step), let username = try? Username(name) else { return nil }
        return try await attempt.checks.passwords.failuresOnKnownDevice(
            .cookie(device), username: username, brand: try brand, now: now)
    }

    private func typedName(at step: SignInPage.Step) -> String? {
        switch step {
        case .credentials(let name), .alternative(_, let name): name
        default: nil
        }
    }
}

/// Sign-in with a passkey on the hosted page. The person types no name, and the proof passes the gate like any other.
extension PageFlow {
    /// The request to the browser, shown together with the password form; `nil` if there are no passkeys.
    /// - Parameter binding: the cookie that the page is bound to.
    func passkeyOptions(binding: String) throws -> PasskeyRequestOptions? {
        let passkeys = try attempt.checks.passkeys
        guard let party = passkeys.party else { return nil }
        let challenge = try passkeys.challenges
            .issue(passkeyUse(binding), now: now)
        return PasskeyRequestOptions(
            relyingPartyID: party.id, challenge: challenge, timeout: PasskeyOverview.patience.wholeMilliseconds)
    }

    /// What the passkey signs is bound to the browser, and to what the app asks for besides scopes: a signature for one payment is none for
    /// another.
    private func passkeyUse(_ binding: String) -> PasskeyChallenges.Use {
        let browser = PageSeal.digest(of: binding)
        guard let details = request.authorizationDetails else { return .signIn(browser: browser) }
        return .signIn(browser: Digests.of("passkey-for-details", browser + Array(details.rawValue.utf8)))
    }

    /// Signs in with the browser's response; `nil` for one that cannot be valid.
    func usePasskey(_ response: PasskeyAssertionResponse?) async throws -> AuthorizationAnswer {
        let again = SignInPage.Step.credentials(username: request.loginHint)
        guard let response, let binding = cookies.binding else { return try await ask(again, .passkeyRefused) }
        let method = PasskeyMethod(response: response, use: passkeyUse(binding))
        return try await signIn(by: method, again: again, wrong: .passkeyRefused)
    }
}

/// Recovery on the hosted page: the name, the code, and then the steps of any other sign-in.
extension PageFlow {
    /// Sends a code if the account can be reached, and asks for it in any case.
    func recover(_ typed: String) async throws -> AuthorizationAnswer {
        // A name that no account can have looks like an unknown one.
        guard let username = try? Username(typed) else {
            return try await ask(.recovery(username: typed), .unusableName)
        }
        let begun = try await recoveries.begin(
            username, brand: try brand, device: .cookie(device), origin: origin, now: now, form: form)
        switch begun {
        case .tooManyAttempts(let seconds):
            return try await ask(.recovery(username: typed), .tooManyAttempts(retryAfter: seconds))
        case .networkHeld(let seconds):
            return try await ask(.recovery(username: typed), .networkHeld(retryAfter: seconds))
        case .begun(let id, let prompt):
            var next = self
            next.recoveryName = username.typed
            return try await next.askCode(prompt, of: id)
        }
    }

    /// Verifies the code and continues.
    func checkRecoveryCode(_ code: OneTimeCode?, _ id: UniqueID?) async throws -> AuthorizationAnswer {
        guard let id else { return stale }
        guard let code else { return try await ask(.recoveryCode(canResend: true), .invalidCode, recovery: id) }
        let attempt = try attempt
        switch try await RecoveryCodeMethod(code: code, recovery: id).verify(for: attempt) {
        case .proved(let proof): return try await present(pages.engine.admit(proof, for: attempt))
        case .refused(.wrongRecoveryCode(isLast: false)):
            return try await ask(.recoveryCode(canResend: true), .invalidCode, recovery: id)
        case .refused: return try await ask(.credentials(username: nil), .factorOver)
        }
    }

    /// Sends another code if the limits allow it.
    func resendRecoveryCode(_ id: UniqueID?) async throws -> AuthorizationAnswer {
        guard let id else { return stale }
        guard let prompt = try await recoveries.resend(id, now: now) else {
            return try await ask(.credentials(username: nil), .factorOver)
        }
        // A code that was sent restarts the full delay.
        let wait = prompt.resendAfter ?? PasswordRecovery.interval.wholeSeconds
        return try await askCode(
            prompt, of: id,
            wait == PasswordRecovery.interval.wholeSeconds ? .recoveryCodeSent : .codeSentRecently(retryAfter: wait))
    }

    private func askCode(
        _ prompt: RecoveryPrompt, of id: UniqueID, _ notice: SignInPage.Notice? = nil
    ) async throws -> AuthorizationAnswer {
        try await ask(.recoveryCode(canResend: prompt.resendAfter != nil), notice, recovery: id)
    }

    private var recoveries: PasswordRecovery { get throws { try attempt.checks.recoveries } }
}

extension PageState {
    /// The recovery that waits for its code.
    var recoveryID: UniqueID? { recovery.flatMap(UniqueID.init(uuid:)) }
}

extension PendingSignIn {
    /// The step that asks for the new password.
    var passwordStep: SignInPage.Step { recovery == nil ? .newPassword : .recoveredPassword }
}
