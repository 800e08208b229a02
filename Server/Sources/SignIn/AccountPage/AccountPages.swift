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
    let own: OwnAccount
    let identities: AccountIdentities
    let welcome: OperatorWelcome
    /// The base of the operators' console; `nil` if the server has none.
    let console: Issuer?

    package static let consolePath = ServerSettings.adminPath

    /// The base of the console if its origin has no sign-in page.
    var consoleElsewhere: Issuer? { console == issuer ? nil : console }

    /// Whether people sign in at another origin than the console's.
    package var hasConsoleElsewhere: Bool { consoleElsewhere != nil }

    init(
        clock: any Clock, random: any RandomBytes, issuer: Issuer, pages: SignInPages, security: AccountSecurity,
        devices: EnrolledDevices, accountSessions: AccountSessions, pins: AccountPINManagement,
        consents: ClientConsentManagement, instanceCodes: InstanceCodes, own: OwnAccount, identities: AccountIdentities,
        welcome: OperatorWelcome, console: Issuer?
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
        self.own = own
        self.identities = identities
        self.welcome = welcome
        self.console = console
    }

    /// Opens the page: the overview if the browser is signed in, otherwise the sign-in.
    /// - Parameters:
    ///   - asked: the requested page, brand and languages.
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
        let (request, entry) = (try AccountPageClient.request(asked, at: issuer, random: random), asked.entry)
        let interaction = AccountInteraction(
            host: self, request: request, cookies: cookies, origin: origin, now: now)
        return try await dressed(interaction.inItsLanguage { try await $0.open(entry) }, for: request, cookies)
    }

    /// Handles a form submitted from the page.
    package func submit(
        _ submission: PageSubmission<AccountPage.Action>, cookies: BrowserCookies, origin: RequestOrigin
    ) async throws -> AuthorizationAnswer {
        let now = clock.now()
        switch pages.seal.open(submission, binding: cookies.binding, now: now) {
        case .current(let state):
            guard let page = state.account else { break }
            let interaction = AccountInteraction(
                host: self, request: state.request, cookies: cookies, origin: origin, now: now,
                form: state.form)
            let answer = try await interaction.inItsLanguage { interaction in
                let action = submission.action
                // Until it is over, a sign-in may be anyone's.
                if case .signIn = action { return try await interaction.carryOut(action, page, state) }
                return try await interaction.asHolder(on: page) { try await $0.carryOut(action, page, state) }
            }
            return try await dressed(answer, for: state.request, cookies)
        case .unbound(let state):
            guard state.account != nil else { break }
            return restart(state.request)
        case .refused: break
        }
        return try await refused(submission.request)
    }

    /// Shows the page that answers a form of this browser, as things are by now. It changes nothing.
    /// - Parameter address: the parameter of its address.
    package func show(
        address: String, cookies: BrowserCookies, origin: RequestOrigin
    ) async throws -> AuthorizationAnswer {
        let now = clock.now()
        switch pages.seal.open(address: address, binding: cookies.binding, now: now) {
        case .current(let state):
            guard let page = state.account else { break }
            let interaction = AccountInteraction(
                host: self, request: state.request, cookies: cookies, origin: origin, now: now)
            return try await dressed(
                interaction.inItsLanguage { try await $0.show(page, state) }, for: state.request, cookies)
        // Often this browser's own, from before it signed in or out. The address that it goes to shows what any browser gets.
        case .unbound(let state):
            guard state.account != nil else { break }
            return restart(state.request)
        case .refused: break
        }
        return try await refused(address)
    }

    /// The error page in place of a page whose form or address does not count here.
    func refused(_ form: String) async throws -> AuthorizationAnswer {
        var answer = AuthorizationAnswer(outcome: .refused(.stalePage), cookies: [])
        if let state = pages.seal.genuine(form), state.account != nil {
            answer.appearance = try await appearance(for: state.request)
        }
        return answer
    }
}

extension AccountPages {
    /// Adds the brand's look, and an address, to a page without further actions.
    func dressed(
        _ answer: AuthorizationAnswer, for request: AuthorizationRequest, _ cookies: BrowserCookies
    ) async throws -> AuthorizationAnswer {
        guard case .account(var page) = answer.outcome, page.appearance == nil else { return answer }
        page.appearance = try await appearance(for: request)
        if let binding = answer.cookies.last(where: { $0.cookie == .binding })?.value ?? cookies.binding {
            let (now, mark) = (clock.now(), random.bytes(16))
            let shown = ShownAccountPage(view: .init(page.step, by: mark), notice: page.notice, at: now)
            let state = PageState(
                request: request, binding: PageSeal.digest(of: binding),
                account: AccountPageState(intent: .look, proved: nil, mark: mark, shown: shown))
            page.state = try pages.seal.fields(state, binding: binding, now: now).request
        }
        return AuthorizationAnswer(outcome: .account(page), cookies: answer.cookies)
    }

    private func appearance(for request: AuthorizationRequest) async throws -> BrandAppearance {
        try await .of(request.brand ?? BrandID(BrandSettings.defaultBrand), in: pages.database)
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
        ).arrive(admission, from: page, flow.account?.isRecovered == true ? .passwordChanged : nil, changes)
    }
}
