internal import AuthCore
internal import AuthStore
internal import ClientConsents
internal import WalletAuthWire

/// How an interaction with the hosted page ends: with a code for the app, with what is still to be proved, or with a refusal.
extension PageFlow {
    /// Through the gate; then the browser is remembered under names that did not exist before.
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
        case .admitted(let code, let account):
            var changes = try await sessions.begin(id, factors: factors, replacing: cookies.session, now: now)
            // In the class that the code has: after a recovery by the mailbox, which links nothing, password and code are one.
            let acr = try SignInPolicy.Account(account).acr(of: factors, at: now)
            let proved = KnownDeviceCookie.Proof(
                acr: acr, methods: factors.amr, securityVersion: account.securityVersion)
            changes.append(try seal.device(device, adding: id.uuid, by: proved, now: now))
            changes.append(CookieChange(cookie: .binding, value: seal.newBinding()))
            if let page = self.account { return try await interaction.arrive(from: page, changes) }
            return AuthorizationAnswer(
                outcome: .redirect(AuthorizationCheck(context: context).redirect(code, for: request)), cookies: changes)
        }
    }

    func admit(
        _ id: UniqueID, factors: SignInPolicy.Factors, consent: ClientConsentTerms
    ) async throws -> SignInGate.Outcome {
        var intent = intent
        intent.consent = consent
        return try await SignInGate(context: context).admit(id, factors: factors, intent: intent, now: now)
    }

    /// What the request wants, as the gate sees it.
    var intent: SignInGate.Intent {
        SignInGate.Intent(
            client: client, redirectURI: request.redirectURI.rawValue, challenge: request.codeChallenge,
            scope: request.scope, nonce: request.nonce, keyThumbprint: request.dpopKeyThumbprint?.bytes,
            browser: mayBeLinked ? device : nil, merchant: request.merchantID ?? merchant,
            resources: request.resources,
            requiredACR: request.acrValues, origin: origin)
    }

    /// Where the account's own page is about to change something, a browser that is known is asked like any other.
    private var mayBeLinked: Bool { account.map { $0.intent == .look } ?? true }

    private var interaction: AccountInteraction {
        AccountInteraction(context: context, request: request, cookies: cookies, origin: origin, now: now)
    }

    /// What this browser is known by.
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
        // The app that asks, by its key, is on an enrolled device. The browser cannot mend that.
        case .deviceSuspended: return redirect(Self.closed(.deviceSuspended))
        case .deviceDeactivated: return redirect(Self.closed(.deviceDeactivated))
        case .appInstanceUnverified: return redirect(Self.closed(.appInstanceUnverified))
        case .admit, .unknown, .changed, .deactivated, .passwordChangeRequired, .recoveryUnavailable, .emailUnverified,
            .secondFactorRequired, .merchantMissing:
            break
        }
        guard mayAsk else { return redirect(.interactionRequired) }
        // A browser's sign-in may be older than any required action that is left may be.
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
        // A few digits set no password: whoever guessed them would keep the account.
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
