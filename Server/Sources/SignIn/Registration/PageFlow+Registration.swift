internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// Registration on the hosted page: the address, the code, the account, and then the steps of any other sign-in.
extension PageFlow {
    private var registrations: Registrations { pages.registrations }

    /// What the page offers newcomers; `nil` if it offers them nothing. Not on the account's own page, nor if the app expects a person who
    /// has an account.
    var registrationOffer: Registrations.Offer? {
        get async throws {
            guard account == nil, expectedAccount == nil else { return nil }
            return try await registrations.offer(of: brand)
        }
    }

    /// Asks for the address.
    func beginRegistration() async throws -> AuthorizationAnswer {
        guard let offer = try await registrationOffer else { return try await ask(beginning(hint), .registrationOff) }
        let hinted = hint.flatMap { (try? EmailAddress($0))?.rawValue }
        return try await askAddress(hinted, offer)
    }

    /// Sends a code to an address.
    func register(_ typed: String) async throws -> AuthorizationAnswer {
        guard let offer = try await registrationOffer else { return try await ask(beginning(hint), .registrationOff) }
        guard let address = try? RegistrationAddress(typed: typed, takesPhones: offer.takesPhones) else {
            return try await askAddress(typed, offer, .unusableAddress)
        }
        switch try await registrations.begin(address, brand: try brand, origin: origin, now: now, form: form) {
        case .begun(let begun, sent: true, resendAfter: _): return try await askCode(of: begun)
        case .begun(var begun, sent: false, resendAfter: let seconds):
            begun.hasCode = false
            return try await askCode(of: begun, .codeElsewhere(retryAfter: seconds))
        case .held(let seconds): return try await askAddress(typed, offer, .networkHeld(retryAfter: seconds))
        case .phonesNotTaken: return try await askAddress(typed, offer, .unusableAddress)
        case .off: return try await ask(beginning(hint), .registrationOff)
        }
    }

    /// Sends another code, unless one was sent a moment ago. The former one then works still.
    func resendRegistrationCode(_ begun: Registrations.Begun?) async throws -> AuthorizationAnswer {
        guard let begun, begun.provenAt == nil else { return stale }
        switch try await registrations.begin(begun.address, brand: begun.brand, origin: origin, now: now, form: form) {
        case .begun(let next, sent: true, resendAfter: _): return try await askCode(of: next, .codeSent)
        case .begun(_, sent: false, resendAfter: let seconds):
            return try await askCode(
                of: begun,
                begun.hasCode ? .codeSentRecently(retryAfter: seconds) : .codeElsewhere(retryAfter: seconds))
        case .held(let seconds): return try await askCode(of: begun, .networkHeld(retryAfter: seconds))
        case .off, .phonesNotTaken: return try await ask(beginning(hint), .registrationOff)
        }
    }

    /// Verifies the code and asks for the account.
    func checkRegistrationCode(
        _ code: OneTimeCode?, _ begun: Registrations.Begun?
    ) async throws -> AuthorizationAnswer {
        guard let begun, begun.provenAt == nil else { return stale }
        guard let offer = try await registrationOffer else { return try await ask(beginning(hint), .registrationOff) }
        switch try await registrations.confirm(code, of: begun, now: now) {
        case .wrong: return try await askCode(of: begun, .invalidCode)
        case .over: return try await askAddress(begun.address.text, offer, .registrationOver)
        case .proved(let proved): return try await askAccount(proved, offer, name: proved.address.suggestion)
        }
    }

