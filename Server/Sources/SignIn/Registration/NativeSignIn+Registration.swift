internal import Core
package import Kernel
internal import Store
package import WalletAuthWire
internal import Web

/// Registration in an app's own screens.
extension NativeSignIn {
    /// The content of a registration's `authSession`. It says nothing of the address's account, so its length reveals nothing either.
    private struct Registering: Codable, Sendable {
        var begun: Registrations.Begun
        var client: ClientID
        var thumbprint: JWKThumbprint
        var challenge: CodeChallenge
        var scope: Scope
        var merchant: MerchantID?
    }

    private var registering: SealedState<Registering> {
        SealedState(sealing, purpose: .signIn, label: "registration-session", lifetime: Registrations.patience)
    }

    /// `POST /v1/registrations`: sends a message to the address.
    package func beginRegistration(
        _ request: RegistrationRequest, proof: PresentedProof, origin: RequestOrigin
    ) async throws -> Result<RegistrationPrompt, RegistrationRefusal> {
        let now = clock.now()
        let address: RegistrationAddress
        if let email = request.email {
            address = .email(email)
        } else if let phone = request.phone {
            address = .phone(try RegistrationAddress.phone(phone))
        } else {
            return .failure(.invalid(.invalidRequest("email or phone is missing.")))
        }
        let opening = NativeSignInRequest(
            clientID: request.clientID, scope: request.scope, codeChallenge: request.codeChallenge,
            merchantID: request.merchantID)
        let call: NativeCall
        switch try await callers.check(opening, proof: proof, origin: origin, now: now) {
        case .success(let checked): call = checked
        case .failure(let refusal): return .failure(.invalid(refusal))
        }
        if request.wantsPasskey, let hindrance = try await passkeyHindrance(at: call.intent.client) {
            return .failure(.passkeysNotTaken(hindrance))
        }
        let language = Language.choose(
            locales: [request.locale?.rawValue].compactMap(\.self), acceptLanguage: origin.acceptLanguage)
        let brand = try call.intent.client.accountBrand
        let beginning = try await PageLanguage.$current.withValue(language) {
            try await registrations.begin(address, brand: brand, origin: origin, now: now)
        }
        switch beginning {
        case .off: return .failure(.off)
        case .phonesNotTaken: return .failure(.phonesNotTaken)
        case .held(let seconds): return .failure(.tooManyAttempts(retryAfter: seconds))
        case .begun(let begun, let isSent, let seconds):
            let session = Registering(
                begun: begun, client: call.intent.client.id, thumbprint: call.thumbprint,
                challenge: call.challenge, scope: call.intent.scope, merchant: call.intent.merchant)
            return .success(
                RegistrationPrompt(
                    session: try AuthSession(registering.seal(session, now: now)), digits: Int64(WaitingCodes.digits),
                    sent: isSent, resendAfter: seconds, expiresIn: WaitingCodes.lifetime.wholeSeconds))
        }
    }

    /// `POST /v1/registrations/confirm`: compares the code.
    package func confirmRegistration(
        _ request: RegistrationConfirmation, proof: PresentedProof, origin: RequestOrigin
    ) async throws -> Result<ConfirmedRegistration, RegistrationRefusal> {
        let now = clock.now()
        let (opened, call): (Registering, NativeCall)
        switch try await continued(
            request.session, client: request.clientID, challenge: request.codeChallenge, proof: proof, origin: origin,
            now: now)
        {
        case .success(let found): (opened, call) = found
        case .failure(let refusal): return .failure(refusal)
        }
        guard let offer = try await registrations.offer(of: opened.begun.brand) else { return .failure(.off) }
        switch try await registrations.confirm(request.code, of: opened.begun, now: call.now) {
        case .over: return .failure(.over)
        case .wrong: return .failure(.wrongCode)
        case .proved(let begun):
            var proved = opened
            proved.begun = begun
            return .success(
                ConfirmedRegistration(
                    session: try AuthSession(registering.seal(proved, now: now)), termsURL: offer.termsURL,
                    takesPasskey: offer.takesPasskeys && call.intent.client.asksForPasskeys,
                    expiresIn: Registrations.patience.wholeSeconds))
        }
    }

    /// `POST /v1/registrations/passkey`: what the newcomer's device has to create.
    package func registrationPasskey(
        _ request: RegistrationPasskeyRequest, proof: PresentedProof, origin: RequestOrigin
    ) async throws -> Result<PasskeyCreationOptions, RegistrationRefusal> {
        let now = clock.now()
        let (opened, call): (Registering, NativeCall)
        switch try await continued(
            request.session, client: request.clientID, challenge: request.codeChallenge, proof: proof, origin: origin,
            now: now)
        {
        case .success(let found): (opened, call) = found
        case .failure(let refusal): return .failure(refusal)
        }
        let begun = opened.begun
        guard begun.isProved(now: now) else { return .failure(.over) }
        guard try await registrations.offer(of: begun.brand) != nil else { return .failure(.off) }
        let client = call.intent.client
        if let hindrance = try await passkeyHindrance(at: client) { return .failure(.passkeysNotTaken(hindrance)) }
        switch try await registrations.check(request.username, of: begun, origin: origin, now: now) {
        case .taken: return .failure(.nameTaken)
        case .unusable: return .failure(.nameUnusable)
        case .held(let seconds): return .failure(.tooManyAttempts(retryAfter: seconds))
        case .free: break
        }
        let site = try await registrations.database.read { try Brands.find(begun.brand.rawValue, on: $0)?.name }
        guard
            let options = try registrations.passkeyOptions(
                for: request.username.typed, of: begun, at: site ?? begun.brand.rawValue,
                in: .app(client, key: call.thumbprint), now: now)
        else { return .failure(.over) }
        return .success(options)
    }

