internal import AuthCore
internal import AuthCredentials
internal import AuthStore
internal import WalletAuthWire

/// The second factor of a sign-in on the hosted page: the gate requires it, and decides again after the answer.
extension PageFlow {
    /// Opens a factor and asks for it.
    func askSecondFactor(
        of account: AccountRecord, factors: SignInPolicy.Factors
    ) async throws -> AuthorizationAnswer {
        var pending = PendingSignIn(.secondFactor, account: account.id, factors: factors)
        let prompts = try await prompts(of: account, factors: factors)
        guard let opened = try await prompts.open(until: pending.end) else {
            return redirect(.unmetAuthenticationRequirements)
        }
        pending.factor = opened.id.uuid
        try await pending.warn(account, in: context, now: now)
        return try await asked(opened.prompt, pending)
    }

    /// Verifies an answer and continues.
    func check(_ answer: Password, _ pending: PendingSignIn?) async throws -> AuthorizationAnswer {
        guard let (prompts, factor, pending) = try await open(pending) else { return stale }
        let outcome = try await FactorAnswers(context: context).verify(
            answer, of: factor, in: pending, account: prompts.account, kinds: prompts.kinds, origin: origin, now: now)
        switch outcome {
        case .proved(let kind):
            var factors = pending.factors
            factors.add(kind)
            return try await finish(prompts.account.id, factors: factors)
        case .wrong(isLast: true), .over: return try await ask(beginning(nil), .factorOver)
        case .wrong(isLast: false): return try await asked(try await prompts.current(factor), pending, .wrongAnswer)
        case .held(let seconds):
            return try await asked(
                try await prompts.current(factor), pending, .tooManyAttempts(retryAfter: seconds))
        case .busy(let seconds):
            return try await asked(try await prompts.current(factor), pending, .busy(retryAfter: seconds))
        }
    }

    /// Sends the code again, if allowed.
    func resendFactor(_ pending: PendingSignIn?) async throws -> AuthorizationAnswer {
        guard let (prompts, factor, pending) = try await open(pending) else { return stale }
        let prompt = try await prompts.resend(factor)
        // The full wait means that a code was just sent.
        let wait = prompt?.resendAfter ?? FactorCodes.interval.wholeSeconds
        guard prompt?.isCodeSent ?? true else { return try await asked(prompt, pending) }
        return try await asked(
            prompt, pending,
            wait == FactorCodes.interval.wholeSeconds ? .codeSent : .codeSentRecently(retryAfter: wait))
    }

    /// Switches to another factor of the account.
    func chooseFactor(_ kind: FactorKind, _ pending: PendingSignIn?) async throws -> AuthorizationAnswer {
        guard let (prompts, factor, pending) = try await open(pending), prompts.kinds.contains(kind) else {
            return stale
        }
        return try await asked(try await prompts.choose(kind, for: factor), pending)
    }

    /// The open factor of a pending sign-in; `nil` if there is none, or if the account changed in the meantime.
    private func open(_ pending: PendingSignIn?) async throws -> (FactorPrompts, UniqueID, PendingSignIn)? {
        guard let pending, let factor = pending.factorID,
            let account = try await requiredActions.account(of: pending, need: .secondFactor)
        else { return nil }
        return (try await prompts(of: account, factors: pending.factors), factor, pending)
    }

    private func prompts(of account: AccountRecord, factors: SignInPolicy.Factors) async throws -> FactorPrompts {
        try await FactorPrompts(context: context, account: account, intent: intent, factors: factors, now: now)
    }

    /// The page with the prompt; the sign-in starts over if there is nothing left to ask.
    private func asked(
        _ prompt: FactorPrompts.Prompt?, _ pending: PendingSignIn, _ notice: SignInPage.Notice? = nil
    ) async throws -> AuthorizationAnswer {
        guard let prompt, let kind = FactorKind(method: prompt.method, channel: prompt.channel) else {
            return try await ask(beginning(nil), .factorOver)
        }
        let factor = SignInPage.Factor(
            kind: kind, question: prompt.question, destination: prompt.destination,
            canResend: prompt.resendAfter != nil, isCodeSent: prompt.isCodeSent,
            sendableAfter: prompt.resendAfter,
            alternatives: prompt.alternatives.compactMap { FactorKind(method: $0.method, channel: $0.channel) })
        return try await ask(.secondFactor(factor), notice, pending: pending)
    }
}
