internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// The state machine of every sign-in: a method proves the first factor, the gate decides, and what it still requires is asked for,
/// fulfilled and brought before the gate again.
///
/// This folder owns the order of these steps, the codes they send, and their results. It does not own the verification of a
/// credential (its folder), the decision (`Gate`), nor the answer: the app's API (`Native`) and the hosted pages (`Pages`) present the
/// same results, seal the pending sign-in between two requests, and decide nothing.
final class SignInEngine: Sendable {
    let checks: CredentialChecks
    private let gate: SignInGate
    let actions: RequiredActions
    private let emailCodes: EmailCodes
    private let instanceCodes: InstanceCodes
    let answers: FactorAnswers
    let prompting: FactorPrompting
    let abandoned: AbandonedRecovery

    init(
        checks: CredentialChecks, gate: SignInGate, actions: RequiredActions, emailCodes: EmailCodes,
        instanceCodes: InstanceCodes, answers: FactorAnswers,
        prompting: FactorPrompting, abandoned: AbandonedRecovery
    ) {
        self.checks = checks
        self.gate = gate
        self.actions = actions
        self.emailCodes = emailCodes
        self.instanceCodes = instanceCodes
        self.answers = answers
        self.prompting = prompting
        self.abandoned = abandoned
    }

    /// Passes the gate, or requires the action that the gate asks for.
    func admit(_ proof: SignInProof, for attempt: SignInAttempt) async throws -> SignInProgress {
        let attempt = attempt.applying(proof)
        let outcome = try await gate.admit(
            proof.account, factors: proof.factors, intent: attempt.intent, now: attempt.now)
        switch outcome {
        case .admitted(let admission): return .admitted(admission)
        case .merchantRequired(let merchants, _):
            guard attempt.mayAsk else { return .refused(.interactionRequired) }
            return .required(.merchant(merchants), PendingSignIn(.merchant, proof))
        case .consentRequired(let question, _):
            guard attempt.mayAsk else { return .refused(.consentRequired) }
            return .required(.clientConsent(question), PendingSignIn(.clientConsent, proof))
        case .unexpectedAccount: return .refused(.unexpectedAccount)
        case .codeUndeliverable: return .refused(.codeUndeliverable)
        case .refused(let decision, let account):
            if decision.needsPerson, !attempt.mayAsk { return .refused(.interactionRequired) }
            guard let account else { return .refused(.outdated) }
            return try await progress(after: decision, on: account, with: proof, attempt)
        }
    }

    /// Requires what lets the sign-in pass the gate after all, or refuses it.
    private func progress(
        after decision: SignInPolicy.Decision, on account: AccountRecord, with proof: SignInProof,
        _ attempt: SignInAttempt
    ) async throws -> SignInProgress {
        let factors = proof.factors
        func waiting(for need: PendingSignIn.Need) -> PendingSignIn { PendingSignIn(need, proof) }
        // A browser's sign-in may be older than a required action allows. So may an app's proof that is repeated after a lost
        // answer. That app still learns what is required, and begins again.
        let now = attempt.now
        let isRecent = attempt.intent.entrance == .native || now < factors.authTime + PendingSignIn.lifetime
        switch decision {
        case .merchant(let fault): return .refused(.merchant(fault))
        case .unmetACR: return .refused(.unmetACR)
        case .deviceSuspended: return .refused(.device(.deviceSuspended))
        case .deviceDeactivated: return .refused(.device(.deviceDeactivated))
        case .deactivated:
            guard let end = try await gate.erasure(of: account) else { return .refused(.walletDeactivated) }
            return .refused(.closedByHolder(eraseAt: end))
        case .recoveryUnavailable:
            return .refused(.recoveryUnavailable(try await abandoned.refuse(account, intent: attempt.intent, now: now)))
        // A sign-in without a device waits for a code that only the device can enter, so none is sent.
        case .appInstanceUnverified: return try await requireInstanceCode(waiting(for: .instanceCode), attempt)
        case .passwordChangeRequired where !isRecent, .emailUnverified where !isRecent,
            .secondFactorRequired where !isRecent:
            return .refused(.expired)
        case .secondFactorRequired:
            return try await requireSecondFactor(waiting(for: .secondFactor), of: account, attempt)
        // A PIN must not set a password: an attacker who guessed it would take over the account. Nor must a scan, since the person may
        // not be the one at the browser.
        case .passwordChangeRequired
        where AuthenticationStrength.includeAccountPIN(factors.amr) || AuthenticationStrength.isCrossDevice(factors.amr):
            return .refused(.passwordNeeded)
        case .passwordChangeRequired: return .required(.newPassword, waiting(for: .newPassword))
        case .emailUnverified: return try await requireEmailCodeOnce(waiting(for: .emailCode), of: account, attempt)
        case .admit, .unknown, .changed, .merchantMissing: return .refused(.outdated)
        }
    }

