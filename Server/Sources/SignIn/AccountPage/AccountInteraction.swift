internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire
internal import Web

/// One interaction with the account's page. The cookies are not trusted yet.
struct AccountInteraction: Sendable {
    let host: AccountPages
    let request: AuthorizationRequest
    var cookies: BrowserCookies
    let origin: RequestOrigin
    let now: Timestamp
    /// The form whose button was pressed; `nil` without one.
    var form: SubmittedForm?

    typealias Intent = AccountPageState.Intent
    private var sessions: BrowserSessionCookies { host.pages.sessions }
    var database: any Database { host.pages.database }
    private var seal: PageSeal { host.pages.seal }

    // MARK: - Requests

    /// Takes a step, whose messages are in the language of the page: the address of its forms does not name it.
    func inItsLanguage<Answer>(_ step: (AccountInteraction) async throws -> Answer) async throws -> Answer {
        let language = Language.choose(
            locales: request.uiLocales.map(\.rawValue), acceptLanguage: origin.acceptLanguage)
        return try await PageLanguage.$current.withValue(language) { try await step(self) }
    }

    func open(_ entry: AccountPageRequest.Entry) async throws -> AuthorizationAnswer {
        switch entry {
        case .keeping: return try await askToKeep()
        case .welcome(let secret): return try await welcome(secret)
        case .overview:
            guard let person = try await signedIn() else { return try await ask(for: .look) }
            return try await overview(of: person, proved: nil)
        }
    }

    func carryOut(
        _ action: AccountPage.Action, _ page: AccountPageState, _ state: PageState
    ) async throws -> AuthorizationAnswer {
        switch action {
        case .signOut: return try await signOut()
        case .signIn(.cancel):
            guard let person = try await signedIn() else { return end(.notSignedIn) }
            return try await overview(of: person, proved: nil)
        case .signIn(let step): return try await flow(page).submit(step, state: state)
        case .show:
            guard let person = try await signedIn() else { return try await ask(for: .look) }
            return try await overview(of: person, proved: page.proved)
        case .managePassword: return try await fulfill(.password, on: page)
        case .changePassword(let typed): return try await changePassword(to: typed, on: page)
        case .setUpAuthenticator: return try await setUpAuthenticator(on: page)
        case .askToRemoveAuthenticator: return try await fulfill(.authenticatorRemoval, on: page)
        case .removeAuthenticator: return try await removeAuthenticator(on: page)
        case .makeRecoveryCodes: return try await fulfill(.recoveryCodes, on: page)
        case .managePasskeys: return try await fulfill(.passkeys, on: page)
        case .changePasskeys(let change): return try await self.change(change, on: page)
        case .askToRemovePasskey(let id): return try await askToRemovePasskey(id, on: page)
        case .managePIN: return try await fulfill(.pin, on: page)
        case .changePIN(let change): return try await self.change(change, on: page)
        case .manageClientConsents: return try await fulfill(.clientConsents, on: page)
        case .withdrawConsent(let client): return try await withdrawConsent(to: client, on: page)
        case .confirmAuthenticator(let code): return try await confirm(code, on: page)
        case .confirmDevice(let id, let code): return try await confirmDevice(id, by: code, on: page)
        case .sendDeviceCode(let id): return try await sendDeviceCode(id, on: page)
        case .askToRemoveDevice(let id): return try await fulfill(.deviceRemoval(id: id), on: page)
        case .removeDevice(let id): return try await removeDevice(id, on: page)
        case .endSession(let id): return try await fulfill(.sessionEnd(id: id), on: page)
        case .endOtherSessions: return try await fulfill(.otherSessionsEnd, on: page)
        case .own(let action): return try await carryOut(action, on: page)
        case .acceptInvitation(let typed): return try await accept(typed, on: page)
        }
    }

    /// Continues after a sign-in on the page that required it.
    /// - Parameter changes: the cookies that the sign-in sets.
    func arrive(
        _ admission: Admission, from page: AccountPageState, _ notice: AccountPage.Notice?, _ changes: [CookieChange]
    ) async throws -> AuthorizationAnswer {
        var interaction = self
        for change in changes {
            switch change.cookie {
            case .binding: interaction.cookies.binding = change.value
            case .session: interaction.cookies.session = change.value
            case .device: interaction.cookies.device = change.value
            case .watch: interaction.cookies.watch = change.value
            }
        }
        guard let person = try await interaction.signedIn(), person.account.id == admission.account.id else {
            return try await ask(for: .look)
        }
        let proved = AccountPageState(intent: page.intent, proved: person.session.idHash, mark: interaction.newMark())
        var answer = try await interaction.asHolder(on: proved) {
            if let notice, page.intent == .look {
                return try await $0.overview(of: person, proved: proved.proved, notice)
            }
            return try await $0.fulfill(page.intent, on: proved, after: .signIn)
        }
        answer.cookies = changes + answer.cookies
        return answer
    }

