internal import Core
package import Kernel
package import WalletAuthWire
internal import Web

/// The authorization endpoint, the hosted pages behind it, and brands' authentication details.
///
/// This folder owns authorization requests, the state and cookies of the hosted pages, and the pages that present a sign-in's results.
/// It does not own the credentials, the order of the steps (`Engine`), nor the decision to sign in (`Gate`).
package struct Authorization: Sendable {
    let clock: any Clock
    let pages: SignInPages
    /// The account's own page, to which a provider's response may lead back.
    let accountPages: AccountPages
    package let details: AuthenticationDetails

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
        let now = clock.now()
        switch try await pages.check.check(parameters, now: now) {
        case .refused(let fault): return AuthorizationAnswer(outcome: .refused(fault), cookies: [])
        case .redirect(let redirect, let client):
            let answer = AuthorizationAnswer(
                outcome: .redirect(try pages.check.signed(redirect, for: client, now: now)), cookies: [])
            // The rest of the request may be malformed.
            return redirect.mode == .formPost
                ? try await dressed(answer, client.accountBrand, parameters.uiLocales) : answer
        case .valid(let request, let client):
            // A page that was opened in time may continue: it has its own expiry.
            if let end = request.expiresAt, NumericDate(clamping: now.seconds) >= end {
                return AuthorizationAnswer(outcome: .refused(.stalePage), cookies: [])
            }
            let page = PageFlow(
                pages: pages, request: request, client: client, cookies: cookies, origin: origin, now: now)
            let answer = try await signed(page.inItsLanguage { try await $0.begin() }, for: client, now: now)
            // A silent answer is a redirect that reads no more than it needs.
            return request.responseMode.isFormPost
                ? try await dressed(answer, page.brand, request.uiLocales) : answer
        }
    }

    /// Handles a form submitted from the hosted page.
    package func submit(
        _ submission: PageSubmission<SignInPage.Action>, cookies: BrowserCookies, origin: RequestOrigin
    ) async throws -> AuthorizationAnswer {
        let now = clock.now()
        let form = pages.seal.open(submission, binding: cookies.binding, now: now)
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
                return try await restart(state, request, cookies: cookies, origin: origin, now: now)
            default:
                var request = state.request
                // A person who typed a name must not go on as another, who has signed in since.
                if let name = submission.action.typedName { request.loginHint = name }
                return try await restart(state, request, cookies: cookies, origin: origin, now: now)
            }
        case .current, .unbound, .refused: return try await refused(submission.request, now: now)
        }
    }

    /// The error page in place of a page whose form or address does not count here.
    func refused(_ form: String, now: Timestamp) async throws -> AuthorizationAnswer {
        var answer = AuthorizationAnswer(outcome: .refused(.stalePage), cookies: [])
        answer.appearance = try await appearance(of: form, now: now)
        return answer
    }

    /// The look of the page that a form came with; `nil` for a forged form, or without its app.
    private func appearance(of form: String, now: Timestamp) async throws -> BrandAppearance? {
        guard let state = pages.seal.genuine(form), state.account == nil else { return nil }
        switch try await pages.check.check(state.request, now: now) {
        case .valid(_, let client), .redirect(_, let client):
            return try await .of(client.accountBrand, in: pages.database)
        case .refused: return nil
        }
    }

    /// Begins a request again in a browser whose form no longer counts.
    /// - Parameter request: the form's, with what the person has asked for since.
    func restart(
        _ state: PageState, _ request: AuthorizationRequest, cookies: BrowserCookies, origin: RequestOrigin,
        now: Timestamp
    ) async throws -> AuthorizationAnswer {
        guard request.requestURI != nil || request.requestObject != nil else {
            return AuthorizationAnswer(outcome: .restart(pages.check.beginning(of: request)), cookies: [])
        }
        // The address of a pushed or signed request may have expired, and cannot say what was asked for since.
        var state = state
        state.request = request
        return try await goOn(state, cookies: cookies, origin: origin, now: now) { [state] page in
            var page = page
            if isOwn(state, cookies, now: now) { page.formerBinding = state.binding }
            return try await page.begin()
        }
    }

    /// Continues an interaction after checking its request again: client and registration may have changed.
    func goOn(
        _ state: PageState, cookies: BrowserCookies, origin: RequestOrigin, now: Timestamp,
        _ body: (PageFlow) async throws -> AuthorizationAnswer
    ) async throws -> AuthorizationAnswer {
        switch try await pages.check.check(state.request, ofDevice: state.deviceGrant != nil, now: now) {
        case .refused(let fault): return AuthorizationAnswer(outcome: .refused(fault), cookies: [])
        case .redirect(let redirect, let client):
            let answer = AuthorizationAnswer(outcome: .redirect(redirect), cookies: [])
            return try await dressed(
                signed(answer, for: client, now: now), client.accountBrand, state.request.uiLocales)
        case .valid(let request, let client):
            var page = PageFlow(
                pages: pages, request: request, client: client, cookies: cookies, origin: origin, now: now)
            page.deviceGrant = state.deviceGrant
            page.deviceGrant?.shown = nil
            let answer = try await page.addressed(page.inItsLanguage(body))
            return try await dressed(signed(answer, for: client, now: now), page.brand, request.uiLocales)
        }
    }

    /// The answer as the app wants it: signed, if it leads to one that asked for that.
    private func signed(
        _ answer: AuthorizationAnswer, for client: RegisteredClient, now: Timestamp
    ) throws -> AuthorizationAnswer {
        var answer = answer
        switch answer.outcome {
        case .redirect(let redirect):
            answer.outcome = .redirect(try pages.check.signed(redirect, for: client, now: now))
        case .returning(let redirect, let byItself):
            answer.outcome = .returning(try pages.check.signed(redirect, for: client, now: now), byItself: byItself)
        default: break
        }
        return answer
    }

    /// Adds the brand's look and the languages to an answer that leads to an app by a page. Error pages have none: a forged link must
    /// not borrow it.
    private func dressed(
        _ answer: AuthorizationAnswer, _ brand: BrandID, _ locales: [LocaleTag] = []
    ) async throws -> AuthorizationAnswer {
        var answer = answer
        switch answer.outcome {
        case .redirect(var redirect):
            redirect.appearance = try await BrandAppearance.of(brand, in: pages.database)
            redirect.locales = locales
            answer.outcome = .redirect(redirect)
        case .returning(var redirect, let byItself):
            redirect.appearance = try await BrandAppearance.of(brand, in: pages.database)
            redirect.locales = locales
            answer.outcome = .returning(redirect, byItself: byItself)
        case .device(var page):
            page.appearance = try await BrandAppearance.of(brand, in: pages.database)
            answer.outcome = .device(page)
        default: break
        }
        return answer
    }
}