    /// Continues with the answer to a required action.
    /// - Parameter repeated: recognizes the same answer from the same page; `nil` for an app's.
    func fulfill(
        _ answer: RequiredActionAnswer, of pending: PendingSignIn, for attempt: SignInAttempt,
        repeated: RepeatedAnswer? = nil
    ) async throws -> SignInProgress {
        // An old proof has to be repeated.
        if pending.isOver(at: attempt.now) { return .refused(.expired) }
        guard answer.need == pending.need else { return .refused(.notAsked) }
        guard let proof = SignInProof(pending) else { return .refused(.over) }
        var attempt = attempt.applying(proof)
        switch answer {
        case .newPassword(let password): return try await setPassword(password, of: pending, proof, repeated, attempt)
        case .emailCode(let code): return try await confirmEmail(code, of: pending, proof, repeated, attempt)
        case .resendEmailCode: return try await resendEmailCode(of: pending, attempt)
        case .instanceCode(let code): return try await confirmInstance(code, of: pending, proof, attempt)
        case .resendInstanceCode: return try await resendInstanceCode(of: pending, attempt)
        case .secondFactor(let answer): return try await verifyFactor(answer, of: pending, proof, repeated, attempt)
        case .passkey(let response, let use):
            return try await verifyPasskey(response, for: use, of: pending, proof, attempt)
        case .resendFactor: return try await resendFactor(of: pending, attempt)
        case .chooseFactor(let kind): return try await chooseFactor(kind, of: pending, attempt)
        // The intent names the merchant by now, and the gate checks that the person works for it.
        case .merchant: break
        case .clientConsent(let offer): attempt.intent.consent = .given(offer)
        }
        return try await admit(proof, for: attempt)
    }
}

// MARK: - Fulfilling

extension SignInEngine {
    private func setPassword(
        _ password: Password, of pending: PendingSignIn, _ proof: SignInProof, _ repeated: RepeatedAnswer?,
        _ attempt: SignInAttempt
    ) async throws -> SignInProgress {
        switch try await actions.setPassword(
            password, for: pending, origin: attempt.intent.origin, now: attempt.now, repeated: repeated)
        {
        case .changed(let factors):
            var proof = proof
            proof.factors = factors
            return try await admit(proof, for: attempt)
        case .unacceptable(let violation): return .required(.newPassword, pending, after: .unacceptable(violation))
        case .busy(let seconds): return .required(.newPassword, pending, after: .busy(retryAfter: seconds))
        case .over: return .refused(.over)
        }
    }

    private func confirmEmail(
        _ code: EmailCode?, of pending: PendingSignIn, _ proof: SignInProof, _ repeated: RepeatedAnswer?,
        _ attempt: SignInAttempt
    ) async throws -> SignInProgress {
        guard let account = try await actions.account(of: pending, need: .emailCode) else { return .refused(.over) }
        guard let code, try await confirm(code, of: account, repeated, attempt) else {
            return .required(.emailCode(destination: emailCodes.destination(of: account), nil), pending, after: .wrong)
        }
        var proof = proof
        proof.factors = try await actions.factors(of: pending, afterEmailOf: account)
        return try await admit(proof, for: attempt)
    }

    private func confirm(
        _ code: EmailCode, of account: AccountRecord, _ repeated: RepeatedAnswer?, _ attempt: SignInAttempt
    ) async throws -> Bool {
        let isRight = try await emailCodes.confirm(
            code, for: account, origin: attempt.intent.origin, now: attempt.now)
        guard let repeated else { return isRight }
        guard isRight else {
            return try await checks.database.read { try repeated.isRemembered(.confirmed(code), on: $0) }
        }
        try await checks.database.write { try repeated.remember(.confirmed(code), on: $0) }
        return true
    }

    private func resendEmailCode(of pending: PendingSignIn, _ attempt: SignInAttempt) async throws -> SignInProgress {
        guard let account = try await actions.account(of: pending, need: .emailCode) else { return .refused(.over) }
        return try await requireEmailCode(pending, of: account, attempt)
    }

    private func confirmInstance(
        _ code: OneTimeCode, of pending: PendingSignIn, _ proof: SignInProof, _ attempt: SignInAttempt
    ) async throws -> SignInProgress {
        guard let (_, device) = try await actions.device(of: pending) else { return .refused(.over) }
        switch try await instanceCodes
            .confirm(code, device: device, origin: attempt.intent.origin, now: attempt.now)
        {
        case .confirmed: return try await admit(proof, for: attempt)
        case .wrong, .tooManyAttempts: return .required(.instanceCode(nil), pending, after: .wrong)
        }
    }

