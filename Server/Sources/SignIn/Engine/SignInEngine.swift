internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire
internal import Web

/// The state machine of every sign-in: a method proves the first factor, the gate decides, and what it still requires is asked for,
/// fulfilled and brought before the gate again.
///
/// This folder owns the order of these steps, the codes they send, and their results. It does not own the verification of a
/// credential (its folder), the decision (`Gate`), nor the answer: the app's API (`Native`) and the hosted pages (`Pages`) present the
/// same results, seal the pending sign-in between two requests, and decide nothing.
struct SignInEngine: Sendable {
    let context: ServerContext
    var intent: SignInIntent
    /// The brand of the accounts that sign in.
    let brand: BrandID
    let now: Timestamp
    /// Whether the person may be asked for anything: not with `prompt=none`.
    var mayAsk = true
    /// The page's form that this step came from; `nil` for an app. Reloaded, it asks again, and sends no second code.
    var form: SubmittedForm?

    private var actions: RequiredActions { RequiredActions(context: context) }

    var attempt: SignInAttempt { SignInAttempt(context: context, intent: intent, brand: brand, now: now) }

    /// Verifies a credential.
    func verify(_ method: some SignInMethod) async throws -> SignInVerdict { try await method.verify(for: attempt) }

    /// Passes the gate, or requires the action that the gate asks for.
    func admit(_ proof: SignInProof) async throws -> SignInProgress {
        try await applying(proof).decide(on: proof)
    }

    /// The engine with what a proof says of its device and requires of the sign-in.
    private func applying(_ proof: SignInProof) -> SignInEngine {
        var engine = self
        engine.intent.device = proof.device
        engine.intent.isDeviceProved = proof.isDeviceProved
        if let id = proof.grantID { engine.intent.grantID = id }
        if let acr = proof.requiredACR { engine.intent.requiredACR = acr }
        return engine
    }

    private func decide(on proof: SignInProof) async throws -> SignInProgress {
        switch try await SignInGate(context: context)
            .admit(proof.account, factors: proof.factors, intent: intent, now: now)
        {
        case .admitted(let admission): return .admitted(admission)
        case .merchantRequired(let merchants, _):
            guard mayAsk else { return .refused(.interactionRequired) }
            return .required(.merchant(merchants), PendingSignIn(.merchant, proof))
        case .consentRequired(let question, _):
            guard mayAsk else { return .refused(.consentRequired) }
            return .required(.clientConsent(question), PendingSignIn(.clientConsent, proof))
        case .unexpectedAccount: return .refused(.unexpectedAccount)
        case .refused(let decision, let account):
            if decision.needsPerson, !mayAsk { return .refused(.interactionRequired) }
            guard let account else { return .refused(.outdated) }
            return try await progress(after: decision, on: account, with: proof)
        }
    }

    /// Requires what lets the sign-in pass the gate after all, or refuses it.
    private func progress(
        after decision: SignInPolicy.Decision, on account: AccountRecord, with proof: SignInProof
    ) async throws -> SignInProgress {
        let factors = proof.factors
        func waiting(for need: PendingSignIn.Need) -> PendingSignIn { PendingSignIn(need, proof) }
        // A browser's sign-in may be older than a required action allows. So may an app's proof that is repeated after a lost
        // answer. That app still learns what is required, and begins again.
        let isRecent = intent.entrance == .native || now < factors.authTime + PendingSignIn.lifetime
        switch decision {
        case .merchant(let fault): return .refused(.merchant(fault))
        case .unmetACR: return .refused(.unmetACR)
        case .deviceSuspended: return .refused(.device(.deviceSuspended))
        case .deviceDeactivated: return .refused(.device(.deviceDeactivated))
        case .deactivated: return .refused(.walletDeactivated)
        case .recoveryUnavailable:
            _ = try await AbandonedRecovery(context: context, now: now).warn(account, due: now)
            return .refused(.recoveryUnavailable)
        // A sign-in without a device waits for a code that only the device can enter, so none is sent.
        case .appInstanceUnverified: return try await requireInstanceCode(waiting(for: .instanceCode))
        case .passwordChangeRequired where !isRecent, .emailUnverified where !isRecent,
            .secondFactorRequired where !isRecent:
            return .refused(.expired)
        case .secondFactorRequired: return try await requireSecondFactor(waiting(for: .secondFactor), of: account)
        // A PIN must not set a password: an attacker who guessed it would take over the account.
        case .passwordChangeRequired where AuthenticationStrength.includeAccountPIN(factors.amr):
            return .refused(.passwordNeeded)
        case .passwordChangeRequired: return .required(.newPassword, waiting(for: .newPassword))
        case .emailUnverified: return try await requireEmailCodeOnce(waiting(for: .emailCode), of: account)
        case .admit, .unknown, .changed, .merchantMissing: return .refused(.outdated)
        }
    }

