internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// The pages' side of the engine: the request as it sees it, and its results as a code for the app, a page, or an error.
extension PageFlow {
    /// The sign-in behind a step.
    enum Basis: Sendable {
        /// A sign-in made on this page. Nothing is opened before it passes the gate.
        case signIn
        /// A browser that was already signed in. It still has to be when the next button is pressed.
        case browser
    }

    private var engine: SignInEngine { pages.engine }

    var attempt: SignInAttempt {
        get throws {
            SignInAttempt(
                checks: engine.checks, intent: intent, brand: try brand, now: now, mayAsk: mayAsk, form: form)
        }
    }

    /// The request, as the gate sees it.
    private var intent: SignInIntent {
        SignInIntent(
            client: client, redirectURI: request.redirectURI.rawValue, challenge: request.codeChallenge,
            scope: request.scope, nonce: request.nonce, keyThumbprint: request.dpopKeyThumbprint?.bytes,
            browser: mayBeLinked ? device : nil, merchant: request.merchantID ?? merchant,
            resources: request.resources, authorizationDetails: request.authorizationDetails,
            idTokenClaims: request.claims?.personInIDToken ?? [], requiredACR: requiredACR,
            // The client of a device gets nothing by the sign-in on the way: it is asked for once the device is confirmed.
            consent: deviceGrant == nil ? consentTerms : nil,
            expectedAccount: expectedAccount, origin: origin)
    }

    /// A payment needs two factors, whatever else the app asks for.
    private var requiredACR: [String] {
        request.authorizationDetails?.payment == nil ? request.acrValues : [AuthenticationStrength.twoFactors]
    }

    /// Before a change on the account's own page, a known browser has to prove as much as any other.
    private var mayBeLinked: Bool { account.map { $0.page.intent == .look } ?? true }

    /// The known-device cookie.
    var device: KnownDeviceCookie? { seal.device(cookies.device, now: now) }

    // MARK: - Steps

    /// Verifies a credential and passes the gate.
    /// - Parameters:
    ///   - step: the step to repeat if the method refuses.
    ///   - wrong: the notice for a wrong credential.
    func signIn(
        by method: any SignInMethod, again step: SignInPage.Step, wrong: SignInPage.Notice
    ) async throws -> AuthorizationAnswer {
        let attempt = try attempt
        switch try await method.verify(for: attempt) {
        case .proved(let proof): return try await present(engine.admit(proof, for: attempt))
        case .refused(.tooManyAttempts(let seconds)):
            return try await ask(step, .tooManyAttempts(retryAfter: seconds))
        case .refused(.networkHeld(let seconds)): return try await ask(step, .networkHeld(retryAfter: seconds))
        case .refused(.busy(let seconds)): return try await ask(step, .busy(retryAfter: seconds))
        case .refused(.unavailable(let seconds)): return try await ask(step, .unavailable(retryAfter: seconds))
        // Only an enrolled device learns its own state, and a browser is none.
        case .refused(.walletDeactivated), .refused(.device(.deviceSuspended)),
            .refused(.device(.deviceDeactivated)):
            return try await askAfterClosure(at: step)
        case .refused(.methodNotOffered):
            guard case .alternative(_, let username) = step else { return stale }
            return try await ask(.credentials(username: username))
        case .refused: return try await ask(again: step, wrong)
        }
    }

    /// Continues with a signed-in browser, or has it wait if it did so too often: on a page, which also ends a circle of redirects.
    func goOn(
        with session: BrowserSessionRecord, consent: ClientConsentTerms? = nil
    ) async throws -> AuthorizationAnswer {
        if let seconds = try await sessions.countSilentSignIn(in: session, from: origin, now: now) {
            guard mayAsk else {
                let detail = "too many sign-ins without a page in this browser; try again in \(seconds) seconds"
                return redirect(.temporarilyUnavailable, detail)
            }
            if deviceGrant != nil { return try await showDevice(to: session, .tooManyAttempts(retryAfter: seconds)) }
            return try await confirm(session, .tooManyAttempts(retryAfter: seconds))
        }
        let factors = SignInPolicy.Factors(
            securityVersion: session.securityVersion, amr: session.methods, authTime: session.authTime)
        var attempt = try attempt
        attempt.intent.consent = consent ?? consentTerms
        let proof = SignInProof(account: session.accountID, factors: factors)
        return try await present(engine.admit(proof, for: attempt), by: .browser)
    }

