internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire
internal import Web

/// One interaction with the hosted page. The request is valid and its client known; the cookies are not trusted yet.
struct PageFlow: Sendable {
    let pages: SignInPages
    var request: AuthorizationRequest
    let client: RegisteredClient
    var cookies: BrowserCookies
    let origin: RequestOrigin
    let now: Timestamp
    /// The account's own page, if the sign-in is for it instead of an app.
    var account: AccountPageSignIn?
    /// The device that the sign-in is for, if it asked with a code of its own.
    var deviceGrant: DevicePageState?
    /// The merchant chosen on an earlier page, if the request names none.
    var merchant: MerchantID?
    /// The wrong secrets typed on the pages before.
    var misses = 0
    /// Until when even the right password may be refused, after a wrong one.
    var refusedUntil: Timestamp?
    /// The attempts that a wrong password left; `nil` in a browser that the account does not know.
    var attemptsLeft: Int64?
    /// A digest of the binding that the browser had when it got the form, if its sign-in has replaced that since.
    var formerBinding: [UInt8]?
    /// What was typed for the recovery that waits for its code.
    var recoveryName: String?
    /// The form of the page that the person left; `nil` without one.
    var form: SubmittedForm?

    var seal: PageSeal { pages.seal }
    var sessions: BrowserSessionCookies { pages.sessions }
    var database: any Database { pages.database }

    /// The brand of the accounts that sign in, whose look the pages wear.
    var brand: BrandID {
        get throws { try client.brand ?? request.brand ?? client.accountBrand }
    }

    /// The language of its pages.
    var language: Language {
        .choose(locales: request.uiLocales.map(\.rawValue), acceptLanguage: origin.acceptLanguage)
    }

    /// Takes a step, whose messages are in the language of the pages. The request in hand may not name it: it may be in a request that was
    /// pushed, or in the state that came back from a provider.
    func inItsLanguage(
        _ step: (PageFlow) async throws -> AuthorizationAnswer
    ) async throws -> AuthorizationAnswer {
        try await PageLanguage.$current.withValue(language) { try await step(self) }
    }

    // MARK: - Beginning

    /// Continues silently if the browser is signed in and nothing forbids it; otherwise asks.
    func begin() async throws -> AuthorizationAnswer {
        let session = try await sessions.find(cookies.session, now: now)
        guard let session, satisfies(session), try await isExpected(session) else {
            return mayAsk ? try await ask(beginning(shownHint(for: session))) : redirect(.loginRequired)
        }
        if deviceGrant != nil { return try await showDevice(to: session) }
        // Silent sign-in needs a redirect URI that proves the app: one that belongs to a domain's owner.
        guard request.redirectURI.isClaimedByDomain else {
            guard mayAsk else { return redirect(.interactionRequired) }
            // The consent page names the account as well, so one question is enough.
            if try await lacksConsent(session) { return try await goOn(with: session) }
            return try await confirm(session)
        }
        return try await goOn(with: session)
    }

    /// Asks whether to continue with the browser's sign-in.
    func confirm(
        _ session: BrowserSessionRecord, _ notice: SignInPage.Notice? = nil
    ) async throws -> AuthorizationAnswer {
        let username = try await username(of: session.accountID) ?? ""
        let scopes = client.isFirstParty ? nil : request.scope.tokens
        return try await ask(.confirmation(username: username, scopes: scopes), notice, named: session.accountID)
    }

    var hint: String? { request.loginHint }

    /// The account that has to sign in, if the client names one. A hint that cannot be verified names none.
    var expectedAccount: String? {
        request.claims?.subject ?? request.idTokenHint.flatMap { pages.check.hints.claims(of: $0)?.subject }
    }

    /// Whether a page may be shown: not with `prompt=none` (OpenID Connect Core §3.1.2.1).
    var mayAsk: Bool { !request.prompt.contains(.none) }

    /// Whether the request takes a sign-in even in a signed-in browser.
    var asksForSignIn: Bool {
        // A copied cookie of an operator's browser must not become a token for `/admin/v1`.
        if request.scope.contains(Operators.scope) { return true }
        // The factors of a payment are proved for it.
        if request.authorizationDetails?.payment != nil { return true }
        // A first-party client has no consent page, and a silent answer would be no prompt.
        return request.prompt.contains(.login) || (client.isFirstParty && request.prompt.contains(.consent))
    }

