internal import AuthCore
internal import AuthCredentials
internal import AuthFoundation
internal import AuthStore
internal import Foundation
internal import Logging
internal import WalletAuthWire

/// Sign-in through an identity provider on the hosted page: the redirect to the provider, its response, and the gate, as for
/// any other sign-in.
extension PageFlow {
    private var authorizations: ProviderAuthorizations { ProviderAuthorizations(context: context) }

    // MARK: - Redirect to the provider

    /// Redirects the browser to a provider.
    func useProvider(_ id: ProviderID, _ state: PageState) async throws -> AuthorizationAnswer {
        guard let provider = try await ProviderVault(context: context).find(id, brand: try brand),
            let name = provider.pageName
        else { return try await ask(beginning(hint), .providerGone) }
        let authorization = ProviderAuthorization(
            provider: id, registration: Data(try provider.registration()), secret: Data(context.random.bytes(32)),
            freshSince: freshSince,
            page: PageState(request: request, binding: state.binding, account: account?.page))
        do {
            let url = try await PageProviders(context: context).url(
                of: provider, state: authorizations.seal(authorization, for: provider.callback, now: now),
                for: authorization,
                prompt: promptAtProvider, maxAge: maxAgeAtProvider, now: now)
            let departure = ProviderRedirect(
                url: url, place: provider.place, forwards: provider.forwards, name: name,
                appearance: try await BrandAppearance.of(brand, in: context), locales: request.uiLocales)
            return AuthorizationAnswer(outcome: .departure(departure), cookies: [])
        } catch let failure as ProviderFailure {
            context.tell(failure, of: provider)
            return try await ask(beginning(hint), .providerUnavailable(name: name))
        }
    }

    /// The earliest acceptable time of the sign-in at the provider, if the app or an account change asks for a fresh one.
    private var freshSince: Timestamp? {
        if purpose == .accountChange || asksForSignIn { return now }
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
        let provider = try await ProviderVault(context: context).find(authorization.provider, brand: try brand)
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
        let attempts = try FederatedAttempts(fromPage: origin, context: context)
        if case .addressLocked(let seconds) = try await attempts.reserve(now: now) {
            return try await ask(beginning(hint), .tooManyAttempts(retryAfter: seconds))
        }
        let outcome: ProviderVerification.Outcome
        switch try await read(response, of: provider) {
        case .declined:
            // No code is redeemed and no failure counted, so nothing is written: anyone can decline any number of times.
            try await attempts.takeBack()
            return try await ask(beginning(hint), .providerDeclined(name: name))
        case .unavailable: outcome = .unavailable
        case .wrong:
            context.providerActivity.count(.refused, of: provider)
            outcome = .wrong
        case .code(let code):
            // Before the code is redeemed, so that of two requests with the same response only one continues.
            guard try await authorizations.use(authorization, now: now) else {
                try await attempts.takeBack()
                return try await ask(beginning(hint), .providerAnswerUsed)
            }
            outcome = try await ProviderVerification(context: context, provider: provider)
                .verify(code, nonce: authorization.nonce, verifier: authorization.verifier, now: now)
        }
        switch outcome {
        case .unavailable:
            try await attempts.takeBack()
            return try await ask(beginning(hint), .providerUnavailable(name: name))
        case .wrong:
            try await attempts.fail()
            return try await ask(beginning(hint), .providerFailed(name: name))
        case .proved(let identity):
            let account = try await identity.account(in: context)
            try await attempts.succeed(identity.memory(of: account, name: nil, in: context, now: now))
            guard let account else { return try await offerAccount(to: identity) }
            guard authorization.isFresh(identity.authTime) else {
                return try await enter(account, byOldSessionOf: identity)
            }
            return try await enter(account, authTime: now, providerAuthTime: authTime(of: identity))
        }
    }

    /// The content of a provider's response, before a code is redeemed.
    private enum Answered {
        case code(AuthorizationCode)
        /// The person cancelled at the provider.
        case declined
        case unavailable
        case wrong
    }

    private func read(_ response: ProviderResponse, of provider: IdentityProvider) async throws -> Answered {
        do {
            guard try await PageProviders(context: context).isAnswer(response, of: provider, now: now) else {
                context.logger.warning(
                    "refused a response that does not name the requested identity provider",
                    metadata: ["provider": "\(provider.id)"])
                return .wrong
            }
        } catch let failure as ProviderFailure {
            context.tell(failure, of: provider)
            return .unavailable
        }
        switch response.error {
        case nil: break
        case "access_denied", "user_cancelled_authorize": return .declined
        case "temporarily_unavailable", "server_error":
            context.providerActivity.count(.unavailable, of: provider)
            return .unavailable
        case let error?:
            // The browser controls this text, so only known codes are logged.
            let known = Self.knownErrors.contains(error) ? error : "another error"
            context.logger.warning(
                "an identity provider returned an error to a page",
                metadata: ["provider": "\(provider.id)", "error": "\(known)"])
            return .wrong
        }
        return response.code.flatMap { try? AuthorizationCode($0) }.map(Answered.code) ?? .wrong
    }

