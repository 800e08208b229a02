internal import Core
internal import Kernel
internal import WalletAuthWire
internal import Web

/// The person's own account on its page. A cookie shows the activity; everything else follows a sign-in on the page.
extension AccountInteraction {
    private var own: OwnAccount { host.own }

    func carryOut(
        _ action: OwnAccountPage.Action, on page: AccountPageState
    ) async throws -> AuthorizationAnswer {
        switch action {
        case .changeContact(let kind): return try await fulfill(.own(.contact(kind)), on: page)
        case .sendContactCode(let kind, let typed): return try await sendCode(kind, to: typed, on: page)
        case .askToRemovePhone: return try await fulfill(.own(.phoneRemoval), on: page)
        case .removePhone: return try await removePhone(on: page)
        case .confirmContact(let kind, let code): return try await confirm(kind, by: code, on: page)
        case .chooseLanguage: return try await fulfill(.own(.language), on: page)
        case .setLanguage(let language): return try await setLanguage(language, on: page)
        case .changeName: return try await fulfill(.own(.name), on: page)
        case .saveName(let typed): return try await save(typed, on: page)
        case .chooseQuestions: return try await fulfill(.own(.questions), on: page)
        case .setQuestions(let choice): return try await setQuestions(choice, on: page)
        case .showActivity: return try await showActivity(after: nil, on: page)
        case .showEarlierActivity:
            guard case .own(.activity(_, let next)) = page.shown?.view else {
                return try await showActivity(after: nil, on: page)
            }
            return try await showActivity(after: next, on: page)
        case .showPayments: return try await fulfill(.own(.payments), on: page)
        case .askToUnlink(let id): return try await fulfill(.own(.unlinking(id: id)), on: page)
        case .unlink(let id): return try await unlink(id, on: page)
        case .askToExport: return try await fulfill(.own(.export), on: page)
        case .askToClose: return try await fulfill(.own(.closing), on: page)
        case .close: return try await close(on: page)
        case .keep(let code): return try await keep(by: code)
        }
    }

    /// The page that a button or a sign-in leads to.
    func begin(
        _ intent: OwnAccountPage.Intent, of person: SignedInPerson, by call: PageCaller, proved: [UInt8]?
    ) async throws -> Result<AuthorizationAnswer, FactorRefusal> {
        let step: AccountPage.Step
        switch intent {
        case .contact(let kind):
            if let refusal = try await own.contacts.refusal(of: call) { return .failure(refusal) }
            step = contactForm(kind, typed: "", of: person)
        case .phoneRemoval:
            switch try await own.contacts.refusalOfRemoval(call: call) {
            case .factor(let refusal)?: return .failure(refusal)
            case .some: return .success(try await overview(of: person, proved: proved, lastContact))
            case nil: step = .removal(phoneRemoval(of: person))
            }
        case .language:
            if let refusal = try await own.language.refusal(of: call) { return .failure(refusal) }
            step = languages(of: person)
        case .name:
            switch try await own.names.manage(call: call) {
            case .success(let names): step = .own(.name(names))
            case .failure(let refusal): return .failure(refusal)
            }
        case .questions:
            switch try await host.security.secretQuestions.manage(call: call) {
            case .success(let chosen): step = .own(.questions(chosen))
            case .failure(let refusal): return .failure(refusal)
            }
        case .questionsRemoval:
            switch try await host.security.secretQuestions.set(SecretQuestionChoice(answers: []), call: call) {
            case .success:
                return .success(try await overview(of: person, proved: proved, .own(.questionsRemoved)))
            case .failure(let refusal): return .failure(refusal)
            }
        case .payments: step = .own(.activity(try await activity(of: person, after: nil, showsPayments: true)))
        case .unlinking(let id):
            if let refusal = try await host.identities.refusalOfLeaving(call: call) { return .failure(refusal) }
            guard let removal = try await removal(ofIdentity: id, of: person) else {
                return .failure(.identityNotFound)
            }
            step = .removal(removal)
        case .export:
            if let refusal = try await own.refusalOfExport(call: call) { return .failure(refusal) }
            step = .own(.export)
        case .closing:
            switch try await own.closing.preview(call: call) {
            case .success(let end): step = .own(.closing(eraseAt: end))
            case .failure(.factor(let refusal)): return .failure(refusal)
            case .failure(let refusal):
                return .success(try await overview(of: person, proved: proved, notice(of: refusal)))
            }
        }
        return .success(try await show(step, of: person, proved: proved))
    }

    // MARK: - Address and number

