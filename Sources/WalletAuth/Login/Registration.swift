import WalletAuthTransport
import WalletAuthWire

/// A message was sent to a newcomer's address. If the address has no account, it contains a code; otherwise it says that there is one.
/// The server never says which.
public struct RegistrationChallenge: Sendable {
    /// The number of digits of the code.
    public var digits: Int { Int(clamping: prompt.digits) }
    /// Whether this step sent a message. False if it came too soon after the last one, whose code is valid in the registration that
    /// asked for it: after ``Wallet/AccountEnrollment/begin(email:forPasskey:)``, that is another one, so offer ``resend()``.
    public let wasSent: Bool
    /// When another message can be sent.
    public var resendAfter: Duration { .seconds(prompt.resendAfter) }
    /// How long a code is valid.
    public var expiresIn: Duration { .seconds(prompt.expiresIn) }

    let prompt: RegistrationPrompt
    let address: NewcomerAddress
    let continuation: LoginContinuation

    /// Submits the code.
    /// - Parameter code: the code as typed.
    /// - Returns: what the account is made with.
    /// - Throws: ``WalletError``: `invalid_code` for a wrong code, after which the challenge stays usable as long as the server allows;
    ///   `invalid_session` after too many, or a quarter of an hour; `registration_off`.
    public func confirm(code: String) async throws -> Newcomer {
        try await continuation.login.confirm(self, code: code)
    }

    /// Sends another message to the address. If called too soon, it sends nothing and says when to try again.
    /// - Returns: the challenge to continue with.
    /// - Throws: ``WalletError``.
    public func resend() async throws -> RegistrationChallenge {
        try await continuation.login.resend(self)
    }
}

/// A newcomer whose address is proved, and who has no account yet.
public struct Newcomer: Sendable {
    /// The brand's terms, which the person accepts with the account: show a link to them. Nil if the brand has none.
    public var termsURL: String? { confirmed.termsURL }
    /// Whether a passkey can take the place of a password: ``finishWithPasskey(username:locale:acceptedTerms:)``.
    public var takesPasskey: Bool { confirmed.takesPasskey }
    /// How long the account can be made.
    public var expiresIn: Duration { .seconds(confirmed.expiresIn) }

    let confirmed: ConfirmedRegistration
    let continuation: LoginContinuation

    /// Makes the account, with the proved address, and signs in to it. After a lost answer, call it again with the same name and
    /// password.
    /// - Parameters:
    ///   - username: the user name that the person chose. One with an `@` has to be the proved address.
    ///   - password: the password that the person chose.
    ///   - locale: the person's language (BCP 47).
    ///   - acceptedTerms: the version or address of the terms that the person accepted.
    /// - Returns: ``LoginOutcome/authenticated(additionalAttributes:)``, or a further step such as the choice of a merchant.
    /// - Throws: ``WalletError``: `username_taken`, after which another name may be tried; `password_too_short`, `password_too_common`
    ///   and the like, after which another password may be tried; `address_taken` if the address has got an account;
    ///   `invalid_session` after a quarter of an hour; `registration_off`.
    public func finish(
        username: String, password: String, locale: String? = nil, acceptedTerms: String? = nil
    ) async throws -> LoginOutcome {
        try await continuation.login.finish(
            self, username: username, password: password, locale: locale, acceptedTerms: acceptedTerms)
    }

    /// Makes the account, with the proved address and a passkey that the person creates on this device, and signs in to it. It has no
    /// password: recommend another passkey, since only the operator can help who loses the last one.
    ///
    /// After a lost answer, ``Wallet/Passkeys/signIn(username:strength:properties:requestedAttributes:)`` signs in to the account.
    /// - Parameters:
    ///   - username: the user name that the person chose. One with an `@` has to be the proved address.
    ///   - locale: the person's language (BCP 47).
    ///   - acceptedTerms: the version or address of the terms that the person accepted.
    /// - Returns: ``LoginOutcome/authenticated(additionalAttributes:)``, or a further step such as the choice of a merchant.
    /// - Throws: ``WalletError``: `username_taken`, before the person is asked for a passkey; `passkey_not_taken` where
    ///   ``takesPasskey`` is false; `cancelled_by_person`; `passkeys_unavailable`; `address_taken`; `invalid_session` after a quarter
    ///   of an hour; `registration_off`.
    public func finishWithPasskey(
        username: String, locale: String? = nil, acceptedTerms: String? = nil
    ) async throws -> LoginOutcome {
        try await continuation.login.finishWithPasskey(
            self, username: username, locale: locale, acceptedTerms: acceptedTerms)
    }
}