    /// RFC 6749 §4.1.2.1 and OpenID Connect Core §3.1.2.6, without the codes that are handled separately.
    private static let knownErrors: Set = [
        "invalid_request", "unauthorized_client", "unsupported_response_type", "invalid_scope", "login_required",
        "consent_required", "interaction_required", "account_selection_required",
    ]

    private func enter(
        _ account: AccountRecord, authTime: Timestamp, providerAuthTime: Timestamp
    ) async throws -> AuthorizationAnswer {
        let factors = SignInPolicy.Factors(
            securityVersion: account.securityVersion, amr: [AuthenticationStrength.provider], authTime: authTime,
            providerAuthTime: providerAuthTime)
        return try await finish(account.id, factors: factors)
    }

    /// The time of the sign-in at the provider. Without the claim, the provider's session may be old, so it counts as a day old.
    private func authTime(of identity: ProvenIdentity) -> Timestamp { identity.authTime ?? now - .days(1) }

    // MARK: - An old session at the provider

    /// Handles a sign-in that had to be fresh when the provider did not prove that it was. The person needs a second factor, or the
    /// sign-in stops: anyone at an unlocked browser could use the provider's session.
    private func enter(
        _ account: AccountRecord, byOldSessionOf identity: ProvenIdentity
    ) async throws -> AuthorizationAnswer {
        guard try await hasSecondFactor(account) else {
            let name = identity.provider.pageName ?? identity.provider.id.rawValue
            return try await ask(beginning(hint), .providerSessionOld(name: name))
        }
        var flow = self
        flow.request.acrValues = [AuthenticationStrength.twoFactors]
        return try await flow.enter(account, authTime: now, providerAuthTime: authTime(of: identity))
    }

    /// Whether a page can ask for a factor of another category than the provider's.
    private func hasSecondFactor(_ account: AccountRecord) async throws -> Bool {
        let usable = try await context.database.read { connection in
            let brand = try Brands.find(account.brandID, on: connection).map { try BrandProfile(json: $0.settings) }
            return try SecondFactors.usable(
                by: account, after: .provider, brand: brand, in: context, on: connection)
        }
        return usable.subtracting(context.settings.undeliverableFactors)
            .contains { AuthenticationStrength.category(of: $0.authenticationMethod) != nil }
    }

    // MARK: - A new account

    private func offerAccount(to identity: ProvenIdentity) async throws -> AuthorizationAnswer {
        let terms = try await termsURL()
        let guest = PageGuest(
            identity: try VouchedGuest(identity), authTime: now, providerAuthTime: authTime(of: identity),
            provider: identity.provider.pageName ?? identity.provider.id.rawValue, termsURL: terms)
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
        guard now < guest.authTime + ProvenGuest.lifetime, try guest.identity.brand == brand else {
            return try await ask(beginning(hint), .providerAnswerUsed)
        }
        guard let username = try? Username(typed), ShownText.fault(in: username.rawValue) == nil else {
            return try await offer(guest, username: typed, .unusableName)
        }
        var details = GuestAccount.Details(
            username: username, email: guest.identity.email, locale: request.uiLocales.first,
            authTime: guest.authTime, client: client.id, origin: origin)
        if let terms = guest.termsURL { details.properties["accepted_terms"] = terms }
        let creation = try GuestAccount(context: context, guest: guest.identity, details, now: now)
        switch try await creation.make() {
        case .made(let account), .linked(let account):
            return try await enter(
                account, authTime: guest.authTime, providerAuthTime: guest.providerAuthTime)
        case .outdated: return try await ask(beginning(hint), .providerAnswerUsed)
        case .nameTaken: return try await offer(guest, username: typed, .nameTaken)
        case .tooManyAttempts(let seconds):
            return try await offer(guest, username: typed, .tooManyAttempts(retryAfter: seconds))
        case .providerGone: return try await ask(beginning(hint), .providerGone)
        }
    }

    private func termsURL() async throws -> String? {
        let name = try brand.rawValue
        return try await context.database.read { connection in
            try Brands.find(name, on: connection).flatMap { try BrandProfile(json: $0.settings).termsURL }
        }
    }
}

/// A person to whom a page offers an account.
package struct PageGuest: Codable, Sendable {
    var identity: VouchedGuest
    /// When the provider vouched for the person.
    var authTime: Timestamp
    var providerAuthTime: Timestamp
    /// The display name of the provider.
    var provider: String
    var termsURL: String?

    /// A user name derived from a verified address. It may be taken.
    var suggestion: String? {
        guard identity.isEmailVerified, let local = identity.email?.split(separator: "@").first,
            let name = try? Username(String(local.prefix { $0 != "+" })), ShownText.fault(in: name.rawValue) == nil
        else { return nil }
        return name.rawValue
    }
}