    /// Continues with the answer to a required action.
    /// - Parameter repeated: recognizes the same answer from the same page; `nil` for an app's.
    func fulfill(
        _ answer: RequiredActionAnswer, of pending: PendingSignIn, repeated: RepeatedAnswer? = nil
    ) async throws -> SignInProgress {
        // An old proof has to be repeated.
        if pending.isOver(at: now) { return .refused(.expired) }
        guard answer.need == pending.need else { return .refused(.notAsked) }
        guard let proof = SignInProof(pending) else { return .refused(.over) }
        var engine = applying(proof)
        switch answer {
        case .newPassword(let password): return try await engine.setPassword(password, of: pending, proof, repeated)
        case .emailCode(let code): return try await engine.confirmEmail(code, of: pending, proof, repeated)
        case .resendEmailCode: return try await engine.resendEmailCode(of: pending)
        case .instanceCode(let code): return try await engine.confirmInstance(code, of: pending, proof)
        case .resendInstanceCode: return try await engine.resendInstanceCode(of: pending)
        case .secondFactor(let answer): return try await engine.verifyFactor(answer, of: pending, proof, repeated)
        case .resendFactor: return try await engine.resendFactor(of: pending)
        case .chooseFactor(let kind): return try await engine.chooseFactor(kind, of: pending)
        // The intent names the merchant by now, and the gate checks that the person works for it.
        case .merchant: break
        case .clientConsent(let offer): engine.intent.consent = .given(offer)
        }
        return try await engine.admit(proof)
    }
}

// MARK: - Fulfilling

extension SignInEngine {
    private func setPassword(
        _ password: Password, of pending: PendingSignIn, _ proof: SignInProof, _ repeated: RepeatedAnswer?
    ) async throws -> SignInProgress {
        switch try await actions.setPassword(
            password, for: pending, origin: intent.origin, now: now, repeated: repeated)
        {
        case .changed(let factors):
            var proof = proof
            proof.factors = factors
            return try await admit(proof)
        case .unacceptable(let violation): return .required(.newPassword, pending, after: .unacceptable(violation))
        case .busy(let seconds): return .required(.newPassword, pending, after: .busy(retryAfter: seconds))
        case .over: return .refused(.over)
        }
    }

    private func confirmEmail(
        _ code: EmailCode?, of pending: PendingSignIn, _ proof: SignInProof, _ repeated: RepeatedAnswer?
    ) async throws -> SignInProgress {
        guard let account = try await actions.account(of: pending, need: .emailCode) else { return .refused(.over) }
        guard let code, try await confirm(code, of: account, repeated) else {
            return .required(.emailCode(destination: destination(of: account), nil), pending, after: .wrong)
        }
        var proof = proof
        proof.factors = try await actions.factors(of: pending, afterEmailOf: account)
        return try await admit(proof)
    }

    private func confirm(
        _ code: EmailCode, of account: AccountRecord, _ repeated: RepeatedAnswer?
    ) async throws -> Bool {
        let isRight = try await EmailCodes(context: context).confirm(
            code, for: account, origin: intent.origin, now: now)
        guard let repeated else { return isRight }
        guard isRight else {
            return try await context.database.read { try repeated.isRemembered(.confirmed(code), on: $0) }
        }
        try await context.database.write { try repeated.remember(.confirmed(code), on: $0) }
        return true
    }

    private func resendEmailCode(of pending: PendingSignIn) async throws -> SignInProgress {
        guard let account = try await actions.account(of: pending, need: .emailCode) else { return .refused(.over) }
        return try await requireEmailCode(pending, of: account)
    }

    private func confirmInstance(
        _ code: OneTimeCode, of pending: PendingSignIn, _ proof: SignInProof
    ) async throws -> SignInProgress {
        guard let (_, device) = try await actions.device(of: pending) else { return .refused(.over) }
        switch try await InstanceCodes(context: context)
            .confirm(code, device: device, origin: intent.origin, now: now)
        {
        case .confirmed: return try await admit(proof)
        case .wrong, .tooManyAttempts: return .required(.instanceCode(nil), pending, after: .wrong)
        }
    }

    private func resendInstanceCode(of pending: PendingSignIn) async throws -> SignInProgress {
        guard let (account, device) = try await actions.device(of: pending) else { return .refused(.over) }
        let sent = try await InstanceCodes(context: context).send(to: account, device: device, now: now)
        return .required(.instanceCode(sent.codeSending), pending)
    }