    /// Whether a session is recent enough, and the request takes no new sign-in.
    func satisfies(_ session: BrowserSessionRecord) -> Bool {
        guard !asksForSignIn, !request.prompt.contains(.selectAccount) else { return false }
        guard let maxAge = request.maxAge else { return true }
        return now - session.authTime <= .seconds(maxAge) && maxAge > 0
    }

    /// The browser's session, if it still belongs to the person named on the page.
    func session(namedBy state: PageState) async throws -> BrowserSessionRecord? {
        guard let session = try await sessions.find(cookies.session, now: now), satisfies(session),
            session.accountID.uuid == state.named
        else { return nil }
        return session
    }

    /// Whether the session belongs to the person that the client expects, if it names one.
    private func isExpected(_ session: BrowserSessionRecord) async throws -> Bool {
        let namesAccount = request.idTokenHint != nil || request.claims?.subject != nil
        guard namesAccount || request.loginHint != nil else { return true }
        // Without a page, an app that the person has allowed nothing would find out who is at the browser.
        if !mayAsk, try await lacksConsent(session) { return false }
        if namesAccount { return expectedAccount == session.accountID.uuid }
        guard let hint = request.loginHint else { return true }
        let names = try await database.read { try Accounts.names(of: session.accountID, on: $0) }
        if let expected = try? Username(hint), names.contains(where: { (try? Username($0)) == expected }) {
            return true
        }
        return try await isOwnAddress(hint, of: session)
    }

    /// Whether a hint is the confirmed e-mail address of the session's account. No other account is looked for: whether an address has
    /// one is not for everyone to know.
    private func isOwnAddress(_ hint: String, of session: BrowserSessionRecord) async throws -> Bool {
        guard let hinted = try? EmailAddress(hint),
            let account = try await database.read({ try Accounts.find(session.accountID, on: $0) }),
            account.emailState == .verified,
            let own = pages.vault.email(of: account)
                .flatMap({ try? EmailAddress($0) })
        else { return false }
        return own.addrSpec.lowercased() == hinted.addrSpec.lowercased()
    }

    /// The name for the form: of a hint that is the address of the person whose session the browser has, their user name.
    private func shownHint(for session: BrowserSessionRecord?) async throws -> String? {
        guard let hint, let session, try await isOwnAddress(hint, of: session) else { return hint }
        return try await username(of: session.accountID) ?? hint
    }

    /// The account of the person whose session the browser has, if the name is theirs and it has no password. Nothing is said of another
    /// account.
    private func accountWithoutPassword(_ shown: String?) async throws -> AccountRecord? {
        guard let shown = shown.flatMap({ try? Username($0) }),
            let session = try await sessions.find(cookies.session, now: now)
        else { return nil }
        return try await database.read { connection in
            guard let account = try Accounts.find(session.accountID, on: connection), account.password == nil,
                try Accounts.names(of: account.id, on: connection).contains(where: { (try? Username($0)) == shown })
            else { return nil }
            return account
        }
    }

    /// Offers a person without a password the providers that sign in to their account. After a failure at a provider, the password's form
    /// is there too: it leads to a recovery.
    private func adapt(_ page: inout SignInPage, toPersonNamed username: String?) async throws {
        guard let account = try await accountWithoutPassword(username) else { return }
        page.isWithoutPassword = true
        switch page.notice {
        case nil, .providerDeclined: break
        default: return
        }
        let own = Set(try await pages.providers.linked(to: account).map(\.provider))
        let buttons = page.providers.filter { own.contains($0.id) }
        guard !buttons.isEmpty else { return }
        page.providers = buttons
        page.hidesPassword = true
    }

    // MARK: - Submitting

    /// Handles a button of the page.
    /// - Parameters:
    ///   - action: the button and its fields.
    ///   - state: the sealed state from the form.
    func submit(_ action: SignInPage.Action, state: PageState) async throws -> AuthorizationAnswer {
        var flow = self
        flow.form = state.form
        flow.misses = state.misses ?? 0
        flow.recoveryName = state.recoveryName
        return try await flow.carryOut(action, state)
    }