    /// Asks for the second factor after the password of a browser's session.
    /// - Parameter session: one that a form of this page proved, and not its cookie.
    /// - Returns: `nil` if the request needs none, or none can be asked for.
    func complete(_ session: BrowserSessionRecord) async throws -> AuthorizationAnswer? {
        guard !requiredACR.isEmpty else { return nil }
        let factors = SignInPolicy.Factors(
            securityVersion: session.securityVersion, amr: session.methods, authTime: session.authTime)
        let proof = SignInProof(account: session.accountID, factors: factors)
        let progress = try await engine.admit(proof, for: attempt)
        guard case .required(let action, let pending, after: nil) = progress else { return nil }
        switch action {
        case .secondFactor(.some), .heldFactor: return try await ask(action, pending, after: nil, by: .signIn)
        default: return nil
        }
    }

    /// Continues with the answer to a required action.
    func fulfill(_ answer: RequiredActionAnswer, _ pending: PendingSignIn?) async throws -> AuthorizationAnswer {
        guard let pending else { return stale }
        let repeated = try cookies.binding.map {
            try RepeatedAnswer(to: pending, in: $0, keyRing: seal.keyRing, now: now)
        }
        let progress = try await engine.fulfill(answer, of: pending, for: attempt, repeated: repeated)
        switch (answer, progress) {
        case (.newPassword, .refused(.over)), (.newPassword, .refused(.notAsked)):
            return try await ask(.credentials(username: hint))
        case (.resendFactor, .required(.secondFactor(let prompt?), let pending, after: nil))
        where prompt.channel != nil && prompt.isCodeSent:
            // The full wait means that a code was just sent.
            let full = FactorCodes.interval.wholeSeconds
            let wait = prompt.resendAfter ?? full
            return try await ask(prompt, pending, wait == full ? .codeSent : .codeSentRecently(retryAfter: wait))
        case (.resendEmailCode, .required(.emailCode(let destination, let sending?), let pending, after: nil))
        where sending.isSent:
            return try await ask(.emailCode(destination: destination), .codeSent, pending: pending)
        case (.newPassword, .admitted) where pending.recovery != nil:
            var flow = self
            flow.account?.isRecovered = true
            return try await flow.present(progress)
        default: return try await present(progress)
        }
    }

    // MARK: - Results

    func present(_ progress: SignInProgress, by basis: Basis = .signIn) async throws -> AuthorizationAnswer {
        switch progress {
        case .admitted(let admission):
            guard isRecent(admission.factors) else {
                return mayAsk ? try await ask(beginning(hint)) : redirect(.loginRequired)
            }
            return try await basis == .signIn ? finish(admission) : redirectWithCode(for: admission)
        case .required(let action, let pending, after: let fault):
            return try await ask(action, pending, after: fault, by: basis)
        case .refused(let refusal): return try await answer(refusal, by: basis)
        }
    }

    /// Whether a sign-in for this request is still as recent as the app requires. It may have waited for a second factor, a merchant or
    /// consent. With `max_age=0`, everything that was proved for this request counts.
    func isRecent(_ factors: SignInPolicy.Factors) -> Bool {
        guard let maxAge = request.maxAge, maxAge > 0 else { return true }
        // The clock of a provider that dates the sign-in may be behind.
        let leeway = factors.authenticatedAt < factors.authTime ? ProviderResponseMethod.leeway : 0
        return now - factors.authenticatedAt <= .seconds(maxAge + leeway)
    }

    /// Gives the browser new cookies.
    func finish(_ admission: Admission) async throws -> AuthorizationAnswer {
        var changes: [CookieChange] = []
        // Where the account has changed since the gate, the browser proved a former password. Otherwise it is known from the write on:
        // one that just set the password remains known.
        // After a scan, the browser is no one's: it may be in a shop, or a stranger's.
        if AuthenticationStrength.isCrossDevice(admission.factors.amr) {
            // The next request must not go on silently as the person who used it before.
            if let former = try await sessions.find(cookies.session, now: now), former.accountID != admission.account.id
            {
                try await sessions.end(cookies.session)
                changes = [CookieChange(cookie: .session, value: nil)]
            }
        } else if let begun = try await sessions.begin(
            admission, from: origin, replacing: cookies.session, now: now)
        {
            let proved = KnownDeviceCookie.Proof(admission)
            let known = try seal.device(
                device, adding: admission.account.id.uuid, by: proved, replacing: cookies.binding, now: begun.at)
            changes = [begun.cookie, known]
        }
        changes.append(CookieChange(cookie: .binding, value: seal.newBinding()))
        if deviceGrant != nil { return try await showDevice(after: admission, changes) }
        if let account { return try await account.host.arrive(admission, from: account.page, by: self, changes) }
        return try await redirectWithCode(for: admission, changes)
    }

