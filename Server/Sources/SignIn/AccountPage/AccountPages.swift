internal import Core
package import Kernel
internal import Store
internal import WalletAuthWire

/// The account's own page in the browser. Its sign-in uses the hosted pages, and its rules are those of ``AccountSecurity``.
///
/// This folder owns the page's steps. It does not own the rule of a change, which is in the folder of what changes.
package final class AccountPages: Sendable {
    let clock: any Clock
    let random: any RandomBytes
    let issuer: Issuer
    let pages: SignInPages
    let security: AccountSecurity
    let devices: EnrolledDevices
    let accountSessions: AccountSessions
    let pins: AccountPINManagement
    let consents: ClientConsentManagement
    let instanceCodes: InstanceCodes

    init(
        clock: any Clock, random: any RandomBytes, issuer: Issuer, pages: SignInPages, security: AccountSecurity,
        devices: EnrolledDevices, accountSessions: AccountSessions, pins: AccountPINManagement,
        consents: ClientConsentManagement, instanceCodes: InstanceCodes
    ) {
        self.clock = clock
        self.random = random
        self.issuer = issuer
        self.pages = pages
        self.security = security
        self.devices = devices
        self.accountSessions = accountSessions
        self.pins = pins
        self.consents = consents
        self.instanceCodes = instanceCodes
    }

    /// Opens the page: the overview if the browser is signed in, otherwise the sign-in.
    /// - Parameters:
    ///   - asked: the requested brand and languages.
    ///   - cookies: the browser's cookies.
    ///   - origin: the origin of the request.
    package func open(
        _ asked: AccountPageRequest, cookies: BrowserCookies, origin: RequestOrigin
    ) async throws -> AuthorizationAnswer {
        let now = clock.now()
        var asked = asked
        // A forged link must not put words on the page.
        if let brand = asked.brand, try await pages.database.read({ try Brands.find(brand.rawValue, on: $0) }) == nil {
            asked.brand = nil
        }
        if let strategy = asked.loginStrategy {
            let brand = try asked.brand ?? BrandID(BrandSettings.defaultBrand)
            let isTaken = try await pages.database.read { try strategy.isTaken(by: brand, on: $0) }
            if !isTaken { asked.loginStrategy = nil }
        }
        return try await AccountInteraction(
            host: self, request: AccountPageClient.request(asked, at: issuer, random: random), cookies: cookies,
            origin: origin,
            now: now
        ).open()
    }

    /// Handles a form submitted from the page.
    package func submit(
        _ submission: PageSubmission<AccountPage.Action>, cookies: BrowserCookies, origin: RequestOrigin
    ) async throws -> AuthorizationAnswer {
        let now = clock.now()
        let form = pages.seal.open(
            submission.request, csrf: submission.csrf, binding: cookies.binding, now: now)
        switch form {
        case .current(let state):
            guard let page = state.account else { break }
            return try await AccountInteraction(
                host: self, request: state.request, cookies: cookies, origin: origin, now: now
            ).submit(submission.action, page, state)
        case .unbound(let state):
            guard let page = state.account else { break }
            let interaction = AccountInteraction(
                host: self, request: state.request, cookies: cookies, origin: origin, now: now)
            if case .signIn = submission.action, let answer = try await interaction.reload(page, state.form) {
                return answer
            }
            return restart(state.request)
        case .refused: break
        }
        return AuthorizationAnswer(outcome: .refused(.stalePage), cookies: [])
    }
}

extension AccountPages {
    /// The interaction of a sign-in on the page.
    func signIn(
        on page: AccountPageState, request: AuthorizationRequest, cookies: BrowserCookies, origin: RequestOrigin,
        now: Timestamp
    ) throws -> PageFlow {
        try AccountInteraction(host: self, request: request, cookies: cookies, origin: origin, now: now)
            .flow(page)
    }

    /// Opens the page again in a browser whose form no longer counts.
    func restart(_ request: AuthorizationRequest) -> AuthorizationAnswer {
        AuthorizationAnswer(outcome: .restart(AccountPageClient.location(of: request, at: issuer)), cookies: [])
    }

    /// Continues on the page after its sign-in.
    /// - Parameters:
    ///   - admission: the sign-in.
    ///   - page: the page that required it.
    ///   - flow: the interaction of the sign-in.
    ///   - changes: the cookies that the sign-in sets.
    func arrive(
        _ admission: Admission, from page: AccountPageState, by flow: PageFlow, _ changes: [CookieChange]
    ) async throws -> AuthorizationAnswer {
        try await AccountInteraction(
            host: self, request: flow.request, cookies: flow.cookies, origin: flow.origin, now: flow.now
        ).arrive(admission, from: page, by: flow.form, changes)
    }
}