    /// Makes the account and continues the sign-in.
    /// - Parameter password: the two entries, compared.
    func finishRegistration(
        _ typed: String, _ password: Result<Password, NewPasswordFault>, _ begun: Registrations.Begun?
    ) async throws -> AuthorizationAnswer {
        guard let begun, begun.provenAt != nil else { return stale }
        guard let offer = try await registrationOffer else { return try await ask(beginning(hint), .registrationOff) }
        func again(_ notice: SignInPage.Notice) async throws -> AuthorizationAnswer {
            try await askAccount(begun, offer, name: typed, notice)
        }
        guard let username = try? Username(typed) else { return try await again(Self.fault(ofName: typed)) }
        let chosen: Password
        switch password {
        case .success(let entered): chosen = entered
        case .failure(.missing): return try await again(.newPasswordMissing)
        case .failure(.mistyped): return try await again(.newPasswordMistyped)
        case .failure(.unusable): return try await again(.passwordUnusable)
        case .failure(.unacceptable(let violation)): return try await again(.passwordUnacceptable(violation))
        }
        return try await finish(begun, username, .password(chosen), offer) { try await again($0) }
    }

    /// - Parameter again: shows the form again.
    private func finish(
        _ begun: Registrations.Begun, _ username: Username, _ credential: Registrations.Credential,
        _ offer: Registrations.Offer, again: (SignInPage.Notice) async throws -> AuthorizationAnswer
    ) async throws -> AuthorizationAnswer {
        let details = Registrations.Details(
            username: username, credential: credential, locale: accountLocale, acceptedTerms: offer.termsURL,
            client: client.idBeforeConsent, origin: origin)
        switch try await registrations.finish(begun, details, now: now) {
        case .made(let account):
            return try await signIn(
                by: RegistrationMethod(account: account, registration: begun), again: beginning(username.typed),
                wrong: .invalidCredentials)
        case .passkeyRefused: return try await again(.newPasskeyRefused)
        case .nameTaken: return try await again(.lookAlikeTaken)
        case .nameUnusable:
            return try await again(username.rawValue.contains("@") ? .nameIsAddress : .unusableName)
        case .passwordUnacceptable(let violation): return try await again(.passwordUnacceptable(violation))
        case .held(let seconds): return try await again(.networkHeld(retryAfter: seconds))
        case .busy(let seconds): return try await again(.busy(retryAfter: seconds))
        case .addressTaken, .madeOtherwise: return try await ask(.credentials(username: nil), .addressTaken)
        case .off: return try await ask(beginning(hint), .registrationOff)
        case .over: return try await askAddress(begun.address.text, offer, .registrationOver)
        }
    }

    /// Why a text is no username.
    private static func fault(ofName typed: String) -> SignInPage.Notice {
        typed.allSatisfy(\.isWhitespace) ? .newNameMissing : .unusableName
    }

    // MARK: - A passkey in place of the password

    /// Asks for a passkey, once the name is free: the browser keeps the name with it.
    func registerByPasskey(_ typed: String, _ begun: Registrations.Begun?) async throws -> AuthorizationAnswer {
        guard let begun, begun.provenAt != nil else { return stale }
        guard let offer = try await registrationOffer else { return try await ask(beginning(hint), .registrationOff) }
        func again(_ notice: SignInPage.Notice?) async throws -> AuthorizationAnswer {
            try await askAccount(begun, offer, name: typed, notice)
        }
        guard offer.takesPasskeys else { return try await again(nil) }
        guard let username = try? Username(typed) else { return try await again(Self.fault(ofName: typed)) }
        switch try await registrations.check(username, of: begun, origin: origin, now: now) {
        case .free: return try await askPasskey(begun, offer, name: username.typed)
        case .taken: return try await again(.lookAlikeTaken)
        case .unusable: return try await again(username.rawValue.contains("@") ? .nameIsAddress : .unusableName)
        case .held(let seconds): return try await again(.networkHeld(retryAfter: seconds))
        }
    }

    /// Shows the form of the password again, with the name.
    func registerByPassword(_ state: PageState) async throws -> AuthorizationAnswer {
        guard let begun = state.registration, case .registrationPasskey(let newcomer)? = state.shown?.step else {
            return stale
        }
        guard let offer = try await registrationOffer else { return try await ask(beginning(hint), .registrationOff) }
        return try await askAccount(begun, offer, name: newcomer.username)
    }