    private func verifyFactor(
        _ answer: Password?, of pending: PendingSignIn, _ proof: SignInProof, _ repeated: RepeatedAnswer?
    ) async throws -> SignInProgress {
        guard let (prompts, factor) = try await openFactor(of: pending) else { return .refused(.over) }
        guard let answer else {
            return .required(.secondFactor(try await prompts.current(factor)), pending, after: .wrong)
        }
        let outcome = try await FactorAnswers(context: context).verify(
            answer, of: factor, in: pending, account: prompts.account, kinds: prompts.kinds,
            origin: intent.origin, now: now, repeated: repeated)
        let fault: AnswerFault
        switch outcome {
        case .proved(let kind):
            var proof = proof
            proof.factors.add(kind)
            return try await admit(proof)
        case .wrong(isLast: true): return .refused(.secondFactorFailed)
        case .over: return .refused(.secondFactorOver)
        case .wrong(isLast: false): fault = .wrong
        case .used: fault = .used
        case .held(let seconds): fault = .held(retryAfter: seconds)
        case .busy(let seconds): fault = .busy(retryAfter: seconds)
        }
        return .required(.secondFactor(try await prompts.current(factor)), pending, after: fault)
    }

    private func resendFactor(of pending: PendingSignIn) async throws -> SignInProgress {
        guard let (prompts, factor) = try await openFactor(of: pending) else { return .refused(.over) }
        return try await asked(prompts.resend(factor), pending)
    }

    private func chooseFactor(_ kind: FactorKind, of pending: PendingSignIn) async throws -> SignInProgress {
        guard let (prompts, factor) = try await openFactor(of: pending) else { return .refused(.over) }
        guard prompts.kinds.contains(kind) else { return .refused(.noSuchFactor) }
        return try await asked(prompts.choose(kind, for: factor), pending)
    }
}

// MARK: - Asking

extension SignInEngine {
    private func requireEmailCode(_ pending: PendingSignIn, of account: AccountRecord) async throws -> SignInProgress {
        let sending = try await EmailCodes(context: context).send(to: account, now: now).codeSending
        return .required(.emailCode(destination: destination(of: account), sending), pending)
    }

    /// Sends the code unless this form has sent one that is still valid.
    private func requireEmailCodeOnce(
        _ pending: PendingSignIn, of account: AccountRecord
    ) async throws -> SignInProgress {
        guard let mark = form?.mark(of: "email-code-of-form", for: account.id.bytes) else {
            return try await requireEmailCode(pending, of: account)
        }
        if try await context.database.read({ try SeenJTIs.contains(mark, now: now, on: $0) }) {
            return .required(.emailCode(destination: destination(of: account), nil), pending)
        }
        let progress = try await requireEmailCode(pending, of: account)
        if case .required(.emailCode(_, let sending?), _, after: _) = progress, sending.isSent {
            // A code is valid for longer than this.
            let end = now + .minutes(2)
            try await context.database.write { _ = try SeenJTIs.remember(mark, until: end, on: $0) }
        }
        return progress
    }

    private func destination(of account: AccountRecord) -> String {
        AccountVault(context.sealing).open(account.email, .email, of: account.id).map(EmailCodes.masked) ?? "…"
    }

    private func requireInstanceCode(_ pending: PendingSignIn) async throws -> SignInProgress {
        var sending: CodeSending?
        if let (account, device) = try await actions.device(of: pending) {
            sending = try await InstanceCodes(context: context).send(to: account, device: device, now: now).codeSending
        }
        return .required(.instanceCode(sending), pending)
    }

    /// Opens a factor and asks for it.
    private func requireSecondFactor(_ pending: PendingSignIn, of account: AccountRecord) async throws -> SignInProgress
    {
        let prompts = try await prompts(of: account, pending)
        let id = form?.id(of: "open-factor-of-form", for: account.id.bytes)
        guard let opened = try await prompts.open(until: pending.end, as: id) else {
            return .refused(.secondFactorUnavailable)
        }
        var pending = pending
        pending.factor = opened.id.uuid
        try await pending.warn(account, in: context, now: now)
        return .required(.secondFactor(opened.prompt), pending)
    }

    /// The sign-in ends if there is nothing left to ask.
    private func asked(_ prompt: FactorPrompts.Prompt?, _ pending: PendingSignIn) -> SignInProgress {
        guard let prompt else { return .refused(.secondFactorOver) }
        return .required(.secondFactor(prompt), pending)
    }

    /// The prompts of a pending sign-in and its open factor; `nil` if there is none, or if the account changed in the meantime.
    private func openFactor(of pending: PendingSignIn) async throws -> (FactorPrompts, UniqueID)? {
        guard let factor = pending.factorID,
            let account = try await actions.account(of: pending, need: .secondFactor)
        else { return nil }
        return (try await prompts(of: account, pending), factor)
    }

    private func prompts(of account: AccountRecord, _ pending: PendingSignIn) async throws -> FactorPrompts {
        try await FactorPrompts(
            context: context, account: account, intent: intent, factors: pending.factors, now: now)
    }
}
