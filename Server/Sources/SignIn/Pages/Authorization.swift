internal import Core
package import Kernel
package import WalletAuthWire

/// The authorization endpoint, the hosted pages behind it, and brands' authentication details.
///
/// This folder owns authorization requests, the state and cookies of the hosted pages, and the pages that present a sign-in's results.
/// It does not own the credentials, the order of the steps (`Engine`), nor the decision to sign in (`Gate`).
package struct Authorization: Sendable {
    package let context: ServerContext
    /// The account's own page, to which a provider's response may lead back.
    package let accountPages: AccountPages

    package init(context: ServerContext, accountPages: AccountPages) {
        self.context = context
        self.accountPages = accountPages
    }

    /// The authorization endpoint, `GET` or `POST` (OpenID Connect Core §3.1.2.1).
    ///
    /// Takes parameters instead of a checked request. A fault goes to the app by redirect once client and redirect URI are
    /// known to belong together; before that it goes on an error page.
    ///
    /// A signed-in browser continues without a page only if the redirect URI proves the app: a claimed https URL. Any program
    /// can listen on loopback or register a custom scheme, so then the person is asked (RFC 8252 §8.6), and `prompt=none` is
    /// refused.
    /// - Parameters:
    ///   - parameters: the query or the form; the edge has refused doubled names.
    ///   - cookies: the browser's cookies.
    ///   - origin: the origin of the request.
    package func begin(
        _ parameters: FormParameters, cookies: BrowserCookies, origin: RequestOrigin
    ) async throws -> AuthorizationAnswer {
        let now = context.clock.now()
        switch try await AuthorizationCheck(context: context).check(parameters, now: now) {
        case .refused(let fault): return AuthorizationAnswer(outcome: .refused(fault), cookies: [])
        case .redirect(let redirect, let client):
            let answer = AuthorizationAnswer(outcome: .redirect(redirect), cookies: [])
            // The rest of the request may be malformed.
            let locales = (parameters["ui_locales"] ?? "").split(separator: " ").prefix(8).compactMap {
                try? LocaleTag(String($0))
            }
            return redirect.mode == .formPost ? try await dressed(answer, client.accountBrand, locales) : answer
        case .valid(let request, let client):
            // A page that was opened in time may continue: it has its own expiry.
            if let end = request.expiresAt, NumericDate(clamping: now.seconds) >= end {
                return AuthorizationAnswer(outcome: .refused(.stalePage), cookies: [])
            }
            let page = PageFlow(
                context: context, request: request, client: client, cookies: cookies, origin: origin, now: now)
            let answer = try await page.begin()
            // A silent answer is a redirect that reads no more than it needs.
            return request.responseMode == .formPost
                ? try await dressed(answer, page.brand, request.uiLocales) : answer
        }
    }

    /// Handles a form submitted from the hosted page.
    package func submit(
        _ submission: PageSubmission<SignInPage.Action>, cookies: BrowserCookies, origin: RequestOrigin
    ) async throws -> AuthorizationAnswer {
        let now = context.clock.now()
        let form = PageSeal(context: context).open(
            submission.request, csrf: submission.csrf, binding: cookies.binding, now: now)
        // A form of the account's own page signs no one in to an app.
        switch form {
        case .current(let state) where state.account == nil:
            return try await goOn(state, cookies: cookies, origin: origin, now: now) { page in
                try await page.submit(submission.action, state: state)
            }
        case .unbound(let state) where state.account == nil:
            switch submission.action {
            // Any app can be told this without a form.
            case .cancel:
                return try await goOn(state, cookies: cookies, origin: origin, now: now) { $0.cancelled }
            case .useAnotherAccount:
                var request = state.request
                if !request.prompt.contains(.selectAccount) { request.prompt.append(.selectAccount) }
                return restart(request)
            default:
                var request = state.request
                // A person who typed a name must not go on as another, who has signed in since.
                if let name = submission.action.typedName { request.loginHint = name }
                return restart(request)
            }
        case .current, .unbound, .refused: return AuthorizationAnswer(outcome: .refused(.stalePage), cookies: [])
        }
    }

    /// Begins a request again in a browser whose form no longer counts.
    func restart(_ request: AuthorizationRequest) -> AuthorizationAnswer {
        var request = request
        // The page was opened in time.
        request.expiresAt = nil
        let url = context.settings.issuer.url(path: Endpoints.authorize.path) + "?" + request.form.encoded
        return AuthorizationAnswer(outcome: .restart(url), cookies: [])
    }

    /// Continues an interaction after checking its request again: client and registration may have changed.
    func goOn(
        _ state: PageState, cookies: BrowserCookies, origin: RequestOrigin, now: Timestamp,
        _ body: (PageFlow) async throws -> AuthorizationAnswer
    ) async throws -> AuthorizationAnswer {
        switch try await AuthorizationCheck(context: context).check(state.request, now: now) {
        case .refused(let fault): return AuthorizationAnswer(outcome: .refused(fault), cookies: [])
        case .redirect(let redirect, let client):
            return try await dressed(
                AuthorizationAnswer(outcome: .redirect(redirect), cookies: []), client.accountBrand,
                state.request.uiLocales)
        case .valid(let request, let client):
            let page = PageFlow(
                context: context, request: request, client: client, cookies: cookies, origin: origin, now: now)
            return try await dressed(body(page), page.brand, request.uiLocales)
        }
    }

    /// Adds the brand's look and the languages to an answer that leads to an app by a page. Error pages have none: a forged link must
    /// not borrow it.
    private func dressed(
        _ answer: AuthorizationAnswer, _ brand: BrandID, _ locales: [LocaleTag] = []
    ) async throws -> AuthorizationAnswer {
        guard case .redirect(var redirect) = answer.outcome else { return answer }
        redirect.appearance = try await BrandAppearance.of(brand, in: context)
        redirect.locales = locales
        return AuthorizationAnswer(outcome: .redirect(redirect), cookies: answer.cookies)
    }

    /// Creates a brand's authentication details: a URL that begins the code flow with the brand's look and the given hints.
    package func authenticationDetails(
        _ request: AuthenticationDetailsRequest, brand: BrandID
    ) async throws -> AuthenticationDetailsOutcome {
        try await AuthenticationDetails(context: context).details(request, brand: brand, now: context.clock.now())
    }
}
