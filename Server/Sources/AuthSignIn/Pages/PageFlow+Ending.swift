internal import AuthCore
internal import AuthCredentials
internal import AuthFoundation
internal import AuthStore
internal import ClientConsents
internal import WalletAuthWire

/// Ends an interaction with the hosted page: with a code for the app, a required action, or a refusal.
extension PageFlow {
    /// Passes the gate, then gives the browser new cookies.
    func finish(
        _ id: UniqueID, factors: SignInPolicy.Factors, consent: ClientConsentTerms? = nil
    ) async throws -> AuthorizationAnswer {
        switch try await admit(id, factors: factors, consent: consent ?? consentTerms) {
        case .merchantRequired(let merchants, let account):
            return try await askMerchant(merchants, of: account, by: .signIn(factors))
        case .consentRequired(let question, let account):
            return try await askConsent(question, of: account, by: .signIn(factors))
        case .refused(let decision, let account):
            return try await answer(decision, account, factors: factors)
        case .admitted(let admission):
            var changes = try await sessions.begin(admission, replacing: cookies.session, now: now)
            let proved = KnownDeviceCookie.Proof(admission.grant)
            changes.append(try seal.device(device, adding: id.uuid, by: proved, now: now))
            changes.append(CookieChange(cookie: .binding, value: seal.newBinding()))
            if let account { return try await account.host.arrive(admission, from: account.page, by: self, changes) }
            return try await redirectWithCode(for: admission, changes)
        }
    }

    /// Ends with a code for the app.
    func redirectWithCode(
        for admission: Admission, _ changes: [CookieChange] = []
    ) async throws -> AuthorizationAnswer {
        let code = try await AuthorizationCodes(context: context).code(for: admission)
        return AuthorizationAnswer(
            outcome: .redirect(AuthorizationCheck(context: context).redirect(code, for: request)), cookies: changes)
    }

    func admit(
        _ id: UniqueID, factors: SignInPolicy.Factors, consent: ClientConsentTerms
    ) async throws -> SignInGate.Outcome {
        var intent = intent
        intent.consent = consent
        return try await SignInGate(context: context).admit(id, factors: factors, intent: intent, now: now)
    }

    /// The request, as the gate sees it.
    var intent: SignInIntent {
        SignInIntent(
            client: client, redirectURI: request.redirectURI.rawValue, challenge: request.codeChallenge,
            scope: request.scope, nonce: request.nonce, keyThumbprint: request.dpopKeyThumbprint?.bytes,
            browser: mayBeLinked ? device : nil, merchant: request.merchantID ?? merchant,
            resources: request.resources,
            requiredACR: request.acrValues, origin: origin)
    }

    /// Before a change on the account's own page, a known browser has to prove as much as any other.
    private var mayBeLinked: Bool { account.map { $0.page.intent == .look } ?? true }

    /// The known-device cookie.
    var device: KnownDeviceCookie? { seal.device(cookies.device, now: now) }

    func answer(
        _ decision: SignInPolicy.Decision, _ account: AccountRecord?, factors: SignInPolicy.Factors
    ) async throws -> AuthorizationAnswer {
        switch decision {
        case .merchant(let fault):
            return redirect(
                OAuthError(
                    .accessDenied, "the merchant's rules",
                    errorCode: fault == .appNotInstalled ? .appNotInstalled : .notAnEmployee))
        case .unmetACR: return redirect(.unmetAuthenticationRequirements)
        // The app's key belongs to an enrolled device. The browser cannot change that device's state.
        case .deviceSuspended: return redirect(Self.closed(.deviceSuspended))
        case .deviceDeactivated: return redirect(Self.closed(.deviceDeactivated))
        case .appInstanceUnverified: return redirect(Self.closed(.appInstanceUnverified))
        case .admit, .unknown, .changed, .deactivated, .passwordChangeRequired, .recoveryUnavailable, .emailUnverified,
            .secondFactorRequired, .merchantMissing:
            break
        }
        guard mayAsk else { return redirect(.interactionRequired) }
        // The browser's sign-in may be older than a required action allows.
        let isRecent = now < factors.authTime + PendingSignIn.lifetime
        switch decision {
        case .passwordChangeRequired where !isRecent, .emailUnverified where !isRecent,
            .secondFactorRequired where !isRecent:
            return try await ask(beginning(hint))
        case .deactivated:
            // Only after the right first factor, or in a browser that was signed in.
            return try await ask(beginning(hint), .walletDeactivated)
        case .recoveryUnavailable:
            if let account { _ = try await AbandonedRecovery(context: context, now: now).warn(account, due: now) }
            return try await ask(.credentials(username: nil), .recoveryUnavailable)
        case .secondFactorRequired:
            guard let account else { return stale }
            return try await askSecondFactor(of: account, factors: factors)
        // A PIN must not set a password: an attacker who guessed it would take over the account.
        case .passwordChangeRequired where AuthenticationStrength.includeAccountPIN(factors.amr):
            return try await ask(.credentials(username: hint), .passwordNeeded)
        case .passwordChangeRequired:
            guard let account else { return stale }
            let pending = PendingSignIn(.newPassword, account: account.id, factors: factors)
            return try await ask(pending.passwordStep, pending: pending)
        case .emailUnverified:
            guard let account else { return stale }
            return try await sendEmailCode(
                to: account, pending: PendingSignIn(.emailCode, account: account.id, factors: factors))
        default: return try await ask(beginning(hint))
        }
    }

    func sendEmailCode(to account: AccountRecord, pending: PendingSignIn) async throws -> AuthorizationAnswer {
        switch try await EmailCodes(context: context).send(to: account, now: now) {
        case .sent: return try await ask(emailStep(account), .codeSent, pending: pending)
        case .tooSoon(let seconds):
            return try await ask(emailStep(account), .codeSentRecently(retryAfter: seconds), pending: pending)
        }
    }

    func emailStep(_ account: AccountRecord) -> SignInPage.Step {
        let email = AccountVault(context: context).open(account.email, .email, of: account.id)
        return .emailCode(destination: email.map(EmailCodes.masked) ?? "…")
    }

    func username(of account: UniqueID) async throws -> String? {
        try await context.database.read { try Accounts.names(of: account, on: $0).first }
    }

    private static func closed(_ code: ErrorCode) -> OAuthError {
        OAuthError(.accessDenied, "the device of the app may not sign in", errorCode: code)
    }
}
