internal import Core
internal import Foundation
internal import Kernel
internal import Store
internal import WalletAuthWire

/// Sign-in through an identity provider on the hosted page: the redirect to the provider, its response, and the gate, as for
/// any other sign-in.
extension PageFlow {
    private var authorizations: ProviderAuthorizations { pages.providers.authorizations }

    // MARK: - Redirect to the provider

    /// Redirects the browser to a provider.
    func useProvider(_ id: ProviderID, _ state: PageState) async throws -> AuthorizationAnswer {
        guard let provider = try await pages.providers.vault.find(id, brand: try brand),
            let name = provider.pageName
        else { return try await ask(beginning(hint), .providerGone) }
        let authorization = ProviderAuthorization(
            provider: id, registration: Data(try provider.registration()),
            secret: Data(pages.providers.random.bytes(32)),
            freshSince: freshSince,
            page: PageState(
                request: request, binding: state.binding, account: account?.page, deviceGrant: deviceGrant))
        do {
            let url = try await pages.providers.url(
                of: provider, state: authorizations.seal(authorization, for: provider.callback, now: now),
                for: authorization,
                prompt: promptAtProvider, maxAge: maxAgeAtProvider, now: now)
            let departure = ProviderRedirect(
                url: url, place: provider.place, redirectsToOtherHosts: provider.redirectsToOtherHosts, name: name,
                appearance: try await BrandAppearance.of(brand, in: database), locales: request.uiLocales)
            return AuthorizationAnswer(outcome: .departure(departure), cookies: [])
        } catch let failure as ProviderFailure {
            pages.providers.access.report(failure, of: provider)
            return try await ask(beginning(hint), .providerUnavailable(name: name))
        }
    }

    /// The earliest acceptable time of the sign-in at the provider, if the app or an account change asks for a fresh one.
    private var freshSince: Timestamp? {
        if purpose.needsOwnSignIn || asksForSignIn { return now }
        return request.maxAge.map { now - .seconds($0) }
    }

    /// Whether the provider has to ask the person to sign in. The account's own page always requires it, because a change may
    /// follow.
    private var asksAtProvider: Bool { account != nil || asksForSignIn }

    private var promptAtProvider: String? {
        if asksAtProvider { return "login" }
        return request.prompt.contains(.selectAccount) ? "select_account" : nil
    }

    private var maxAgeAtProvider: Int64? { asksAtProvider ? 0 : request.maxAge }

    // MARK: - Response of the provider

    /// Continues with a provider's response to this browser.
    func arrive(
        with answer: ProviderReturn, for authorization: ProviderAuthorization
    ) async throws -> AuthorizationAnswer {
        let provider = try await pages.providers.vault.find(authorization.provider, brand: try brand)
        guard let provider, let name = provider.pageName, provider.callback == answer.callback,
            try Data(provider.registration()) == authorization.registration
        else { return try await ask(beginning(hint), .providerGone) }
        let response: ProviderResponse
        switch answer.content {
        case .plain(let plain): response = plain
        case .held(let sealed):
            guard let held = authorizations.open(sealed, for: answer.state, now: now) else {
                return try await ask(beginning(hint), .providerAnswerUsed)
            }
            response = held
        }
        let method = ProviderResponseMethod(
            provider: provider, response: response, nonce: try authorization.nonce,
            verifier: try authorization.verifier, redirect: authorization.digest,
            freshSince: authorization.freshSince, browser: device)
        let attempt = try attempt
        switch try await method.verify(for: attempt) {
        case .proved(let proof): return try await present(pages.engine.admit(proof, for: attempt))
        case .refused(.noAccount(let identity)): return try await offerAccount(to: identity, of: name)
        case .refused(.tooManyAttempts(let seconds)):
            return try await ask(beginning(hint), .tooManyAttempts(retryAfter: seconds))
        case .refused(.networkHeld(let seconds)):
            return try await ask(beginning(hint), .networkHeld(retryAfter: seconds))
        case .refused(.providerDeclined): return try await ask(beginning(hint), .providerDeclined(name: name))
        case .refused(.providerUnavailable): return try await ask(beginning(hint), .providerUnavailable(name: name))
        case .refused(.providerAnswerUsed): return try await ask(beginning(hint), .providerAnswerUsed)
        case .refused(.providerSessionOld): return try await ask(beginning(hint), .providerSessionOld(name: name))
        case .refused: return try await ask(beginning(hint), .providerFailed(name: name))
        }
    }

