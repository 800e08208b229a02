internal import AuthCore
internal import AuthCredentials
internal import AuthStore
internal import WalletAuthWire

/// The second factor of a native sign-in: the gate requires it, and decides again after the answer.
extension NativeSignIn {
    /// Opens a factor and asks for it.
    func askSecondFactor(
        _ account: AccountRecord?, factors: SignInPolicy.Factors, call: Call
    ) async throws -> NativeSignInOutcome {
        guard let account else { return .refused(.invalidCredentials) }
        var pending = PendingSignIn(.secondFactor, account: account.id, factors: factors, device: call.intent.device)
        let prompts = try await prompts(of: account, factors: factors, call: call)
        guard let opened = try await prompts.open(until: pending.end) else { return .refused(.redirectToWeb) }
        pending.factor = opened.id.uuid
        try await pending.warn(account, in: context, now: call.now)
        return try asked(opened.prompt, pending, call: call)
    }

    /// Verifies an answer and continues.
    func verify(
        _ answer: Password, token: MFAToken, _ pending: PendingSignIn, call: Call
    ) async throws -> NativeSignInOutcome {
        guard let (prompts, factor) = try await prompts(pending, call: call), token.reveal() == factor.uuid else {
            return .refused(.invalidSession)
        }
        let outcome = try await FactorAnswers(context: context).verify(
            answer, of: factor, in: pending, account: prompts.account, kinds: prompts.kinds,
            origin: call.intent.origin, now: call.now)
        switch outcome {
        case .proved(let kind):
            var factors = pending.factors
            factors.add(kind)
            return try await finish(prompts.account.id, factors: factors, call: call)
        case .wrong(isLast: false): return .refused(.wrongSecondFactor(try session(pending, call: call)))
        case .wrong(isLast: true): return .refused(.wrongSecondFactor(nil))
        case .over: return .refused(.invalidSession)
        case .held(let seconds): return .refused(.tooManyAttempts(retryAfter: seconds))
        case .busy(let seconds): return .refused(.busy(retryAfter: seconds))
        }
    }

    /// The answer with the prompt; the sign-in ends if there is nothing left to ask.
    func asked(
        _ prompt: FactorPrompts.Prompt?, _ pending: PendingSignIn, call: Call
    ) throws -> NativeSignInOutcome {
        guard let prompt else { return .refused(.invalidSession) }
        return .refused(.mfaRequired(try session(pending, call: call), prompt))
    }

    /// The prompts of a pending sign-in and its open factor; `nil` if the account changed in the meantime.
    func prompts(_ pending: PendingSignIn, call: Call) async throws -> (FactorPrompts, UniqueID)? {
        guard let factor = pending.factorID,
            let account = try await requiredActions.account(of: pending, need: .secondFactor)
        else { return nil }
        return (try await prompts(of: account, factors: pending.factors, call: call), factor)
    }

    private func prompts(
        of account: AccountRecord, factors: SignInPolicy.Factors, call: Call
    ) async throws -> FactorPrompts {
        try await FactorPrompts(
            context: context, account: account, intent: call.intent, factors: factors, now: call.now)
    }
}