    // MARK: - Changes

    /// The step before carrying out an intent.
    enum Step {
        case button
        case signIn
    }

    func fulfill(
        _ intent: Intent, on page: AccountPageState, after step: Step = .button
    ) async throws -> AuthorizationAnswer {
        guard let person = try await signedIn() else { return try await ask(for: .look) }
        guard let call = call(of: person, on: page) else { return try await ask(for: intent, person) }
        let refusal: FactorRefusal
        switch intent {
        case .look: return try await overview(of: person, proved: page.proved)
        case .password:
            if let reason = try await host.security.password.refusal(of: call) {
                refusal = reason
            } else {
                return try await show(.password(username: username(of: person)), of: person, proved: page.proved)
            }
        case .authenticatorRemoval:
            if let reason = host.security.authenticatorApps.refusalOfRemoval(call: call) {
                refusal = reason
            } else {
                return try await show(.removal(.authenticator), of: person, proved: page.proved)
            }
        case .deviceRemoval(let id):
            switch try await host.devices.removable(id, call: call) {
            case .success(let device):
                return try await show(.removal(removal(of: device)), of: person, proved: page.proved)
            case .failure(let reason): refusal = reason
            }
        case .sessionEnd(let id):
            switch try await host.accountSessions.end(id, call: call) {
            case .success: return try await overview(of: person, proved: page.proved, .sessionEnded)
            case .failure(let reason): refusal = reason
            }
        case .otherSessionsEnd:
            switch try await host.accountSessions.endOthers(call: call) {
            case .success: return try await overview(of: person, proved: page.proved, .otherSessionsEnded)
            case .failure(let reason): refusal = reason
            }
        case .authenticator:
            switch try await host.security.authenticatorApps.begin(call: call) {
            case .success(let setup):
                return try await show(.authenticator(setup), of: person, proved: page.proved, for: intent)
            case .failure(let reason): refusal = reason
            }
        case .recoveryCodes:
            switch try await host.security.recoveryCodes.make(call: call) {
            case .success(let made):
                return try await show(
                    .recoveryCodes(made.codes, replacedOthers: made.replacedOthers), of: person, proved: page.proved,
                    by: page.mark)
            case .failure(let reason): refusal = reason
            }
        case .passkeys:
            switch try await host.security.passkeys.manage(call: call) {
            case .success(let own): return try await show(.passkeys(own), of: person, proved: page.proved)
            case .failure(let reason): refusal = reason
            }
        case .pin:
            switch try await host.pins.manage(call: call) {
            case .success(let own): return try await show(.pin(own), of: person, proved: page.proved)
            case .failure(let reason): refusal = reason
            }
        case .clientConsents:
            switch try await host.consents.manage(call: call) {
            case .success(let apps): return try await show(.clientConsents(apps), of: person, proved: page.proved)
            case .failure(let reason): refusal = reason
            }
        case .administration(let path, let question):
            return try goOn(to: path, from: page.proved, proving: question != nil)
        case .administrationForm: return AuthorizationAnswer(outcome: .refused(.stalePage), cookies: [])
        case .own(let own):
            switch try await begin(own, of: person, by: call, proved: page.proved) {
            case .success(let answer): return answer
            case .failure(let reason): refusal = reason
            }
        }
        // A person who has just proved everything a page can ask for must not be sent around again, unless it took too long.
        if step == .signIn, isFresh(person), case .strongerSignIn = refusal {
            return try await overview(of: person, proved: page.proved, .strongerSignInNeeded)
        }
        return try await answer(refusal, intent, of: person, proved: page.proved)
    }

    private func signOut() async throws -> AuthorizationAnswer {
        end(.signedOut, try await endSession())
    }

    /// Ends the session of the browser.
    /// - Returns: the cookies to set.
    func endSession() async throws -> [CookieChange] {
        try await sessions.end(cookies.session)
        return signedOutCookies
    }

    /// The cookies of a browser whose session has ended.
    var signedOutCookies: [CookieChange] {
        [CookieChange(cookie: .session, value: nil), CookieChange(cookie: .binding, value: seal.newBinding())]
    }

    /// A page without further actions.
    func end(_ step: AccountPage.Step, _ changes: [CookieChange] = []) -> AuthorizationAnswer {
        AuthorizationAnswer(outcome: .account(AccountPage(step: step, locales: request.uiLocales)), cookies: changes)
    }