/// The address that a newcomer proves.
enum NewcomerAddress: Sendable, Hashable {
    case email(String)
    case phone(String)
}

extension Wallet.AccountEnrollment {
    /// Begins to make an account for a newcomer, who proves an e-mail address with a code. The brand has to allow it
    /// (`walletauth brand update BRAND --registration on`).
    /// - Parameters:
    ///   - email: the address as typed.
    ///   - forPasskey: whether the person wants a passkey in place of a password. Where that is not possible, no code is sent.
    /// - Returns: the challenge to answer with the code.
    /// - Throws: ``WalletError``: `registration_off`; `bad_request` for text that is no address; `temporarily_unavailable` after too many
    ///   from this network; `passkey_not_taken`, whose `reason` says what is missing.
    public func begin(email: String, forPasskey: Bool = false) async throws -> RegistrationChallenge {
        try await wallet.log.during(.register) {
            try await wallet.nativeLogin.register(.email(email), forPasskey: forPasskey)
        }
    }

    /// Begins to make an account for a newcomer, who proves a phone number with a code.
    /// - Parameters:
    ///   - phone: the number as typed, with the country's code: `+49 30 123456`.
    ///   - forPasskey: as for ``begin(email:forPasskey:)``.
    /// - Returns: the challenge to answer with the code.
    /// - Throws: ``WalletError`` as for ``begin(email:forPasskey:)``; `phone_not_taken` if the server sends no text messages.
    public func begin(phone: String, forPasskey: Bool = false) async throws -> RegistrationChallenge {
        try await wallet.log.during(.register) {
            try await wallet.nativeLogin.register(.phone(phone), forPasskey: forPasskey)
        }
    }
}

extension NativeLogin {
    private static let registering = WalletError.Operation.register

    func register(_ address: NewcomerAddress, forPasskey: Bool) async throws -> RegistrationChallenge {
        try await register(address, try await attempt(Self.registering), forPasskey: forPasskey)
    }

    private func register(
        _ address: NewcomerAddress, _ attempt: Attempt, forPasskey: Bool = false
    ) async throws -> RegistrationChallenge {
        let request = try WalletError.argument(Self.registering) {
            var request = RegistrationRequest(
                clientID: clientID, codeChallenge: attempt.challenge.challenge,
                scope: try Scope(tokens: attempt.scopes), merchantID: try merchantID.map { try MerchantID($0) },
                wantsPasskey: forPasskey)
            switch address {
            case .email(let typed): request.email = try EmailAddress(typed)
            case .phone(let typed): request.phone = typed
            }
            return request
        }
        let answer = try await post(request.json, to: Endpoints.registrations, attempt)
        let prompt = try answer.message(RegistrationPrompt.self, during: Self.registering)
        return RegistrationChallenge(
            wasSent: prompt.sent, prompt: prompt, address: address,
            continuation: LoginContinuation(login: self, session: prompt.session, attempt: attempt))
    }

    func resend(_ challenge: RegistrationChallenge) async throws -> RegistrationChallenge {
        try await log.during(Self.registering) {
            let next = try await register(challenge.address, challenge.continuation.attempt)
            guard !next.wasSent else { return next }
            // The code that was sent before belongs to the former session.
            var prompt = next.prompt
            prompt.session = challenge.prompt.session
            return RegistrationChallenge(
                wasSent: false, prompt: prompt, address: challenge.address, continuation: challenge.continuation)
        }
    }