    private func resendInstanceCode(of pending: PendingSignIn, _ attempt: SignInAttempt) async throws -> SignInProgress
    {
        guard let (account, device) = try await actions.device(of: pending) else { return .refused(.over) }
        let sent = try await instanceCodes.send(to: account, device: device, now: attempt.now)
        return .required(.instanceCode(sent.codeSending), pending)
    }
}

// MARK: - Asking

extension SignInEngine {
    private func requireEmailCode(
        _ pending: PendingSignIn, of account: AccountRecord, _ attempt: SignInAttempt
    ) async throws -> SignInProgress {
        let sending = try await emailCodes.send(to: account, now: attempt.now).codeSending
        return .required(.emailCode(destination: emailCodes.destination(of: account), sending), pending)
    }

    /// Sends the code unless this form has sent one that is still valid.
    private func requireEmailCodeOnce(
        _ pending: PendingSignIn, of account: AccountRecord, _ attempt: SignInAttempt
    ) async throws -> SignInProgress {
        guard let mark = attempt.form?.mark(of: "email-code-of-form", for: account.id.bytes) else {
            return try await requireEmailCode(pending, of: account, attempt)
        }
        if try await checks.database.read({ try SeenJTIs.contains(mark, now: attempt.now, on: $0) }) {
            return .required(.emailCode(destination: emailCodes.destination(of: account), nil), pending)
        }
        let progress = try await requireEmailCode(pending, of: account, attempt)
        if case .required(.emailCode(_, let sending?), _, after: _) = progress, sending.isSent {
            // A code is valid for longer than this.
            let end = attempt.now + .minutes(2)
            try await checks.database.write { _ = try SeenJTIs.remember(mark, until: end, on: $0) }
        }
        return progress
    }

    private func requireInstanceCode(_ pending: PendingSignIn, _ attempt: SignInAttempt) async throws -> SignInProgress
    {
        var sending: CodeSending?
        if let (account, device) = try await actions.device(of: pending) {
            sending = try await instanceCodes.send(to: account, device: device, now: attempt.now).codeSending
        }
        return .required(.instanceCode(sending), pending)
    }
}

/// The result of one step of a sign-in.
enum SignInProgress: Sendable {
    case admitted(Admission)
    /// The gate asks for more. The presenter seals the pending sign-in until the answer, and says what was wrong with the last one.
    case required(RequiredAction, PendingSignIn, after: AnswerFault? = nil)
    case refused(SignInRefusal)
}

/// An action that the gate requires, with everything that a presenter shows.
enum RequiredAction: Sendable {
    case newPassword
    /// A code by e-mail. The destination is masked; `nil` if this step was to send none.
    case emailCode(destination: String, CodeSending?)
    /// A code that confirms the installation of the app; `nil` if this step was to send none.
    case instanceCode(CodeSending?)
    /// `nil` only after a fault, if a concurrent answer ended the factor.
    case secondFactor(FactorPrompts.Prompt?)
    /// A page asks for no factor whose answers are not compared until a time. Others can be used instead.
    case heldFactor(until: Timestamp, instead: [FactorKind])
    case merchant([Merchant])
    case clientConsent(ClientConsentQuestion)
}

/// The fault of the last answer; the action is still required.
enum AnswerFault: Sendable {
    /// Wrong or expired.
    case wrong
    /// The code of an authenticator app that was used before. The app shows the next one soon.
    case used
    /// The new password breaks a rule.
    case unacceptable(PasswordRuleViolation)
    /// Too many wrong answers over all sign-ins; nothing was compared. In seconds.
    case held(retryAfter: Int64)
    /// No capacity to hash; nothing was charged. In seconds.
    case busy(retryAfter: Int64)
}

/// The answer to a required action. It is `nil` for text that cannot be an answer, which costs no try.
enum RequiredActionAnswer: Sendable {
    case newPassword(Password)
    case emailCode(EmailCode?)
    case resendEmailCode
    case instanceCode(OneTimeCode)
    case resendInstanceCode
    case secondFactor(Password?)
    case passkey(PasskeyAssertionResponse, PasskeyChallenges.Use)
    case resendFactor
    case chooseFactor(FactorKind)
    /// The sign-in's intent names the merchant.
    case merchant
    case clientConsent(ClientConsentOffer)

    /// The action that it answers. A proof for one action must not pass for another: the code that confirms an address is no second
    /// factor.
    var need: PendingSignIn.Need {
        switch self {
        case .newPassword: .newPassword
        case .emailCode, .resendEmailCode: .emailCode
        case .instanceCode, .resendInstanceCode: .instanceCode
        case .secondFactor, .passkey, .resendFactor, .chooseFactor: .secondFactor
        case .merchant: .merchant
        case .clientConsent: .clientConsent
        }
    }
}
