package import Core
package import Kernel
internal import Store
package import WalletAuthWire

/// The account's own page in the browser. Its sign-in uses the hosted pages, and its rules are those of ``AccountSecurity``.
///
/// This folder owns the page's steps. It does not own the rule of a change, which is in the folder of what changes.
package struct AccountPages: Sendable {
    package let context: ServerContext

    package init(context: ServerContext) { self.context = context }

    /// Opens the page: the overview if the browser is signed in, otherwise the sign-in.
    /// - Parameters:
    ///   - asked: the requested brand and languages.
    ///   - cookies: the browser's cookies.
    ///   - origin: the origin of the request.
    package func open(
        _ asked: AccountPageRequest, cookies: BrowserCookies, origin: RequestOrigin
    ) async throws -> AuthorizationAnswer {
        let now = context.clock.now()
        var asked = asked
        // A forged link must not put words on the page.
        if let brand = asked.brand, try await context.database.read({ try Brands.find(brand.rawValue, on: $0) }) == nil
        {
            asked.brand = nil
        }
        if let strategy = asked.loginStrategy {
            let brand = try asked.brand ?? BrandID(BrandSettings.defaultBrand)
            let isTaken = try await context.database.read { try strategy.isTaken(by: brand, on: $0) }
            if !isTaken { asked.loginStrategy = nil }
        }
        return try await AccountInteraction(
            context: context, request: AccountPageClient.request(asked, in: context), cookies: cookies, origin: origin,
            now: now
        ).open()
    }

    /// Handles a form submitted from the page.
    package func submit(
        _ submission: PageSubmission<AccountPage.Action>, cookies: BrowserCookies, origin: RequestOrigin
    ) async throws -> AuthorizationAnswer {
        let now = context.clock.now()
        let form = PageSeal(context: context).open(
            submission.request, csrf: submission.csrf, binding: cookies.binding, now: now)
        switch form {
        case .current(let state):
            guard let page = state.account else { break }
            return try await AccountInteraction(
                context: context, request: state.request, cookies: cookies, origin: origin, now: now
            ).submit(submission.action, page, state)
        case .unbound(let state) where state.account != nil: return restart(state.request)
        case .unbound, .refused: break
        }
        return AuthorizationAnswer(outcome: .refused(.stalePage), cookies: [])
    }
}

extension AccountPages {
    /// The interaction of a sign-in on the page.
    package func signIn(
        on page: AccountPageState, request: AuthorizationRequest, cookies: BrowserCookies, origin: RequestOrigin,
        now: Timestamp
    ) throws -> PageFlow {
        try AccountInteraction(context: context, request: request, cookies: cookies, origin: origin, now: now)
            .flow(page)
    }

    /// Opens the page again in a browser whose form no longer counts.
    package func restart(_ request: AuthorizationRequest) -> AuthorizationAnswer {
        AuthorizationAnswer(outcome: .restart(AccountPageClient.location(of: request, in: context)), cookies: [])
    }

    /// Continues on the page after its sign-in.
    /// - Parameters:
    ///   - admission: the sign-in.
    ///   - page: the page that required it.
    ///   - flow: the interaction of the sign-in.
    ///   - changes: the cookies that the sign-in sets.
    package func arrive(
        _ admission: Admission, from page: AccountPageState, by flow: PageFlow, _ changes: [CookieChange]
    ) async throws -> AuthorizationAnswer {
        try await AccountInteraction(
            context: context, request: flow.request, cookies: flow.cookies, origin: flow.origin, now: flow.now
        ).arrive(admission, from: page, changes)
    }
}
