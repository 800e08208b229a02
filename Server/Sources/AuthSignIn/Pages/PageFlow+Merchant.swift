internal import AuthCore
internal import AuthStore
internal import WalletAuthWire

/// The choice of a merchant, after every kind of sign-in on pages.
extension PageFlow {
    /// The sign-in behind an intermediate page, which decides how its button continues.
    enum Basis: Sendable {
        /// A sign-in made on this page. Nothing is opened before the button is pressed.
        case signIn(SignInPolicy.Factors)
        /// A browser that was already signed in. It still has to be when the button is pressed.
        case browser
    }

    /// Asks for the merchant of the sign-in. An app that wants no page gets an error.
    func askMerchant(
        _ merchants: [Merchant], of account: AccountRecord, by basis: Basis
    ) async throws -> AuthorizationAnswer {
        guard mayAsk else { return redirect(.interactionRequired) }
        let step = SignInPage.Step.merchant(username: try await username(of: account.id) ?? "", merchants)
        switch basis {
        case .signIn(let factors):
            return try await ask(step, pending: PendingSignIn(.merchant, account: account.id, factors: factors))
        case .browser: return try await ask(step, named: account.id)
        }
    }

    /// Continues with a merchant. The gate checks that the person works for it.
    func choose(_ merchant: MerchantID, _ state: PageState) async throws -> AuthorizationAnswer {
        var next = self
        next.merchant = merchant
        if let pending = state.pending {
            guard pending.need == .merchant, let id = pending.accountID else { return stale }
            if pending.isOver(at: now) { return try await ask(beginning(hint)) }
            return try await next.finish(id, factors: pending.factors)
        }
        guard let session = try await session(namedBy: state) else { return try await ask(beginning(hint)) }
        return try await next.goOn(with: session, consent: consentTerms)
    }
}