    // MARK: - The signed-in person

    /// The owner of the cookie's session, if the account belongs to the requested brand.
    func signedIn() async throws -> SignedInPerson? {
        guard let session = try await sessions.find(cookies.session, now: now),
            let account = try await database.read({ try Accounts.find(session.accountID, on: $0) }),
            request.brand == nil || request.brand?.rawValue == account.brandID
        else { return nil }
        try await sessions.use(session, from: origin, now: now)
        let (cooling, isByNewPIN) = try await database.read { connection in
            (
                session.methods.contains(AuthenticationStrength.provider)
                    ? try FederatedIdentities.cooling(of: account.id, now: now, on: connection) : nil,
                try AuthenticationStrength.includeAccountPIN(session.methods)
                    && !AccountPINs.isSettled(of: account.id, now: now, on: connection)
            )
        }
        return SignedInPerson(
            account: account, session: session, identityCooling: cooling, isByNewAccountPIN: isByNewPIN)
    }

    // MARK: - Signing in

    func flow(_ page: AccountPageState, _ request: AuthorizationRequest? = nil) throws -> PageFlow {
        PageFlow(
            pages: host.pages, request: request ?? self.request, client: try AccountPageClient.make(now: now),
            cookies: cookies, origin: origin, now: now,
            account: AccountPageSignIn(page: page, host: host), form: form)
    }

    func ask(for intent: Intent) async throws -> AuthorizationAnswer {
        let flow = try flow(AccountPageState(intent: intent, proved: nil, mark: newMark()))
        return try await flow.ask(flow.beginning(nil))
    }

    /// Asks a signed-in person for a new sign-in, with two factors if the account has what a page can ask for.
    func ask(for intent: Intent, _ person: SignedInPerson) async throws -> AuthorizationAnswer {
        let flow = try await flow(of: person.account, for: intent)
        return try await flow.ask(.credentials(username: flow.hint))
    }

    /// Asks for what a change lacks. A password that was typed on this page within the last minutes counts, which its sealed form proves and
    /// no cookie does: only the second factor is missing. Any other sign-in is asked for again: a provider's session may be older than its
    /// answer, and a code that came first must not count twice.
    func complete(
        _ person: SignedInPerson, for intent: Intent, proved: [UInt8]?
    ) async throws -> AuthorizationAnswer {
        let session = person.session
        if proved == session.idHash, isFresh(person), session.methods == [AuthenticationStrength.password],
            let answer = try await flow(of: person.account, for: intent).complete(session)
        {
            return answer
        }
        return try await ask(for: intent, person)
    }

    func flow(of account: AccountRecord, for intent: Intent) async throws -> PageFlow {
        let facts = try await facts(of: account)
        var request = request
        request.brand = try BrandID(account.brandID)
        request.loginHint = facts.names.first
        request.acrValues = facts.canProveTwo ? [AuthenticationStrength.twoFactors] : []
        return try flow(AccountPageState(intent: intent, proved: nil, mark: newMark()), request)
    }

    private func isFresh(_ person: SignedInPerson) -> Bool {
        now < person.session.authTime + host.security.stepUp.freshness
    }

    // MARK: - Pages

    func overview(
        of person: SignedInPerson, proved: [UInt8]?, _ notice: AccountPage.Notice? = nil
    ) async throws -> AuthorizationAnswer {
        let account = person.account
        let facts = try await facts(of: account)
        let vault = host.pages.vault
        let devices = DeviceVault(vault.sealing)
        // In full only after a sign-in on this page: a cookie alone may be a thief's.
        let isProved = proved == person.session.idHash && isFresh(person)
        func shown(_ kind: FactorKind) -> String? {
            isProved
                ? vault.destination(of: kind, account: account) : vault.maskedDestination(of: kind, account: account)
        }
        let overview = AccountOverview(
            username: facts.names.first ?? "", name: vault.profile(of: account).shownName, isNameOwn: facts.ownNames,
            language: account.locale.flatMap(Language.init(tag:)), undeliverable: secondFactors.undeliverable,
            password: account.password == nil ? .unset : .set(since: account.passwordChangedAt),
            identities: try await host.pages.providers.linked(to: account),
            email: shown(.email),
            isEmailConfirmed: account.emailState == .verified,
            phone: shown(.sms), hasAuthenticator: facts.own.hasTOTP,
            recoveryCodes: facts.own.recoveryCodes, mayMakeRecoveryCodes: facts.canProveTwo,
            secretQuestions: facts.questions,
            devices: facts.devices.map { device in
                AccountOverview.Device(
                    id: device.id.uuid, name: devices.open(device.name, .name, of: device.id) ?? "",
                    state: device.state, awaitsCode: device.awaitsCode, lastUsedAt: device.lastUsedAt)
            },
            sessions: try await listedSessions(of: person, devices: facts.devices, proved: isProved),
            passkeys: secondFactors.party.map { _ in facts.passkeys.count },
            pin: facts.pin.isOffered || facts.pin.state != .unset ? facts.pin : nil, apps: facts.apps,
            asksBeforeChanges: !isProved,
            changesFrom: account.coolingUntil.flatMap { now < $0 ? $0 : nil }, closingFrom: facts.closingFrom,
            console: facts.opensConsole ? host.console?.url(path: AccountPages.consolePath) : nil)
        return try await show(.overview(overview), of: person, proved: proved, notice)
    }