    /// `POST /v1/registrations/finish`: makes the account and signs in to it.
    ///
    /// Idempotent: a repeated request whose response was lost signs in to the account that it made.
    package func finishRegistration(
        _ request: RegistrationFinish, proof: PresentedProof, origin: RequestOrigin
    ) async throws -> NativeSignInOutcome {
        let now = clock.now()
        let (opened, call): (Registering, NativeCall)
        switch try await continued(
            request.session, client: request.clientID, challenge: request.codeChallenge, proof: proof, origin: origin,
            now: now)
        {
        case .success(let found): (opened, call) = found
        case .failure(.invalid(let refusal)): return .invalid(refusal)
        case .failure: return .refused(.invalidSession)
        }
        let client = call.intent.client
        let credential: Registrations.Credential
        switch request.credential {
        case .password(let password): credential = .password(password)
        case .passkey(let response):
            guard client.asksForPasskeys else {
                return .invalid(.invalidRequest(try await passkeyHindrance(at: client) ?? Self.passkeyRefused))
            }
            credential = .passkey(response, in: .app(client, key: call.thumbprint))
        }
        let details = Registrations.Details(
            username: request.username, credential: credential, locale: request.locale,
            acceptedTerms: request.acceptedTerms, client: client.idBeforeConsent, origin: origin)
        switch try await registrations.finish(opened.begun, details, now: now) {
        case .made(let account):
            return try await signIn(by: RegistrationMethod(account: account, registration: opened.begun), call: call)
        case .nameTaken: return .refused(.usernameTaken(request.session))
        case .nameUnusable: return .invalid(.invalidRequest(Self.unusableName))
        case .addressTaken: return .refused(.addressTaken)
        case .passwordUnacceptable(let violation): return .refused(.passwordUnacceptable(request.session, violation))
        case .held(let seconds): return .refused(.tooManyAttempts(retryAfter: seconds))
        case .busy(let seconds): return .refused(.busy(retryAfter: seconds))
        case .off: return .refused(.registrationOff)
        case .madeOtherwise: return .refused(.addressTaken)
        case .passkeyRefused: return .invalid(.invalidRequest(Self.passkeyRefused))
        case .over: return .refused(.invalidSession)
        }
    }

    /// All that keeps a passkey from taking the place of the password, with the commands that change it; `nil` if nothing does.
    ///
    /// The access log has it too, which cuts it after 256 bytes.
    private func passkeyHindrance(at client: RegisteredClient) async throws -> String? {
        let lead = "No passkey in place of a password: "
        guard let party = registrations.passkeys.party else {
            return lead + "the server has none, because its issuer's host is an IP address."
        }
        let brand = try client.accountBrand
        var missing: [String] = []
        if try await registrations.offer(of: brand)?.takesPasskeys != true {
            missing.append("the brand needs brand update \(brand.rawValue) --registration passkey")
        }
        if !client.asksForPasskeys {
            missing.append(
                "the client needs client update \(client.id.rawValue) --add-passkey-origin \(party.appleOrigin) (terminal wallet), "
                    + "--add-apple-app-id or --add-android-app")
        }
        return missing.isEmpty ? nil : lead + missing.joined(separator: ", and ") + "."
    }

    private static let passkeyRefused =
        "The passkey is for another app, newcomer or site, or its options are too old or used. Request new ones."
    static let unusableName =
        "The user name cannot be used: choose one without @, or the address that was confirmed."

    /// The registration of a session and its caller, who has the key that began it.
    private func continued(
        _ session: AuthSession, client: ClientID, challenge: CodeChallenge, proof: PresentedProof,
        origin: RequestOrigin, now: Timestamp
    ) async throws -> Result<(Registering, NativeCall), RegistrationRefusal> {
        guard let opened = registering.open(session.reveal(), now: now), opened.client == client,
            opened.challenge == challenge
        else { return .failure(.over) }
        let opening = NativeSignInRequest(
            clientID: opened.client, scope: opened.scope, codeChallenge: opened.challenge,
            merchantID: opened.merchant)
        let call: NativeCall
        switch try await callers.check(opening, proof: proof, origin: origin, now: now) {
        case .success(let checked): call = checked
        case .failure(let refusal): return .failure(.invalid(refusal))
        }
        guard call.thumbprint == opened.thumbprint, try call.intent.client.accountBrand == opened.begun.brand else {
            return .failure(.over)
        }
        return .success((opened, call))
    }
}

/// Why a registration does not go on.
package enum RegistrationRefusal: Error, Sendable, Hashable {
    /// Token, proof or client are not valid.
    case invalid(OAuthRefusal)
    case off
    case phonesNotTaken
    /// The brand or the app takes no passkey in place of the password. The text says what is missing.
    case passkeysNotTaken(String)
    /// Taken, or easily taken for one that is.
    case nameTaken
    /// An address that is not the one that was proved, or text that cannot be shown.
    case nameUnusable
    /// Wrong or expired; the registration goes on.
    case wrongCode
    /// The registration has expired, has no attempt left, or belongs to another key.
    case over
    /// In seconds.
    case tooManyAttempts(retryAfter: Int64)
}
