internal import Kernel
internal import Store
internal import WalletAuthWire

/// What the person chooses after the credential: a merchant, and consent to a third-party client.
extension PageFlow {
    /// Whether an earlier consent counts.
    var consentTerms: ClientConsentTerms { request.prompt.contains(.consent) ? .asked : .remembered }

    var cancelled: AuthorizationAnswer { redirect(.accessDenied, SignInPage.cancelled) }

    /// The answer if another person signed in than `id_token_hint` names (OpenID Connect Core §3.1.2.1). It sets no cookie and shows no
    /// page, so the person learns nothing else about the expected one.
    var unexpectedAccount: AuthorizationAnswer {
        redirect(.loginRequired, "the person who signed in is not the one that id_token_hint names")
    }

    /// Continues with the scopes that the page listed, for the account it named.
    func allow(_ state: PageState) async throws -> AuthorizationAnswer {
        guard let offer = state.allowing else { return stale }
        if let pending = state.pending {
            // Before the consent is stored: others may be at the page by now.
            guard isRecent(pending.factors) else { return try await ask(beginning(hint)) }
            return try await fulfill(.clientConsent(offer), pending)
        }
        guard let session = try await session(namedBy: state) else { return try await ask(beginning(hint)) }
        // Submitted again from the browser's history, the form must not undo a withdrawal. A device's is spent by the decision on it.
        if let ended = try await endedDevice(for: session.accountID) { return ended }
        var answer = try await goOn(with: session, consent: .given(offer))
        if case .redirect = answer.outcome {
            answer.cookies += try seal.leaving(cookies, now: now).changes
        }
        return answer
    }

    /// Whether the account of a browser session would have to give consent.
    func lacksConsent(_ session: BrowserSessionRecord) async throws -> Bool {
        guard !client.isFirstParty else { return false }
        let (id, name) = (session.accountID, client.id.rawValue)
        let consent = try await database.read { try ClientConsentRecords.find(id, to: name, on: $0) }
        if case .missing = try ClientConsentRule.decide(
            request.scope, consent, consentTerms, details: request.authorizationDetails)
        {
            return true
        }
        return false
    }

    /// Continues with a merchant. The gate checks that the person works for it.
    func choose(_ merchant: MerchantID, _ state: PageState) async throws -> AuthorizationAnswer {
        var next = self
        next.merchant = merchant
        if let pending = state.pending { return try await next.fulfill(.merchant, pending) }
        guard let session = try await session(namedBy: state) else { return try await ask(beginning(hint)) }
        return try await next.goOn(with: session)
    }
}
