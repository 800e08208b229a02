internal import AuthCore
internal import AuthStore
package import WalletAuthWire

/// Answers of identity providers to the hosted pages.
extension Authorization {
    /// What a provider sent by a form of its own page, without this server's cookies: sealed, for the GET that follows at once and
    /// has them. Nothing is believed or used up yet.
    /// - Parameters:
    ///   - response: the answer.
    ///   - state: the `state` that came with it.
    ///   - callback: by which way it came.
    /// - Returns: the parameters of the GET; `nil` where the state is none that this provider was sent.
    /// - Throws: infrastructure errors.
    package func hold(
        _ response: ProviderResponse, state: String, at callback: ProviderCallback
    ) throws -> FormParameters? {
        let (now, authorizations) = (context.clock.now(), ProviderAuthorizations(context: context))
        guard authorizations.open(state, at: callback, now: now) != nil else { return nil }
        var form = FormParameters()
        form.append("state", state)
        form.append("response", try authorizations.seal(response, for: state, now: now))
        return form
    }

    /// Goes on with a sign-in that a provider answered.
    ///
    /// Only by the way of the provider that was asked, and in the browser that was sent there: a link with another person's answer
    /// opens nothing.
    /// - Parameters:
    ///   - answer: what came.
    ///   - cookies: what the browser brought.
    ///   - origin: where the request came from.
    /// - Throws: infrastructure errors.
    package func arrive(
        with answer: ProviderReturn, cookies: BrowserCookies, origin: RequestOrigin
    ) async throws -> AuthorizationAnswer {
        let now = context.clock.now()
        guard
            let authorization = ProviderAuthorizations(context: context).open(
                answer.state, at: answer.callback, now: now),
            let binding = cookies.binding,
            ConstantTime.equal(authorization.page.binding, PageSeal.digest(of: binding))
        else { return AuthorizationAnswer(outcome: .refused(.stalePage), cookies: []) }
        if let page = authorization.page.account {
            return try await AccountInteraction(
                context: context, request: authorization.page.request, cookies: cookies, origin: origin, now: now
            ).flow(page).arrive(with: answer, for: authorization)
        }
        return try await goOn(authorization.page, cookies: cookies, origin: origin, now: now) { page in
            try await page.arrive(with: answer, for: authorization)
        }
    }
}