    /// Makes the account with the browser's passkey and continues the sign-in. The name is the one that the browser was given.
    func finishRegistration(
        by response: PasskeyRegistrationResponse?, _ state: PageState
    ) async throws -> AuthorizationAnswer {
        guard let begun = state.registration, begun.provenAt != nil, let binding = cookies.binding,
            case .registrationPasskey(let newcomer)? = state.shown?.step,
            let username = newcomer.username.flatMap({ try? Username($0) })
        else { return stale }
        guard let offer = try await registrationOffer else { return try await ask(beginning(hint), .registrationOff) }
        guard let response else { return try await askPasskey(begun, offer, name: username.typed, .newPasskeyRefused) }
        let credential = Registrations.Credential.passkey(response, in: .page(browser: PageSeal.digest(of: binding)))
        return try await finish(begun, username, credential, offer) { notice in
            notice == .newPasskeyRefused && offer.takesPasskeys
                ? try await askPasskey(begun, offer, name: username.typed, notice)
                : try await askAccount(begun, offer, name: username.typed, notice)
        }
    }

    /// What the browser is asked to create on the page that is shown; `nil` without a proved address.
    func passkeyOptions(
        for newcomer: SignInPage.Newcomer, _ begun: Registrations.Begun?, at site: String, _ binding: String
    ) throws -> PasskeyCreationOptions? {
        guard let begun, begun.provenAt != nil else { return nil }
        return try registrations.passkeyOptions(
            for: newcomer.username ?? "", of: begun, at: site, in: .page(browser: PageSeal.digest(of: binding)),
            now: now)
    }

    /// Goes back to the sign-in. A code that was entered no longer counts: the next person at this browser must not make the account.
    func leaveRegistration(_ begun: Registrations.Begun?) async throws -> AuthorizationAnswer {
        var name = hint
        if case .email(let email)? = begun?.address { name = email.rawValue }
        guard begun?.provenAt != nil else { return try await ask(beginning(name)) }
        let left = try seal.leaving(cookies, now: now)
        var next = self
        next.cookies.binding = left.binding
        return try await next.ask(beginning(name), cookies: left.changes)
    }

    // MARK: - Answers

    // Every page of a registration is made by one of these four.

    private func askAddress(
        _ typed: String?, _ offer: Registrations.Offer, _ notice: SignInPage.Notice? = nil
    ) async throws -> AuthorizationAnswer {
        try await ask(.registration(address: typed, takesPhones: offer.takesPhones), notice)
    }

    private func askCode(
        of begun: Registrations.Begun, _ notice: SignInPage.Notice? = nil
    ) async throws -> AuthorizationAnswer {
        try await ask(.registrationCode(destination: begun.address.text), notice, registration: begun)
    }

    private func askAccount(
        _ begun: Registrations.Begun, _ offer: Registrations.Offer, name: String?, _ notice: SignInPage.Notice? = nil
    ) async throws -> AuthorizationAnswer {
        try await ask(.registrationAccount(newcomer(begun, offer, name)), notice, registration: begun)
    }

    private func askPasskey(
        _ begun: Registrations.Begun, _ offer: Registrations.Offer, name: String, _ notice: SignInPage.Notice? = nil
    ) async throws -> AuthorizationAnswer {
        try await ask(.registrationPasskey(newcomer(begun, offer, name)), notice, registration: begun)
    }

    private func newcomer(
        _ begun: Registrations.Begun, _ offer: Registrations.Offer, _ name: String?
    ) -> SignInPage.Newcomer {
        SignInPage.Newcomer(
            username: name, address: begun.address.text, termsURL: offer.termsURL, takesPasskeys: offer.takesPasskeys)
    }
}

extension RegistrationAddress {
    /// A user name derived from it. It may be taken.
    fileprivate var suggestion: String? {
        guard case .email(let email) = self, !ContactDetails.isRelay(email.rawValue),
            let name = try? Username(String(email.localPart.prefix { $0 != "+" })),
            ShownText.fault(in: name.rawValue) == nil
        else { return nil }
        return name.rawValue
    }
}