    func confirm(_ challenge: RegistrationChallenge, code: String) async throws -> Newcomer {
        try await log.during(Self.registering) {
            let (session, attempt) = (challenge.continuation.session, challenge.continuation.attempt)
            let request = try WalletError.argument(
                Self.registering, .invalidCode, reason: { _ in "the code has to consist of digits" }
            ) {
                RegistrationConfirmation(
                    clientID: clientID, codeChallenge: attempt.challenge.challenge, session: session,
                    code: try OneTimeCode(digits: code))
            }
            let answer = try await post(request.json, to: Endpoints.registrationConfirmation, attempt)
            let confirmed = try answer.message(ConfirmedRegistration.self, during: Self.registering)
            return Newcomer(
                confirmed: confirmed,
                continuation: LoginContinuation(login: self, session: confirmed.session, attempt: attempt))
        }
    }

    func finish(
        _ newcomer: Newcomer, username: String, password: String, locale: String?, acceptedTerms: String?
    ) async throws -> LoginOutcome {
        try await log.during(Self.registering) {
            var attempt = newcomer.continuation.attempt
            let request = try WalletError.argument(Self.registering) {
                RegistrationFinish(
                    clientID: clientID, codeChallenge: attempt.challenge.challenge,
                    session: newcomer.continuation.session, username: try Username(username),
                    credential: .password(try Password(password)), locale: try locale.map { try LocaleTag($0) },
                    acceptedTerms: acceptedTerms)
            }
            attempt.username = username
            let answer = try await post(request.json, to: Endpoints.registrationFinish, attempt)
            if let fault = Self.passwordFault(in: answer) {
                throw WalletError(
                    .init(rawValue: "password_\(fault)"), .refused, during: Self.registering,
                    statusCode: ErrorCode.passwordChangeRequired.statusCode(), reachedServer: true,
                    reason: "the password is not accepted")
            }
            return try await outcome(of: answer, attempt)
        }
    }

    func finishWithPasskey(
        _ newcomer: Newcomer, username: String, locale: String?, acceptedTerms: String?
    ) async throws -> LoginOutcome {
        try await log.during(Self.registering) {
            var attempt = newcomer.continuation.attempt
            let (name, language) = try WalletError.argument(Self.registering) {
                (try Username(username), try locale.map { try LocaleTag($0) })
            }
            _ = try Wallet.Passkeys.authenticator(passkeys, for: enroller.issuer, Self.registering)
            let challenge = attempt.challenge.challenge
            let asked = RegistrationPasskeyRequest(
                clientID: clientID, codeChallenge: challenge, session: newcomer.continuation.session, username: name)
            let options = try await post(asked.json, to: Endpoints.registrationPasskey, attempt)
            guard options.isSuccess else { throw options.failure(during: Self.registering) }
            let passkey = try await Wallet.Passkeys.creation(
                try PasskeyCreationOptions(try options.object()), by: passkeys, of: enroller.issuer,
                during: Self.registering)
            let request = RegistrationFinish(
                clientID: clientID, codeChallenge: challenge, session: newcomer.continuation.session, username: name,
                credential: .passkey(passkey), locale: language, acceptedTerms: acceptedTerms)
            attempt.username = username
            // The server recognizes a repeated request by the passkey.
            let answer = try await post(
                request.json, to: Endpoints.registrationFinish, attempt, policy: .idempotent)
            return try await outcome(of: answer, attempt)
        }
    }

    /// The rule that the password of a new account breaks.
    private static func passwordFault(in answer: ServerAnswer) -> String? {
        guard !answer.isSuccess, !answer.isTemporaryFailure else { return nil }
        return (try? answer.object())?["password_fault"]?.string
    }

    private func post(
        _ json: JSONObject, to endpoint: Endpoint, _ attempt: Attempt, policy: RetryPolicy = .untilSent
    ) async throws -> ServerAnswer {
        let url = try enroller.issuer.url(of: endpoint.path, during: Self.registering)
        return try await exchange.send(HTTPRequest(url, .json(json)), proof: attempt.key, policy: policy)
    }
}
