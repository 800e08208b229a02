internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// An authenticator app on the account's page, once it was set up.
extension AccountInteraction {
    func call(of person: SignedInPerson, on page: AccountPageState) -> PageCaller? {
        PageCaller(page, person: person, origin: origin, now: now)
    }

    func answer(
        _ refusal: FactorRefusal, _ intent: Intent, of person: SignedInPerson, proved: [UInt8]?
    ) async throws -> AuthorizationAnswer {
        switch refusal {
        case .strongerSignIn: return try await complete(person, for: intent, proved: proved)
        case .nothingPending: return try await overview(of: person, proved: proved, .nothingPending)
        case .tooManyAttempts(let seconds), .busy(let seconds):
            return try await overview(of: person, proved: proved, .tooManyAttempts(retryAfter: seconds))
        case .cooling(let seconds):
            let end = now + .seconds(seconds)
            let isRecovered = person.account.cooling(at: now) != nil
            return try await overview(
                of: person, proved: proved,
                isRecovered ? .recoveredLately(until: end) : .onlyRestoredIdentity(until: end))
        case .identityNotFound: return try await overview(of: person, proved: proved, .own(.identityNotFound))
        case .lastWayIn: return try await overview(of: person, proved: proved, .own(.lastIdentity))
        // The page was used before.
        case .unauthorized: return AuthorizationAnswer(outcome: .refused(.stalePage), cookies: [])
        case .accountChanged: return try await ask(for: .look)
        case .invalidCode, .notFound, .questionsOff, .unacceptableAnswers, .passwordUnacceptable, .invalidCredentials,
            .walletDeactivated, .deviceDeactivated, .invalidSession, .identityTaken, .tooManyIdentities:
            return try await overview(of: person, proved: proved)
        }
    }

    /// Of a page, which makes one change.
    func newMark() -> [UInt8] { host.random.bytes(16) }

    /// Offers to set one up for a page that takes two factors, to a person whom a browser can ask for one.
    func offerAuthenticator(for intent: Intent) async throws -> AuthorizationAnswer {
        try await present(
            .authenticatorNeeded, of: request.brand ?? BrandID(BrandSettings.defaultBrand), proved: nil, nil,
            for: intent)
    }

    func setUpAuthenticator(on page: AccountPageState) async throws -> AuthorizationAnswer {
        // The console's sign-in did not succeed, so no one may be signed in.
        if case .authenticator(before: .some) = page.intent, try await signedIn() == nil {
            return try await ask(for: page.intent)
        }
        return try await fulfill(page.intent.authenticator, on: page)
    }

    /// Takes the app into use if it shows the code.
    func confirm(_ code: OneTimeCode?, on page: AccountPageState) async throws -> AuthorizationAnswer {
        // Pressed twice, the form comes with the cookie that the first press has replaced.
        if let cookie = try await host.pages.sessions.raised(cookies.session, mark: page.mark, now: now) {
            return try await following(cookie) { interaction, session in
                try await interaction.confirm(
                    code, on: AccountPageState(intent: page.intent, proved: session, mark: page.mark))
            }
        }
        guard let person = try await signedIn() else { return try await ask(for: .look) }
        guard let call = call(of: person, on: page) else {
            return try await ask(for: page.intent.authenticator, person)
        }
        let apps = host.security.authenticatorApps
        let outcome: Result<Bool, FactorRefusal>
        if let code { outcome = try await apps.confirm(code, call: call) } else { outcome = .failure(.invalidCode) }
        switch outcome {
        case .success(let isOperator):
            let notice = isOperator ? AccountPage.Notice.roleGranted : .authenticatorOn
            guard let cookie = try await countCode(on: page, of: person, grantingRole: isOperator) else {
                return try await goOn(from: page, of: person, notice)
            }
            return try await following(cookie) { interaction, session in
                guard let person = try await interaction.signedIn() else { return try await ask(for: .look) }
                let page = AccountPageState(intent: page.intent, proved: session, mark: page.mark)
                return try await interaction.goOn(from: page, of: person, notice)
            }
        case .failure(.invalidCode):
            guard let setup = try await apps.pendingSetup(call: call) else {
                return try await overview(of: person, proved: page.proved, .nothingPending)
            }
            return try await show(
                .authenticator(setup), of: person, proved: page.proved, .invalidCode, for: page.intent)
        case .failure(let refusal):
            return try await answer(refusal, page.intent.authenticator, of: person, proved: page.proved)
        }
    }
}

extension AccountInteraction {
    /// Counts the code as the second factor of the sign-in that led to this page, for an operator on the way to the console: both were
    /// proved in this browser within minutes, and another sign-in would ask for no more. The age of that sign-in stays.
    /// - Returns: the session's new cookie; `nil` if the code does not count, or nothing is added by it.
    private func countCode(
        on page: AccountPageState, of person: SignedInPerson, grantingRole: Bool
    ) async throws -> CookieChange? {
        let leadsToConsole = if case .authenticator(before: .some) = page.intent { true } else { grantingRole }
        let method = FactorKind.totp.authenticationMethod
        guard leadsToConsole, !person.session.methods.contains(method) else { return nil }
        return try await host.pages.sessions.raise(
            person.session, by: method, mark: page.mark, from: origin, now: now)
    }