    private func carryOut(_ action: SignInPage.Action, _ state: PageState) async throws -> AuthorizationAnswer {
        switch action {
        case .cancel where deviceGrant != nil: return try await leaveDevice(state)
        case .cancel:
            var answer = cancelled
            // Something was proved on the way. The form is spent: the next person at this browser must not continue with it.
            if state.hasProof { answer.cookies += try seal.leaving(cookies, isCancelled: true, now: now).changes }
            return answer
        case .useAnotherAccount:
            try await sessions.end(cookies.session)
            var next = self
            // The pages before say who it was: the next person at this browser must not come back to them.
            let left = try seal.leaving(cookies, now: now)
            next.cookies.binding = left.binding
            return try await next.ask(
                beginning(nil), cookies: [CookieChange(cookie: .session, value: nil)] + left.changes)
        case .confirm:
            guard let session = try await session(namedBy: state) else { return try await ask(beginning(hint)) }
            return try await goOn(with: session)
        case .allow:
            var next = self
            next.merchant = state.merchant
            return try await next.allow(state)
        case .chooseMerchant(let merchant): return try await choose(merchant, state)
        case .signIn(let username, let password): return try await signIn(username, password)
        case .signInInstead(let username, let secret): return try await signIn(username, with: secret)
        case .use(let alternative, let username): return try await ask(step(of: alternative, username ?? hint))
        case .usePassword(let username): return try await ask(.credentials(username: username ?? hint))
        case .forgot(let alternative, let username):
            return try await ask(.credentials(username: username ?? hint), .forgotten(alternative))
        case .useProvider(let id): return try await useProvider(id, state)
        case .register: return try await beginRegistration()
        case .sendRegistrationCode(let address): return try await register(address)
        case .checkRegistrationCode(let code): return try await checkRegistrationCode(code, state.registration)
        case .resendRegistrationCode: return try await resendRegistrationCode(state.registration)
        case .leaveRegistration: return try await leaveRegistration(state.registration)
        case .finishRegistration(let username, let password):
            return try await finishRegistration(username, password, state.registration)
        case .registerByPasskey(let username): return try await registerByPasskey(username, state.registration)
        case .registerByPassword: return try await registerByPassword(state)
        case .finishRegistrationByPasskey(let response): return try await finishRegistration(by: response, state)
        case .createAccount(let username): return try await createAccount(username, for: state.guest)
        case .usePasskey(let response): return try await usePasskey(response)
        case .useScan: return try await beginScan(state)
        case .forgotPassword(let username): return try await ask(.recovery(username: username ?? hint))
        case .recover(let username): return try await recover(username)
        case .checkRecoveryCode(let code): return try await checkRecoveryCode(code, state.recoveryID)
        case .resendRecoveryCode: return try await resendRecoveryCode(state.recoveryID)
        case .setPassword(let password?): return try await fulfill(.newPassword(password), state.pending)
        case .setPassword(nil): return try await askForPassword(again: .passwordUnusable, state.pending)
        case .omitPassword: return try await askForPassword(again: .passwordMissing, state.pending)
        case .mistypePassword: return try await askForPassword(again: .passwordMistyped, state.pending)
        case .checkEmailCode(let code): return try await fulfill(.emailCode(code), state.pending)
        case .resendEmailCode: return try await fulfill(.resendEmailCode, state.pending)
        case .answerFactor(let answer): return try await fulfill(.secondFactor(answer), state.pending)
        case .resendFactor: return try await fulfill(.resendFactor, state.pending)
        case .chooseFactor(let kind): return try await fulfill(.chooseFactor(kind), state.pending)
        }
    }

    /// Shows the form for a new password again, if the sign-in waits for one.
    private func askForPassword(
        again notice: SignInPage.Notice, _ pending: PendingSignIn?
    ) async throws -> AuthorizationAnswer {
        guard let pending else { return stale }
        if pending.isOver(at: now) { return try await ask(beginning(hint)) }
        guard pending.need == .newPassword else { return stale }
        return try await ask(pending.passwordStep, notice, pending: pending)
    }

    // MARK: - Answers

    var purpose: SignInPage.Purpose {
        switch account?.page.intent {
        case nil: deviceGrant == nil ? .app : .device
        case .look: .account
        case .administration(_, let question): .administration(question)
        case .administrationForm, .authenticator(before: .some): .administration(nil)
        default: .accountChange
        }
    }

    private var destination: String {
        let console = purpose.isAdministration ? account?.host.consoleElsewhere : nil
        return console?.rawValue ?? request.redirectURI.rawValue
    }

    var stale: AuthorizationAnswer { AuthorizationAnswer(outcome: .refused(.stalePage), cookies: []) }