    private func sendCode(
        _ kind: FactorKind, to typed: String, on page: AccountPageState
    ) async throws -> AuthorizationAnswer {
        guard let person = try await signedIn() else { return try await ask(for: .look) }
        guard let call = call(of: person, on: page) else { return try await ask(for: .own(.contact(kind)), person) }
        let notice: OwnAccountPage.Notice
        if let contact = ContactManagement.Contact(kind, typed: typed) {
            switch try await own.contacts.begin(contact, inFull: true, call: call) {
            case .success(let pending):
                return try await show(.own(.contactCode(kind, pending)), of: person, proved: page.proved)
            case .failure(.factor(.tooManyAttempts(let seconds))): notice = .contactLimit(retryAfter: seconds)
            case .failure(.unchanged): notice = .contactUnchanged(kind)
            case .failure(.channelUnavailable): notice = .channelOff(kind)
            case .failure(.factor(let refusal)):
                return try await answer(refusal, .own(.contact(kind)), of: person, proved: page.proved)
            case .failure: return try await overview(of: person, proved: page.proved)
            }
        } else {
            notice = .unusableContact(kind)
        }
        let shown = String(typed.prefix(Self.longestField))
        return try await show(
            contactForm(kind, typed: shown, of: person), of: person, proved: page.proved, .own(notice))
    }

    private func contactForm(_ kind: FactorKind, typed: String, of person: SignedInPerson) -> AccountPage.Step {
        .own(.contact(kind, typed: typed, isFirst: person.account.sealed(kind) == nil))
    }

    /// The longest text of a field; the page's address carries it.
    private static let longestField = 256

    private func confirm(
        _ kind: FactorKind, by code: OneTimeCode?, on page: AccountPageState
    ) async throws -> AuthorizationAnswer {
        guard let person = try await signedIn() else { return try await ask(for: .look) }
        guard let call = call(of: person, on: page) else { return try await ask(for: .own(.contact(kind)), person) }
        if let code {
            switch try await own.contacts.confirm(kind, code: code, call: call) {
            case .success:
                let notice: OwnAccountPage.Notice =
                    person.account.sealed(kind) == nil ? .contactAdded(kind) : .contactChanged(kind)
                // The account's record has another address or number now.
                guard let person = try await signedIn() else { return try await ask(for: .look) }
                return try await overview(of: person, proved: page.proved, .own(notice))
            case .failure(.factor(.invalidCode)), .failure(.factor(.nothingPending)): break
            case .failure(.factor(let refusal)):
                return try await answer(refusal, .own(.contact(kind)), of: person, proved: page.proved)
            case .failure: return try await overview(of: person, proved: page.proved)
            }
        }
        guard let pending = try await own.contacts.pending(kind, call: call) else {
            return try await show(
                contactForm(kind, typed: "", of: person), of: person, proved: page.proved, .own(.codeOver))
        }
        return try await show(.own(.contactCode(kind, pending)), of: person, proved: page.proved, .own(.wrongCode))
    }

    private func removePhone(on page: AccountPageState) async throws -> AuthorizationAnswer {
        guard let person = try await signedIn() else { return try await ask(for: .look) }
        guard let call = call(of: person, on: page) else { return try await ask(for: .own(.phoneRemoval), person) }
        switch try await own.contacts.removePhone(call: call) {
        case .success:
            guard let person = try await signedIn() else { return try await ask(for: .look) }
            return try await overview(of: person, proved: page.proved, .own(.phoneRemoved))
        case .failure(.factor(let refusal)):
            return try await answer(refusal, .own(.phoneRemoval), of: person, proved: page.proved)
        case .failure: return try await overview(of: person, proved: page.proved, lastContact)
        }
    }

    // MARK: - Name, language, questions and identities

    private func save(_ typed: PersonNames, on page: AccountPageState) async throws -> AuthorizationAnswer {
        guard let person = try await signedIn() else { return try await ask(for: .look) }
        guard let call = call(of: person, on: page) else { return try await ask(for: .own(.name), person) }
        switch try await own.names.manage(call: call) {
        case .failure(let refusal): return try await answer(refusal, .own(.name), of: person, proved: page.proved)
        case .success(let current):
            guard let names = NameManagement.checked(typed, for: current) else {
                let shown = PersonNames(
                    parts: current.parts.mapValues { _ in "" }.merging(
                        typed.parts.filter { current.parts[$0.key] != nil }.mapValues {
                            String($0.prefix(Self.longestField))
                        }
                    ) { _, typed in typed })
                return try await show(.own(.name(shown)), of: person, proved: page.proved, .own(.unusableName))
            }
            if let refusal = try await own.names.set(names, call: call) {
                return try await answer(refusal, .own(.name), of: person, proved: page.proved)
            }
            guard let person = try await signedIn() else { return try await ask(for: .look) }
            return try await overview(of: person, proved: page.proved, .own(.nameChanged))
        }
    }