    /// Ends with a code for the app.
    private func redirectWithCode(
        for admission: Admission, _ changes: [CookieChange] = []
    ) async throws -> AuthorizationAnswer {
        // Only a device that this person has confirmed gets here: a new sign-in shows it first.
        if let deviceGrant {
            return deviceGrant.isConfirmed == true ? try await connectDevice(admission) : stale
        }
        var code = try await pages.codes.code(for: admission)
        if let uri = request.requestURI {
            let spender = Digests.of("pushed-request-spender", browser + admission.grant.account.bytes)
            guard let kept = try await pages.check.pushed.spend(uri, on: code, by: spender, now: now),
                // Redeemed twice, it would count as stolen, and end the session that it opened.
                try await isRedeemable(kept.reveal())
            else { return AuthorizationAnswer(outcome: .refused(.unusableRequestURI), cookies: changes) }
            code = kept
        }
        return AuthorizationAnswer(
            outcome: .redirect(pages.check.redirect(code, for: request, of: client)), cookies: changes)
    }

    /// A digest of the cookie that says which browser this is: the one that its form was bound to, or that of its sign-in.
    private var browser: [UInt8] {
        formerBinding ?? PageSeal.digest(of: cookies.binding ?? cookies.session ?? seal.newBinding())
    }

    private func ask(
        _ action: RequiredAction, _ pending: PendingSignIn, after fault: AnswerFault?, by basis: Basis
    ) async throws -> AuthorizationAnswer {
        switch action {
        case .newPassword: return try await ask(pending.passwordStep, fault?.notice(wrong: nil), pending: pending)
        case .emailCode(let destination, let sending):
            // The page itself says that a code was sent.
            let earlier = sending.flatMap { sending -> SignInPage.Notice? in
                sending.isSent ? nil : .codeSentRecently(retryAfter: sending.resendAfter ?? 0)
            }
            return try await ask(
                .emailCode(destination: destination), fault?.notice(wrong: .invalidCode) ?? earlier, pending: pending)
        // The app's key belongs to an enrolled device. The browser cannot change that device's state.
        case .instanceCode: return redirect(Self.closed(.appInstanceUnverified))
        case .heldFactor(let until, let others):
            let notice = SignInPage.Notice.tooManyAttempts(retryAfter: RetryAfter.seconds(until: until, now: now))
            return try await ask(.heldFactor(instead: others), notice, pending: pending)
        case .secondFactor(let prompt):
            if case .held(let seconds) = fault {
                let others = prompt.map { $0.alternatives.compactMap(FactorKind.init) } ?? []
                return try await ask(
                    .heldFactor(instead: others), .tooManyAttempts(retryAfter: seconds), pending: pending)
            }
            let notice = fault?.notice(wrong: .wrongAnswer)
            let remaining = notice == .wrongAnswer ? try await openFactor(of: pending)?.remainingTries : nil
            return try await ask(prompt, pending, notice, remainingTries: remaining)
        case .merchant(let merchants):
            let step = SignInPage.Step.merchant(username: try await username(of: pending) ?? "", merchants)
            return try await ask(step, pending, by: basis)
        case .clientConsent(let question):
            let step = SignInPage.Step.clientConsent(
                ClientConsentRequest(
                    username: try await username(of: pending) ?? "", new: question.new.tokens,
                    granted: question.granted.tokens, isRepeated: question.isRepeated))
            return try await ask(step, pending, by: basis, allowing: question.offer)
        }
    }

    private func ask(
        _ step: SignInPage.Step, _ pending: PendingSignIn, by basis: Basis, allowing offer: ClientConsentOffer? = nil
    ) async throws -> AuthorizationAnswer {
        switch basis {
        case .signIn: try await ask(step, pending: pending, allowing: offer)
        case .browser: try await ask(step, named: pending.accountID, allowing: offer)
        }
    }

    /// The page with a second factor's prompt; the sign-in starts over if there is nothing left to ask.
    private func ask(
        _ prompt: FactorPrompts.Prompt?, _ pending: PendingSignIn, _ notice: SignInPage.Notice?,
        remainingTries: Int64? = nil
    ) async throws -> AuthorizationAnswer {
        guard let prompt, let kind = FactorKind(method: prompt.method, channel: prompt.channel) else {
            return try await ask(beginning(nil), .factorOver)
        }
        let factor = SignInPage.Factor(
            kind: kind, question: prompt.question, destination: prompt.destination,
            canResend: prompt.resendAfter != nil, isCodeSent: prompt.isCodeSent,
            sendableAfter: prompt.resendAfter,
            alternatives: prompt.alternatives.compactMap(FactorKind.init),
            remainingTries: remainingTries)
        return try await ask(.secondFactor(factor), notice, pending: pending)
    }