    /// The account's own page says that a code cannot be sent; an app gets the error.
    var undeliverable: AuthorizationAnswer {
        guard account != nil else {
            // Whether codes reach a person is for the operator's own apps to know.
            return redirect(
                .unmetAuthenticationRequirements,
                client.isFirstParty ? "this server cannot send the code of the second factor" : nil)
        }
        let page = AccountPage(step: .codeUndeliverable, locales: request.uiLocales)
        return AuthorizationAnswer(outcome: .account(page), cookies: [])
    }

    func redirect(_ code: OAuthError.Code, _ detail: String? = nil) -> AuthorizationAnswer {
        redirect(OAuthError(code, detail))
    }

    func redirect(_ fault: OAuthError) -> AuthorizationAnswer {
        // The account's own page has no app to redirect to. The remaining refusals need a proof that only a device can make.
        if account != nil {
            let page = AccountPage(step: .notPossibleHere, locales: request.uiLocales)
            return AuthorizationAnswer(outcome: .account(page), cookies: [])
        }
        if deviceGrant != nil { return deviceEnding(fault.code == .accessDenied ? .left : .notPossible) }
        return AuthorizationAnswer(
            outcome: .redirect(pages.check.redirect(fault, for: request, of: client)), cookies: [])
    }

    func ask(
        _ step: SignInPage.Step, _ notice: SignInPage.Notice? = nil, pending: PendingSignIn? = nil,
        recovery: UniqueID? = nil, named: UniqueID? = nil, guest: PageGuest? = nil,
        registration: Registrations.Begun? = nil, allowing offer: ClientConsentOffer? = nil,
        cookies changes: [CookieChange] = []
    ) async throws -> AuthorizationAnswer {
        let binding = seal.binding(cookies.binding)
        let misses = notice == .invalidCredentials ? misses + 1 : misses
        var state = PageState(
            request: request, binding: PageSeal.digest(of: binding), pending: pending, recovery: recovery?.uuid,
            named: named?.uuid, guest: guest, registration: registration, allowing: offer, merchant: merchant,
            account: account?.page, deviceGrant: deviceGrant)
        if misses > 0 { state.misses = misses }
        state.attemptsLeft = attemptsLeft
        if recovery != nil { state.recoveryName = recoveryName }
        state.refusedUntil = refusedUntil
        switch step {
        // Its page has an address of its own.
        case .scan: break
        default: state.shown = ShownStep(step: step, notice: notice, at: now)
        }
        let page = try await page(step, notice, of: state, binding: binding)
        let isNew = binding != cookies.binding
        return AuthorizationAnswer(
            outcome: .page(page), cookies: changes + (isNew ? [CookieChange(cookie: .binding, value: binding)] : []))
    }

    /// - Parameters:
    ///   - state: what its form carries.
    ///   - binding: the cookie that the state is bound to.
    func page(
        _ step: SignInPage.Step, _ notice: SignInPage.Notice?, of state: PageState, binding: String
    ) async throws -> SignInPage {
        let fields = try seal.fields(state, binding: binding, now: now)
        let brand = try brand
        var page = SignInPage(
            request: fields.request, csrf: fields.csrf, step: step, notice: notice, brand: brand,
            appearance: try await BrandAppearance.of(brand, in: database), clientName: client.name,
            locales: request.uiLocales,
            resetCredentialsURL: request.resetCredentialsURL?.rawValue ?? client.settings.resetCredentialsURLs.first,
            redirectURI: destination, purpose: purpose)
        page.payment = request.authorizationDetails?.payment
        page.misses = state.misses ?? 0
        page.attemptsLeft = state.attemptsLeft
        page.recoveryName = state.recoveryName
        page.slowedFor = state.refusedUntil.flatMap { $0 > now ? RetryAfter.seconds(until: $0, now: now) : nil }
        switch step {
        case .credentials, .alternative:
            page.passkey = try passkeyOptions(binding: binding)
            page.alternatives = alternatives
            page.offersScan = try await offersScan
            page.offersRegistration = try await registrationOffer != nil
            page.providers = try await pages.providers.buttons(of: brand)
            if case .credentials(let username) = step { try await adapt(&page, toPersonNamed: username) }
        case .newPassword, .recoveredPassword:
            if let account = state.pending?.accountID { page.username = try await username(of: account) }
        case .registrationPasskey(let newcomer):
            page.newPasskey = try passkeyOptions(for: newcomer, state.registration, at: page.appearance.name, binding)
        default: break
        }
        return page
    }
}