    private func setQuestions(_ choice: SecretQuestionChoice?, on page: AccountPageState) async throws
        -> AuthorizationAnswer
    {
        // After the sign-in, nothing that was typed is left.
        if choice?.answers.isEmpty ?? false { return try await fulfill(.own(.questionsRemoval), on: page) }
        guard let person = try await signedIn() else { return try await ask(for: .look) }
        guard let call = call(of: person, on: page) else { return try await ask(for: .own(.questions), person) }
        let result: Result<Void, FactorRefusal> =
            if let choice {
                try await host.security.secretQuestions.set(choice, call: call)
            } else {
                .failure(.unacceptableAnswers)
            }
        switch result {
        case .success: return try await overview(of: person, proved: page.proved, .own(.questionsChanged))
        case .failure(.unacceptableAnswers):
            switch try await host.security.secretQuestions.manage(call: call) {
            case .success(let chosen):
                return try await show(
                    .own(.questions(chosen)), of: person, proved: page.proved, .own(.unacceptableAnswers))
            case .failure(let refusal):
                return try await answer(refusal, .own(.questions), of: person, proved: page.proved)
            }
        case .failure(let refusal):
            return try await answer(refusal, .own(.questions), of: person, proved: page.proved)
        }
    }

    private func setLanguage(_ language: Language, on page: AccountPageState) async throws -> AuthorizationAnswer {
        guard let person = try await signedIn() else { return try await ask(for: .look) }
        guard let call = call(of: person, on: page) else { return try await ask(for: .own(.language), person) }
        if let refusal = try await own.language.set(language, call: call) {
            return try await answer(refusal, .own(.language), of: person, proved: page.proved)
        }
        guard let person = try await signedIn() else { return try await ask(for: .look) }
        return try await overview(of: person, proved: page.proved, .own(.languageChanged(language)))
    }

    private func unlink(_ id: String, on page: AccountPageState) async throws -> AuthorizationAnswer {
        guard let person = try await signedIn() else { return try await ask(for: .look) }
        let intent = Intent.own(.unlinking(id: id))
        guard let call = call(of: person, on: page) else { return try await ask(for: intent, person) }
        guard let identity = try? JoinedIdentityID(id) else {
            return try await answer(.identityNotFound, intent, of: person, proved: page.proved)
        }
        switch try await host.identities.leave(identity, by: call) {
        case .success:
            guard let person = try await signedIn() else { return try await ask(for: .look) }
            return try await overview(of: person, proved: page.proved, .own(.unlinked))
        case .failure(let refusal): return try await answer(refusal, intent, of: person, proved: page.proved)
        }
    }

    func removal(ofIdentity id: String, of person: SignedInPerson) async throws -> AccountPage.Removal? {
        let identities = try await host.pages.providers.linked(to: person.account)
        return identities.first { $0.id == id }.map { .identity(id: id, name: $0.name) }
    }

    private func languages(of person: SignedInPerson) -> AccountPage.Step {
        .own(.language(person.account.locale.flatMap(Language.init(tag:))))
    }

    // MARK: - Activity

    private func showActivity(after cursor: String?, on page: AccountPageState) async throws -> AuthorizationAnswer {
        guard let person = try await signedIn() else { return try await ask(for: .look) }
        let shown = try await activity(of: person, after: cursor, showsPayments: isProved(person, on: page))
        return try await show(.own(.activity(shown)), of: person, proved: page.proved)
    }

    /// A stolen cookie reads no payments.
    private func isProved(_ person: SignedInPerson, on page: AccountPageState) -> Bool {
        call(of: person, on: page) != nil
    }

    /// A page of the list. If the cursor has expired, starts from the first page.
    private func activity(
        of person: SignedInPerson, after cursor: String?, showsPayments: Bool
    ) async throws -> OwnAccountPage.ActivityPage {
        let account = person.account
        let language = Language.choose(
            locales: request.uiLocales.map(\.rawValue), acceptLanguage: origin.acceptLanguage)
        do {
            let page = try await own.activity.page(
                after: cursor, of: account, showsPayments: showsPayments, in: language, now: now)
            return OwnAccountPage.ActivityPage(
                activity: page.activity, browsers: page.browsers, cursor: cursor, hidesPayments: page.hidesPayments)
        } catch is MalformedValue {
            let page = try await own.activity.page(
                after: nil, of: account, showsPayments: showsPayments, in: language, now: now)
            return OwnAccountPage.ActivityPage(
                activity: page.activity, browsers: page.browsers, cursor: nil, hidesPayments: page.hidesPayments)
        }
    }