    /// What no sign-in in a browser can reach. The operators' console leads to another factor, since its people have no app for that.
    private var lackOfFactors: AuthorizationAnswer {
        get async throws {
            guard let account, case .administration(let path, _) = account.page.intent else {
                return redirect(.unmetAuthenticationRequirements)
            }
            var request = request
            request.acrValues = []
            let interaction = AccountInteraction(
                host: account.host, request: request, cookies: cookies, origin: origin, now: now)
            return try await interaction.offerAuthenticator(for: .authenticator(before: path))
        }
    }

    private func answer(_ refusal: SignInRefusal, by basis: Basis) async throws -> AuthorizationAnswer {
        switch refusal {
        case .merchant(let fault):
            return redirect(
                OAuthError(
                    .accessDenied, "the merchant's rules",
                    errorCode: fault == .appNotInstalled ? .appNotInstalled : .notAnEmployee))
        // The present sign-in, for instance by recovery, cannot reach the class; a fresh one may. Only if that fails too,
        // the app gets the error.
        case .unmetACR where basis == .browser, .codeUndeliverable where basis == .browser:
            return mayAsk ? try await ask(beginning(hint)) : redirect(.interactionRequired)
        case .unmetACR, .secondFactorUnavailable: return try await lackOfFactors
        case .codeUndeliverable: return undeliverable
        // The app's key belongs to an enrolled device. The browser cannot change that device's state.
        case .device(.deviceSuspended): return redirect(Self.closed(.deviceSuspended))
        case .device(.deviceDeactivated): return redirect(Self.closed(.deviceDeactivated))
        case .unexpectedAccount: return unexpectedAccount
        case .interactionRequired: return redirect(.interactionRequired)
        case .consentRequired: return redirect(.consentRequired)
        // Only after the right first factor, or in a browser that was signed in.
        case .walletDeactivated: return try await ask(beginning(hint), .walletDeactivated)
        case .closedByHolder(let end): return try await ask(beginning(hint), .closedByHolder(eraseAt: end))
        case .recoveryUnavailable(let ways):
            return try await ask(.credentials(username: nil), .recoveryUnavailable(ways))
        case .passwordNeeded: return try await ask(.credentials(username: hint), .passwordNeeded)
        case .expired, .outdated: return try await ask(beginning(hint))
        case .secondFactorFailed(nil): return try await ask(beginning(nil), .factorFailed)
        case .secondFactorFailed(let wait?):
            let seconds = RetryAfter.seconds(until: wait.until, now: now)
            return try await ask(beginning(nil), .factorHeld(retryAfter: seconds))
        case .secondFactorOver: return try await ask(beginning(nil), .factorOver)
        case .notAsked, .over, .noSuchFactor: return stale
        // A method's refusals; the page that named the method answers them.
        case .invalidCredentials, .device, .deviceTokenExpired, .deviceTokensNotAllowed,
            .methodNotOffered, .unknownProvider, .providerUnavailable, .providerDeclined, .providerSessionOld,
            .providerAnswerUsed, .noAccount, .wrongRecoveryCode, .tooManyAttempts, .networkHeld,
            .busy, .unavailable:
            return stale
        }
    }

    private func username(of pending: PendingSignIn) async throws -> String? {
        guard let account = pending.accountID else { return nil }
        return try await username(of: account)
    }

    func username(of account: UniqueID) async throws -> String? {
        try await database.read { try Accounts.names(of: account, on: $0).first }
    }

    private static func closed(_ code: ErrorCode) -> OAuthError {
        OAuthError(.accessDenied, "the device of the app may not sign in", errorCode: code)
    }
}

extension FactorKind {
    fileprivate init?(_ alternative: FactorPrompts.Prompt.Alternative) {
        self.init(method: alternative.method, channel: alternative.channel)
    }
}

extension AnswerFault {
    fileprivate func notice(wrong: SignInPage.Notice?) -> SignInPage.Notice? {
        switch self {
        case .wrong: wrong
        case .used: .codeUsed
        case .unacceptable(let violation): .passwordUnacceptable(violation)
        case .held(let seconds): .tooManyAttempts(retryAfter: seconds)
        case .busy(let seconds): .busy(retryAfter: seconds)
        }
    }
}