    func show(
        _ step: AccountPage.Step, of person: SignedInPerson, proved: [UInt8]?, _ notice: AccountPage.Notice? = nil,
        by mark: [UInt8] = [], for intent: Intent = .look
    ) async throws -> AuthorizationAnswer {
        try await present(step, of: BrandID(person.account.brandID), proved: proved, notice, by: mark, for: intent)
    }

    func present(
        _ step: AccountPage.Step, of brand: BrandID, proved: [UInt8]?, _ notice: AccountPage.Notice?,
        by mark: [UInt8] = [], for intent: Intent = .look
    ) async throws -> AuthorizationAnswer {
        let binding = seal.binding(cookies.binding)
        let shown = ShownAccountPage(view: .init(step, by: mark), notice: notice, at: now)
        let state = PageState(
            request: request, binding: PageSeal.digest(of: binding),
            account: AccountPageState(intent: intent, proved: proved, mark: newMark(), shown: shown))
        let fields = try seal.fields(state, binding: binding, now: now)
        var page = AccountPage(
            step: step, notice: notice, form: AccountPage.Form(request: fields.request, csrf: fields.csrf),
            state: fields.request, appearance: try await .of(brand, in: database),
            locales: request.uiLocales)
        if case .authenticator(before: .some) = intent { page.formTarget = host.consoleElsewhere?.rawValue }
        let changes = binding == cookies.binding ? [] : [CookieChange(cookie: .binding, value: binding)]
        return AuthorizationAnswer(outcome: .account(page), cookies: changes)
    }

    /// The account's sign-in methods.
    private struct Facts: Sendable {
        var names: [String]
        var ownNames: Bool
        var usable: Set<FactorKind>
        var own: AccountFactors
        var questions: AccountOverview.SecretQuestions?
        var devices: [DeviceRecord]
        /// Without those of a former domain, which sign in nowhere.
        var passkeys: [PasskeyRecord]
        var pin: AccountPINOverview
        var apps: [ClientAccess]
        var closingFrom: Timestamp?
        var opensConsole: Bool

        /// Whether a page can ask for a category that the password does not prove.
        var canProveTwo: Bool {
            !passkeys.isEmpty
                || usable.contains { AuthenticationStrength.category(of: $0.authenticationMethod) != nil }
        }
    }

    private var secondFactors: SecondFactorReader { host.security.stepUp.secondFactors }

    private func facts(of account: AccountRecord) async throws -> Facts {
        try await database.read { connection in
            let brand = try Brands.find(account.brandID, on: connection).map { try BrandProfile(json: $0.settings) }
            let own = try AccountFactors.find(account.id, on: connection)
            let offersQuestions = brand?.secretQuestions ?? false
            return Facts(
                names: try Accounts.names(of: account.id, on: connection), ownNames: brand?.ownNames ?? false,
                usable: try secondFactors.usable(
                    by: account, after: FirstFactor(of: account, on: connection), brand: brand,
                    on: connection
                ).subtracting(secondFactors.undeliverable),
                own: own,
                questions: offersQuestions || own.secretQuestions > 0
                    ? AccountOverview.SecretQuestions(answered: own.secretQuestions, isOffered: offersQuestions) : nil,
                devices: try Devices.list(of: account.id, on: connection),
                passkeys: try Passkeys.list(of: account.id, on: connection)
                    .filter { $0.relyingParty == secondFactors.party?.id },
                pin: try .of(account, AccountPINs.find(account.id, on: connection), at: now, on: connection),
                apps: try ClientAccess.list(of: account.id, on: connection),
                closingFrom: try ContactCooling.end(of: account.id, now: now, on: connection),
                opensConsole: try host.console != nil && Operators.active(account.id, on: connection) != nil)
        }
    }
}