    // MARK: - A new account

    private func offerAccount(to identity: ProvenIdentity, of name: String) async throws -> AuthorizationAnswer {
        // The expected person has an account. This one has none, and a new account could not satisfy the request either.
        if expectedAccount != nil { return unexpectedAccount }
        let terms = try await termsURL()
        let guest = PageGuest(
            identity: identity, provider: name, termsURL: terms)
        return try await offer(guest, username: guest.suggestion)
    }

    private func offer(
        _ guest: PageGuest, username: String?, _ notice: SignInPage.Notice? = nil
    ) async throws -> AuthorizationAnswer {
        let offer = SignInPage.NewAccount(
            provider: guest.provider, username: username, email: guest.identity.email, termsURL: guest.termsURL)
        return try await ask(.newAccount(offer), notice, guest: guest)
    }

    /// Creates an account for the guest of the page and continues the sign-in.
    /// - Parameters:
    ///   - typed: the user name.
    ///   - guest: the person to whom the page offered an account.
    func createAccount(_ typed: String, for guest: PageGuest?) async throws -> AuthorizationAnswer {
        guard let guest else { return stale }
        guard now < guest.identity.provenAt + ProvenIdentity.guestLifetime, try guest.identity.brand == brand else {
            return try await ask(beginning(hint), .providerAnswerUsed)
        }
        guard let username = try? Username(typed), ShownText.fault(in: username.rawValue) == nil else {
            return try await offer(guest, username: typed, .unusableName)
        }
        var details = GuestAccounts.Details(
            username: username, email: guest.identity.email, locale: accountLocale,
            client: client.idBeforeConsent, origin: origin)
        if let terms = guest.termsURL { details.properties["accepted_terms"] = terms }
        switch try await pages.providers.guests.make(for: guest.identity, details, now: now) {
        case .made(let account):
            let progress = try await admit(account, as: guest)
            // A new account has nothing to protect yet, however old the session at the provider is.
            if case .admitted(let admission) = progress { return try await finish(admission) }
            return try await present(progress)
        // Linked meanwhile, perhaps to an account that has something to protect.
        case .linked(let account) where freshSince == nil: return try await present(admit(account, as: guest))
        case .linked: return try await ask(beginning(hint), .providerAnswerUsed)
        case .outdated: return try await ask(beginning(hint), .providerAnswerUsed)
        case .nameTaken: return try await offer(guest, username: typed, .nameTaken)
        case .nameUnusable: return try await offer(guest, username: typed, .nameIsAddress)
        case .tooManyAttempts(let seconds):
            return try await offer(guest, username: typed, .networkHeld(retryAfter: seconds))
        case .providerGone: return try await ask(beginning(hint), .providerGone)
        }
    }

    /// The language of a new account: the one that the app asked for and the page has, with its region. A page in the browser's language is
    /// no reason to forget one that the app asked for in vain.
    var accountLocale: LocaleTag? {
        request.uiLocales.first { Language(tag: $0.rawValue) != nil } ?? request.uiLocales.first
            ?? (try? LocaleTag(language.rawValue))
    }

    private func admit(_ account: AccountRecord, as guest: PageGuest) async throws -> SignInProgress {
        let attempt = try attempt
        let proof = try await attempt.proof(
            of: account, vouchedFor: guest.identity.provenAt,
            providerAuthTime: ProviderResponseMethod.authTime(of: guest.identity))
        return try await pages.engine.admit(proof, for: attempt)
    }

    private func termsURL() async throws -> String? {
        let name = try brand.rawValue
        return try await database.read { connection in
            try Brands.find(name, on: connection).flatMap { try BrandProfile(json: $0.settings).termsURL }
        }
    }
}

/// A person to whom a page offers an account.
package struct PageGuest: Codable, Sendable {
    var identity: ProvenIdentity
    /// The display name of the provider.
    var provider: String
    var termsURL: String?

    /// A user name derived from a verified address. It may be taken. The name of a relay's address means nothing to the person.
    var suggestion: String? {
        guard identity.isEmailVerified, let email = identity.email, !ContactDetails.isRelay(email),
            let local = email.split(separator: "@").first,
            let name = try? Username(String(local.prefix { $0 != "+" })), ShownText.fault(in: name.rawValue) == nil
        else { return nil }
        return name.rawValue
    }
}
