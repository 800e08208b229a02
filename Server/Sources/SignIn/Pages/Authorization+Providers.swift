internal import Core
package import Kernel
package import WalletAuthWire

/// Responses of identity providers to the hosted pages.
extension Authorization {
    /// Seals a response that a provider posted from its own page, without this server's cookies, for the GET that follows at once
    /// and has them. Nothing is trusted or used up yet.
    /// - Returns: the parameters of the GET; `nil` if the state was not issued for this provider.
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

    /// Continues a sign-in with a provider's response.
    ///
    /// The response must arrive at the callback of that provider, in the browser that was redirected: a link with another person's
    /// response opens nothing. If the browser has signed in since, the request begins again.
    package func arrive(
        with answer: ProviderReturn, cookies: BrowserCookies, origin: RequestOrigin
    ) async throws -> AuthorizationAnswer {
        let now = context.clock.now()
        guard
            let authorization = ProviderAuthorizations(context: context).open(
                answer.state, at: answer.callback, now: now),
            let binding = cookies.binding
        else { return AuthorizationAnswer(outcome: .refused(.stalePage), cookies: []) }
        guard ConstantTime.equal(authorization.page.binding, PageSeal.digest(of: binding)) else {
            let request = authorization.page.request
            return authorization.page.account == nil ? restart(request) : accountPages.restart(request)
        }
        if let page = authorization.page.account {
            let flow = try accountPages.signIn(
                on: page, request: authorization.page.request, cookies: cookies, origin: origin, now: now)
            return try await flow.arrive(with: answer, for: authorization)
        }
        return try await goOn(authorization.page, cookies: cookies, origin: origin, now: now) { page in
            try await page.arrive(with: answer, for: authorization)
        }
    }
}
