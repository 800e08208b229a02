internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// The second factor of a sign-in: asked for, sent again, exchanged for another, and verified.
extension SignInEngine {
    func verifyFactor(
        _ answer: Password?, of pending: PendingSignIn, _ proof: SignInProof, _ repeated: RepeatedAnswer?,
        _ attempt: SignInAttempt
    ) async throws -> SignInProgress {
        guard let (prompts, factor) = try await openFactor(of: pending, attempt) else { return .refused(.over) }
        guard let answer else {
            return .required(.secondFactor(try await prompts.current(factor)), pending, after: .wrong)
        }
        let outcome = try await answers.verify(
            answer, of: factor, in: pending, account: prompts.account, kinds: prompts.kinds,
            origin: attempt.intent.origin, now: attempt.now, repeated: repeated)
        let fault: AnswerFault
        switch outcome {
        case .proved(let kind):
            var proof = proof
            proof.factors.add(kind)
            return try await admit(proof, for: attempt)
        case .wrong(isLast: true):
            // What the page asks for next may have to wait.
            let wait = try await self.prompts(of: prompts.account, pending, attempt).wait(for: nil)
            return .refused(.secondFactorFailed(wait))
        case .over: return .refused(.secondFactorOver)
        case .wrong(isLast: false): fault = .wrong
        case .used: fault = .used
        case .held(let seconds): fault = .held(retryAfter: seconds)
        case .busy(let seconds): fault = .busy(retryAfter: seconds)
        }
        return .required(.secondFactor(try await prompts.current(factor)), pending, after: fault)
    }

    /// Not in its cooling period, since its key and a stolen password would be two categories; nor for a recovery: it needs no password.
    func verifyPasskey(
        _ response: PasskeyAssertionResponse, for use: PasskeyChallenges.Use, of pending: PendingSignIn,
        _ proof: SignInProof, _ attempt: SignInAttempt
    ) async throws -> SignInProgress {
        guard pending.recovery == nil, let account = try await actions.account(of: pending, need: .secondFactor)
        else { return .refused(.over) }
        let used = try await checks.passkeys.verify(
            response, for: use, from: attempt.intent.client, origin: attempt.intent.origin, now: attempt.now)
        guard let used, used.account.id == account.id, used.isSettled,
            try await checks.database.write({ try used.spend(on: $0) })
        else { return .required(.secondFactor(nil), pending, after: .wrong) }
        var proof = proof
        for method in used.methods { proof.factors.amr = proof.factors.amr.adding(method) }
        return try await admit(proof, for: attempt)
    }

    func resendFactor(of pending: PendingSignIn, _ attempt: SignInAttempt) async throws -> SignInProgress {
        guard let (prompts, factor) = try await openFactor(of: pending, attempt) else {
            return try await openAfterWait(nil, for: pending, attempt)
        }
        if let kind = try await prompts.kind(of: factor), let wait = prompts.wait(for: kind) {
            return .required(wait.action, pending)
        }
        return try await asked(prompts.resend(factor), pending)
    }

    func chooseFactor(
        _ kind: FactorKind, of pending: PendingSignIn, _ attempt: SignInAttempt
    ) async throws -> SignInProgress {
        guard let (prompts, factor) = try await openFactor(of: pending, attempt) else {
            return try await openAfterWait(kind, for: pending, attempt)
        }
        guard prompts.kinds.contains(kind) else { return .refused(.noSuchFactor) }
        if let wait = prompts.wait(for: kind) { return .required(wait.action, pending) }
        return try await asked(prompts.choose(kind, for: factor), pending)
    }
}

// MARK: - Asking

extension SignInEngine {
    /// Opens a factor and asks for it, unless a page has to wait: no code is sent that would be refused.
    /// - Parameter kind: the one that the person chose; `nil` for the preferred one.
    func requireSecondFactor(
        _ pending: PendingSignIn, of account: AccountRecord, as kind: FactorKind? = nil, _ attempt: SignInAttempt
    ) async throws -> SignInProgress {
        let prompts = try await prompts(of: account, pending, attempt)
        if let kind, !prompts.kinds.contains(kind) { return .refused(.noSuchFactor) }
        var pending = pending
        let action: RequiredAction
        if let wait = prompts.wait(for: kind) {
            try await answers.recordHold(
                of: account, until: wait.until, origin: attempt.intent.origin, now: attempt.now)
            action = wait.action
        } else {
            let id = attempt.form?.id(of: "open-factor-of-form", for: account.id.bytes)
            guard let opened = try await prompts.open(kind, until: pending.end, as: id) else {
                guard let prompt = try prompts.passkeyAlone() else { return .refused(.secondFactorUnavailable) }
                return .required(.secondFactor(prompt), pending)
            }
            pending.factor = opened.id.uuid
            action = .secondFactor(opened.prompt)
        }
        if pending.recovery != nil, pending.warnings == nil {
            // Withdrawn by the right answer.
            pending.warnings = try await abandoned.warn(account, due: pending.end, now: attempt.now).map(\.uuid)
        }
        return .required(action, pending)
    }

    /// Goes on from a page that had to wait before a factor was open.
    private func openAfterWait(
        _ kind: FactorKind?, for pending: PendingSignIn, _ attempt: SignInAttempt
    ) async throws -> SignInProgress {
        guard pending.factor == nil, attempt.intent.entrance == .browser,
            let account = try await actions.account(of: pending, need: .secondFactor)
        else { return .refused(.over) }
        return try await requireSecondFactor(pending, of: account, as: kind, attempt)
    }

    /// The sign-in ends if there is nothing left to ask.
    private func asked(_ prompt: FactorPrompts.Prompt?, _ pending: PendingSignIn) -> SignInProgress {
        guard let prompt else { return .refused(.secondFactorOver) }
        return .required(.secondFactor(prompt), pending)
    }

    /// The prompts of a pending sign-in and its open factor; `nil` if there is none, or if the account changed in the meantime.
    private func openFactor(
        of pending: PendingSignIn, _ attempt: SignInAttempt
    ) async throws -> (FactorPrompts, UniqueID)? {
        guard let factor = pending.factorID,
            let account = try await actions.account(of: pending, need: .secondFactor)
        else { return nil }
        return (try await prompts(of: account, pending, attempt), factor)
    }

    private func prompts(
        of account: AccountRecord, _ pending: PendingSignIn, _ attempt: SignInAttempt
    ) async throws -> FactorPrompts {
        try await prompting.prompts(
            of: account, intent: attempt.intent, factors: pending.factors, now: attempt.now)
    }
}