/// Responses of identity providers to the hosted pages.
extension Authorization {
    /// Seals a response that a provider posted from its own page, without this server's cookies, for the GET that follows at once
    /// and has them. Nothing is trusted or used up yet.
    /// - Returns: the parameters of the GET; `nil` if the state was not issued for this provider.
    package func hold(
        _ response: ProviderResponse, state: String, at callback: ProviderCallback
    ) throws -> FormParameters? {
        let (now, authorizations) = (clock.now(), pages.providers.authorizations)
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
        let now = clock.now()
        guard
            let authorization = pages.providers.authorizations.open(
                answer.state, at: answer.callback, now: now),
            let binding = cookies.binding
        else { return AuthorizationAnswer(outcome: .refused(.stalePage), cookies: []) }
        guard ConstantTime.equal(authorization.page.binding, PageSeal.digest(of: binding)) else {
            let (page, request) = (authorization.page, authorization.page.request)
            return page.account == nil
                ? try await restart(page, request, cookies: cookies, origin: origin, now: now)
                : accountPages.restart(request)
        }
        if let page = authorization.page.account {
            let flow = try accountPages.signIn(
                on: page, request: authorization.page.request, cookies: cookies, origin: origin, now: now)
            return try await accountPages.dressed(
                flow.inItsLanguage { try await $0.arrive(with: answer, for: authorization) },
                for: authorization.page.request, cookies)
        }
        return try await goOn(authorization.page, cookies: cookies, origin: origin, now: now) { page in
            try await page.arrive(with: answer, for: authorization)
        }
    }
}