    // MARK: - Closing

    private func close(on page: AccountPageState) async throws -> AuthorizationAnswer {
        guard let person = try await signedIn() else {
            // The browser shows the response to a second click only.
            if let closed = try await closed(by: page.mark) { return closed }
            return try await ask(for: .look)
        }
        guard let call = call(of: person, on: page) else { return try await ask(for: .own(.closing), person) }
        let outcome = try await own.closing.close(call: call)
        // The form arrived twice, and the other one was faster: only its page has the code.
        if case .failure = outcome, let closed = try await closed(by: page.mark) { return closed }
        switch outcome {
        case .success(let closing): return closed(closing, by: page.mark)
        case .failure(.factor(let refusal)):
            return try await answer(refusal, .own(.closing), of: person, proved: page.proved)
        case .failure(let refusal):
            return try await overview(of: person, proved: page.proved, notice(of: refusal))
        }
    }

    private func closed(by mark: [UInt8]) async throws -> AuthorizationAnswer? {
        try await own.closing.made(by: mark).map { closed($0, by: mark) }
    }

    private func closed(_ closing: AccountClosing, by mark: [UInt8]) -> AuthorizationAnswer {
        end(.own(.closed(closing, mark: mark)), signedOutCookies)
    }

    private func notice(of refusal: OwnAccountRefusal) -> AccountPage.Notice? {
        switch refusal {
        case .openPayments: .own(.paymentsOpen)
        case .lastOwner: .own(.lastOwner)
        case .contactCooling(let seconds): .own(.contactCooling(until: now + .seconds(seconds)))
        default: nil
        }
    }

    /// The form for the code of a closing. It needs no signed-in person: none can sign in.
    func askToKeep(_ notice: AccountPage.Notice? = nil) async throws -> AuthorizationAnswer {
        let brand = try request.brand ?? BrandID(BrandSettings.defaultBrand)
        return try await present(.own(.keeping), of: brand, proved: nil, notice)
    }

    private func keep(by code: KeepCode?) async throws -> AuthorizationAnswer {
        guard let code, case .success = try await own.closing.keep(code, origin: origin) else {
            return try await askToKeep(.own(.closingNotFound))
        }
        return end(.own(.kept))
    }

    // MARK: - Addresses

    /// Shows a page that needs no signed-in person; `nil` for any other.
    func showWithoutPerson(
        _ view: ShownOwnAccountPage, _ notice: AccountPage.Notice?
    ) async throws -> AuthorizationAnswer? {
        switch view {
        case .closed(let mark):
            // Once it is over or taken back, the account's page says how things are.
            return try await own.closing.made(by: mark).map { end(.own(.closed($0, mark: mark))) }
        case .keeping: return try await askToKeep(notice)
        case .kept: return end(.own(.kept))
        case .contact, .contactCode, .language, .name, .questions, .activity, .export, .closing: return nil
        }
    }

    /// The step of a page, without doing anything for it; `nil` if there is none any more.
    func step(
        of view: ShownOwnAccountPage, _ person: SignedInPerson, on page: AccountPageState
    ) async throws -> AccountPage.Step? {
        if case .activity(let cursor, _) = view {
            let showsPayments = isProved(person, on: page)
            return .own(.activity(try await activity(of: person, after: cursor, showsPayments: showsPayments)))
        }
        guard let call = call(of: person, on: page) else { return nil }
        switch view {
        case .contact(let kind, let typed): return contactForm(kind, typed: typed, of: person)
        case .contactCode(let kind):
            return try await own.contacts.pending(kind, call: call).map { .own(.contactCode(kind, $0)) }
        case .language: return try await own.language.refusal(of: call) == nil ? languages(of: person) : nil
        case .name(let typed):
            return try await own.names.manage(call: call).success.map { _ in .own(.name(typed)) }
        case .questions:
            return try await host.security.secretQuestions.manage(call: call).success.map { .own(.questions($0)) }
        case .export: return try await own.refusalOfExport(call: call) == nil ? .own(.export) : nil
        case .closing:
            guard case .success(let end) = try await own.closing.preview(call: call) else { return nil }
            return .own(.closing(eraseAt: end))
        case .activity, .closed, .keeping, .kept: return nil
        }
    }
}

extension ContactManagement.Contact {
    /// - Returns: `nil` for text that is none.
    fileprivate init?(_ kind: FactorKind, typed: String) {
        let typed = TypedText.trimmed(typed)
        if kind == .email {
            guard let address = try? EmailAddress(typed) else { return nil }
            self = .email(address)
        } else {
            guard let number = try? ContactDetails.phone(typed) else { return nil }
            self = .phone(number)
        }
    }
}
