internal import AuthCore
internal import AuthFoundation
internal import AuthStore
internal import ClientConsents
internal import WalletAuthWire

/// The consent page of a third-party client, after every kind of sign-in on pages.
extension PageFlow {
    /// Whether an earlier consent counts.
    var consentTerms: ClientConsentTerms { request.prompt.contains(.consent) ? .asked : .remembered }

    /// Asks for the missing consent. An app that wants no page gets an error.
    func askConsent(
        _ question: ClientConsentQuestion, of account: AccountRecord, by basis: Basis
    ) async throws -> AuthorizationAnswer {
        guard mayAsk else { return redirect(.consentRequired) }
        let step = SignInPage.Step.clientConsent(
            ClientConsentRequest(
                username: try await username(of: account.id) ?? "", new: question.new.tokens,
                granted: question.granted.tokens, isRepeated: question.isRepeated))
        switch basis {
        case .signIn(let factors):
            let pending = PendingSignIn(.clientConsent, account: account.id, factors: factors)
            return try await ask(step, pending: pending, allowing: question.offer)
        case .browser: return try await ask(step, named: account.id, allowing: question.offer)
        }
    }

    /// Continues with the scopes that the page listed, for the account it named.
    func allow(_ state: PageState) async throws -> AuthorizationAnswer {
        guard let offer = state.allowing else { return stale }
        if let pending = state.pending {
            guard pending.need == .clientConsent, let id = pending.accountID else { return stale }
            if pending.isOver(at: now) { return try await ask(beginning(hint)) }
            return try await finish(id, factors: pending.factors, consent: .given(offer))
        }
        guard let session = try await session(namedBy: state) else { return try await ask(beginning(hint)) }
        var answer = try await goOn(with: session, consent: .given(offer))
        // The form is spent: submitted again from the browser's history, it must not undo a withdrawal.
        if case .redirect = answer.outcome {
            answer.cookies.append(CookieChange(cookie: .binding, value: seal.newBinding()))
        }
        return answer
    }

    /// Whether the account of a browser session would have to give consent.
    func lacksConsent(_ session: BrowserSessionRecord) async throws -> Bool {
        guard !client.isFirstParty else { return false }
        let (id, name) = (session.accountID, client.id.rawValue)
        let consent = try await context.database.read { try ClientConsentRecords.find(id, to: name, on: $0) }
        if case .missing = try ClientConsentRule.decide(request.scope, consent, consentTerms) { return true }
        return false
    }
}
