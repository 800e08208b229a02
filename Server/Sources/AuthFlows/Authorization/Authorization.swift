internal import AuthCore
internal import AuthStore
package import WalletAuthWire

/// The authorization endpoint, the hosted pages behind it, and brands' authentication details.
package struct Authorization: Sendable {
    let context: ServerContext

    /// The authorization endpoint, `GET` or `POST` (OpenID Connect Core §3.1.2.1).
    ///
    /// It takes the parameters and not a checked request, because a fault has to be told to the app by a redirect as
    /// soon as client and redirect URI are known to belong together, and on an error page before that.
    ///
    /// A browser that is signed in goes on without a page only to an app that its redirect URI proves: one under a
    /// claimed https URL. Any program can listen on loopback or register a custom scheme, so there the person is asked
    /// (RFC 8252 §8.6), and `prompt=none` is refused.
    /// - Parameters:
    ///   - parameters: the query or the form; doubled names were refused at the edge.
    ///   - cookies: what the browser brought.
    ///   - origin: where the request came from.
    /// - Throws: infrastructure errors.
    package func begin(
        _ parameters: FormParameters, cookies: BrowserCookies, origin: RequestOrigin
    ) async throws -> AuthorizationAnswer {
        let now = context.clock.now()
        switch try await AuthorizationCheck(context: context).check(parameters, now: now) {
        case .refused(let fault): return AuthorizationAnswer(outcome: .refused(fault), cookies: [])
        case .redirect(let redirect, let client):
            return try await dressed(
                AuthorizationAnswer(outcome: .redirect(redirect), cookies: []), client.accountBrand)
        case .valid(let request, let client):
            // A page that was opened in time goes on: it has a time of its own.
            if let end = request.expiresAt, NumericDate(clamping: now.seconds) >= end {
                return AuthorizationAnswer(outcome: .refused(.stalePage), cookies: [])
            }
            let page = PageFlow(
                context: context, request: request, client: client, cookies: cookies, origin: origin, now: now)
            return try await dressed(page.begin(), page.brand)
        }
    }

    /// What a person sent from the hosted page.
    /// - Parameters:
    ///   - submission: the form.
    ///   - cookies: what the browser brought.
    ///   - origin: where the request came from.
    /// - Throws: infrastructure errors.
    package func submit(
        _ submission: PageSubmission<SignInPage.Action>, cookies: BrowserCookies, origin: RequestOrigin
    ) async throws -> AuthorizationAnswer {
        let now = context.clock.now()
        let opened = PageSeal(context: context).open(
            submission.request, csrf: submission.csrf, binding: cookies.binding, now: now)
        // A form of the account's own page signs nobody in to an app.
        guard let state = opened, state.account == nil else {
            return AuthorizationAnswer(outcome: .refused(.stalePage), cookies: [])
        }
        return try await goOn(state, cookies: cookies, origin: origin, now: now) { page in
            try await page.submit(submission.action, state: state)
        }
    }

    /// Goes on with a page that was left, once its request has been looked at again: client and registration may have changed.
    func goOn(
        _ state: PageState, cookies: BrowserCookies, origin: RequestOrigin, now: Timestamp,
        _ body: (PageFlow) async throws -> AuthorizationAnswer
    ) async throws -> AuthorizationAnswer {
        switch try await AuthorizationCheck(context: context).check(state.request, now: now) {
        case .refused(let fault): return AuthorizationAnswer(outcome: .refused(fault), cookies: [])
        case .redirect(let redirect, let client):
            return try await dressed(
                AuthorizationAnswer(outcome: .redirect(redirect), cookies: []), client.accountBrand)
        case .valid(let request, let client):
            let page = PageFlow(
                context: context, request: request, client: client, cookies: cookies, origin: origin, now: now)
            return try await dressed(body(page), page.brand)
        }
    }

    /// Puts the brand's look on an answer that a page carries. Error pages wear none: a forged link must not borrow it.
    private func dressed(_ answer: AuthorizationAnswer, _ brand: BrandID) async throws -> AuthorizationAnswer {
        guard case .redirect(var redirect) = answer.outcome, redirect.mode == .formPost else { return answer }
        redirect.appearance = try await BrandAppearance.of(brand, in: context)
        return AuthorizationAnswer(outcome: .redirect(redirect), cookies: answer.cookies)
    }

    /// A brand's authentication details: a URL that begins the code flow with the brand's look and the hints applied.
    /// - Parameters:
    ///   - request: what the app asked for.
    ///   - brand: the brand of the path.
    ///   - origin: where the request came from.
    /// - Throws: infrastructure errors.
    package func authenticationDetails(
        _ request: AuthenticationDetailsRequest, brand: BrandID, origin: RequestOrigin
    ) async throws -> AuthenticationDetailsOutcome {
        try await AuthenticationDetails(context: context).details(request, brand: brand, now: context.clock.now())
    }
}