    /// Leads on once the app is in use.
    private func goOn(
        from page: AccountPageState, of person: SignedInPerson, _ notice: AccountPage.Notice
    ) async throws -> AuthorizationAnswer {
        if case .authenticator(let path?) = page.intent { return try goOn(to: path, from: nil, proving: false) }
        return try await overview(of: person, proved: page.proved, notice)
    }

    /// Takes a step with the session of a new cookie, and sets the cookie.
    /// - Parameter step: gets the hash of the session.
    private func following(
        _ cookie: CookieChange, _ step: (AccountInteraction, [UInt8]?) async throws -> AuthorizationAnswer
    ) async throws -> AuthorizationAnswer {
        var interaction = self
        interaction.cookies.session = cookie.value
        var answer = try await step(interaction, interaction.signedIn()?.session.idHash)
        answer.cookies = [cookie] + answer.cookies
        return answer
    }
}

/// Passkeys on the account's page. It shows and changes them after a sign-in on the page itself.
extension AccountInteraction {
    /// Makes a change and shows the result.
    func change(_ change: PasskeyChange, on page: AccountPageState) async throws -> AuthorizationAnswer {
        guard let person = try await signedIn() else { return try await ask(for: .look) }
        guard let call = call(of: person, on: page) else { return try await ask(for: .passkeys, person) }
        let passkeys = host.security.passkeys
        let notice: AccountPage.Notice
        switch try await passkeys.make(change, call: call) {
        case .success: notice = .done(change)
        case .failure(.factor(.lastWayIn)): notice = .lastWayIn
        case .failure(.factor(let refusal)):
            return try await answer(refusal, .passkeys, of: person, proved: page.proved)
        case .failure(.noHostName), .failure(.notTaken), .failure(.tooMany): notice = .passkeyNotTaken
        case .failure(.unknown): notice = .noSuchPasskey
        case .failure(.unusableName): notice = .unusablePasskeyName
        }
        switch try await passkeys.manage(call: call) {
        case .success(let current):
            return try await show(.passkeys(current), of: person, proved: page.proved, notice)
        case .failure(let refusal): return try await answer(refusal, .passkeys, of: person, proved: page.proved)
        }
    }
}

extension AccountInteraction {
    /// Asks before a passkey is removed.
    func askToRemovePasskey(_ id: String, on page: AccountPageState) async throws -> AuthorizationAnswer {
        guard let person = try await signedIn() else { return try await ask(for: .look) }
        guard let call = call(of: person, on: page) else { return try await ask(for: .passkeys, person) }
        switch try await host.security.passkeys.manage(call: call) {
        case .success(let own):
            guard let passkey = own.passkeys.first(where: { $0.id == id }) else {
                return try await show(.passkeys(own), of: person, proved: page.proved, .noSuchPasskey)
            }
            return try await show(
                .removal(.passkey(id: id, name: passkey.name)), of: person, proved: page.proved)
        case .failure(let refusal): return try await answer(refusal, .passkeys, of: person, proved: page.proved)
        }
    }
}

extension AccountPage.Notice {
    fileprivate static func done(_ change: PasskeyChange) -> Self {
        switch change {
        case .add: .passkeyAdded
        case .rename: .passkeyRenamed
        case .remove: .passkeyRemoved
        }
    }
}

/// The account PIN on the account's page: shown after a sign-in on that page, and changed there.
extension AccountInteraction {
    /// Makes a change and shows the result.
    func change(_ change: AccountPINChange, on page: AccountPageState) async throws -> AuthorizationAnswer {
        guard let person = try await signedIn() else { return try await ask(for: .look) }
        guard let call = call(of: person, on: page) else { return try await ask(for: .pin, person) }
        switch try await host.pins.make(change, call: call) {
        case .success:
            return try await overview(of: person, proved: page.proved, AccountPage.Notice.done(change))
        case .failure(.factor(let refusal)): return try await answer(refusal, .pin, of: person, proved: page.proved)
        case .failure(.unacceptable(let fault)):
            switch try await host.pins.manage(call: call) {
            case .success(let current):
                return try await show(.pin(current), of: person, proved: page.proved, .unacceptablePIN(fault))
            case .failure(let refusal): return try await answer(refusal, .pin, of: person, proved: page.proved)
            }
        }
    }
}

extension AccountPage.Notice {
    fileprivate static func done(_ change: AccountPINChange) -> Self {
        switch change {
        case .set: .pinSet
        case .remove: .pinRemoved
        }
    }
}

/// Apps with access, on the account's page. Access is withdrawn after a sign-in on that page.
extension AccountInteraction {
    /// Withdraws an app's access and shows the remaining apps.
    func withdrawConsent(to client: String, on page: AccountPageState) async throws -> AuthorizationAnswer {
        guard let person = try await signedIn() else { return try await ask(for: .look) }
        guard let call = call(of: person, on: page) else { return try await ask(for: .clientConsents, person) }
        let notice: AccountPage.Notice
        switch try await host.consents.withdraw(client, call: call) {
        case .success: notice = .accessRemoved
        case .failure(.notFound): notice = .noSuchAccess
        case .failure(let refusal):
            return try await answer(refusal, .clientConsents, of: person, proved: page.proved)
        }
        switch try await host.consents.manage(call: call) {
        case .success(let apps):
            return try await show(.clientConsents(apps), of: person, proved: page.proved, notice)
        case .failure(let refusal):
            return try await answer(refusal, .clientConsents, of: person, proved: page.proved)
        }
    }
}
