public import Foundation
public import WalletAuthWire

extension Wallet {
    /// Sign-in through a hosted page that the app opens, and the handling of its callback.
    public var authentication: Authentication { Authentication(wallet: self) }

    /// Passes the wallet a URL that opened the app (`onOpenURL`, a scene delegate's user activity).
    ///
    /// The wallet finds the sign-in by its `state`, even after the app was killed, redeems the code, stores the tokens
    /// and notifies the callbacks. It ignores a URL that it has already received. If the code could not be sent,
    /// because of `offline` or `keys_unavailable` for instance, pass the URL again.
    ///
    /// A token in the URL is refused, except with `signIn: .external`: there it renews the session whose token the app
    /// supplied, by the rules of ``updateToken(_:expiresAt:)``. It never begins a session, because any web page can
    /// open the app with its author's token (session fixation). Pass a token that the app itself asked for to
    /// ``authenticate(accessToken:expiresAt:)``.
    /// - Parameter url: the URL from the system.
    /// - Throws: ``WalletError``: `unknown_state`, `issuer_mismatch`, `redirect_mismatch`, `malformed_callback`,
    ///   `token_in_callback`, `sign_in_interrupted`, `invalid_id_token`, and the server's refusal (`access_denied` …);
    ///   with `signIn: .external` also what ``updateToken(_:expiresAt:)`` throws.
    public func receivedOAuthCodeOrToken(_ url: URL) async throws {
        // The person may be back from the page of a consent. The call that opened the page waits for this.
        if consentPages.returns.receive(url) { return }
        defer { revoker.sendInBackground() }
        try await log.during(.signIn) {
            if case .external = configuration.signIn {
                guard let token = Self.token(in: url) else {
                    throw WalletError(
                        .malformedCallback, .refused, during: .signIn, reason: "the URL contains no access token")
                }
                return try await external.updateByURL(token)
            }
            try await browser.finish(url, during: .signIn)
        }
    }

    private static func token(in url: URL) -> String? {
        [url.fragment(percentEncoded: true), url.query(percentEncoded: true)].lazy
            .compactMap { $0.flatMap { try? FormParameters(parsing: $0) }?["access_token"] }.first
    }

    /// Redeems a code that ``Authentication/callback(_:)`` verified, so that the SDK holds the session.
    /// - Parameter code: from ``Authentication/callback(_:)``; its verifier must be the one that the SDK kept.
    /// - Throws: ``WalletError``; `code_already_used` if the code was sent before.
    public func authenticate(code: VerifiedCode) async throws {
        try await log.during(.authenticate) {
            guard let verifier = code.verifier else {
                throw WalletError(
                    .wrongSignInMode, .misconfigured, during: .authenticate,
                    reason: "the app kept the verifier: its backend redeems the code")
            }
            try await redemption.redeem(
                CodeRedemption.Request(
                    code: code.code, verifier: verifier, redirectURI: try RedirectURI(code.redirectURI.absoluteString),
                    nonce: code.nonce, scopes: code.scopes, key: try await keyForSignIn(), login: nil),
                during: .authenticate)
        }
    }

    /// Begins a session with a token from the app's backend. The backend renews it with ``updateToken(_:expiresAt:)``.
    ///
    /// The token is kept in memory only; ``logout()`` has the server revoke it, and offline stores it until then.
    /// - Parameters:
    ///   - accessToken: the access token.
    ///   - expiresAt: when it expires; nil reads the time from the token if it is a JWT.
    /// - Throws: ``WalletError``: `token_bound_elsewhere`, `invalid_configuration` for a malformed token.
    public func authenticate(accessToken: String, expiresAt: Date? = nil) async throws {
        try await log.during(.authenticate) { try await external.begin(accessToken, expiresAt: expiresAt) }
        revoker.sendInBackground()
    }

    /// Renews the token of a session that the app (or its backend) renews.
    ///
    /// The token must belong to the session's person and merchant. A JWT names them itself; for any other token, the
    /// SDK asks the userinfo endpoint. Both must be known: if the owner of the session could not be determined, no
    /// token renews it, and ``authenticate(accessToken:expiresAt:)`` begins another. If no one is signed in, `token`
    /// begins a session as that call does, so pass only tokens that the app itself asked for, never one from a URL.
    /// - Parameters:
    ///   - token: the new access token.
    ///   - expiresAt: when it expires; nil reads the time from the token if it is a JWT.
    /// - Throws: ``WalletError``: `another_person`, `another_merchant`, `token_owner_unknown`, `token_bound_elsewhere`.
    public func updateToken(_ token: String, expiresAt: Date? = nil) async throws {
        try await log.during(.authenticate) { try await external.update(token, expiresAt: expiresAt) }
    }

    /// Signs in without a browser, at a server that lets this app ask for the password itself (OAuth 2.0 for
    /// First-Party Applications). If ``Configuration/merchantID`` is set, the session is for that merchant.
    /// - Parameters:
    ///   - username: the user name as typed.
    ///   - password: the password as typed; it is sent once and not stored.
    /// - Returns: ``LoginOutcome``.
    /// - Throws: ``WalletError``: `invalid_credentials`, `wallet_deactivated`, `device_deactivated`, `device_suspended`
    ///   …
    public func login(username: String, password: String) async throws -> LoginOutcome {
        try await login(username: username, password: password, strength: .asTheServerAsks)
    }

    /// Signs in like ``login(username:password:)``, with a required strength: after a call failed with
    /// `insufficient_user_authentication`, it needs a stronger or more recent sign-in.
    ///
    /// With ``LoginStrength/required(_:)``, the signed-in person must sign in again. Another person's sign-in is
    /// refused and ended, and the current session continues. If no one is signed in, any person may sign in.
    /// - Parameters:
    ///   - username: the user name as typed.
    ///   - password: the password as typed; it is sent once and not stored.
    ///   - strength: the required strength.
    ///   - properties: what the server should record with the sign-in in its audit log: at most 16, with names of up to
    ///     64 and values of up to 256 bytes, and no secrets.
    ///   - requestedAttributes: the names of attributes to return in addition to the default ones, such as
    ///     `push_enabled`, `email_verified`, `locale`, `preferred_username`.
    /// - Returns: ``LoginOutcome``; ``LoginOutcome/redirectToWeb`` if the account has no sufficient factor.
    /// - Throws: ``WalletError``: `another_person` as described above, also from the following steps;
    ///   `invalid_credentials`, `wallet_deactivated`, `device_deactivated`, `device_suspended` …
    public func login(
        username: String, password: String, strength: LoginStrength = .asTheServerAsks,
        properties: [String: String] = [:], requestedAttributes: [String] = []
    ) async throws -> LoginOutcome {
        try await log.during(.loginByUsernamePassword) {
            try await nativeLogin.begin(
                .loginByUsernamePassword, username: username, secret: password, strength: strength,
                extras: LoginExtras(properties: properties, requestedAttributes: requestedAttributes)
            ) { .password(PasswordLogin(username: $0, password: $1, deviceID: $2, deviceProof: $3)) }
        }
    }

    /// Signs in like ``login(username:password:strength:properties:requestedAttributes:)`` with the PIN of the account,
    /// which the person set on the account's page, where the brand's operator turned it on. A device has a PIN of its own:
    /// `login(pin:)` of WalletAuthPIN.
    ///
    /// A PIN is one factor, even on a linked device, whose key makes the server ask for no second one. Five wrong PINs in
    /// a row lock it until the person sets another; the error stays `invalid_credentials`, and the password still signs in.
    /// - Parameters:
    ///   - username: the user name as typed.
    ///   - accountPIN: the PIN as typed, 6 to 12 digits; it is sent once and not stored.
    ///   - strength: the required strength.
    ///   - properties: what the server should record with the sign-in in its audit log.
    ///   - requestedAttributes: the names of attributes to return in addition to the default ones.
    /// - Returns: ``LoginOutcome``, never ``LoginOutcome/passwordChangeRequired(_:)``.
    /// - Throws: ``WalletError``: `invalid_credentials`; `login_strategy_unavailable` if the brand does not accept account
    ///   PINs; `password_change_required` if the password must be changed first, which takes a sign-in with the password;
    ///   `wallet_deactivated`, `device_deactivated`, `device_suspended` …
    public func login(
        username: String, accountPIN: String, strength: LoginStrength = .asTheServerAsks,
        properties: [String: String] = [:], requestedAttributes: [String] = []
    ) async throws -> LoginOutcome {
        try await log.during(.loginByAccountPIN) {
            try await nativeLogin.begin(
                .loginByAccountPIN, username: username, secret: accountPIN, strength: strength,
                extras: LoginExtras(properties: properties, requestedAttributes: requestedAttributes)
            ) { .accountPIN(AccountPINLogin(username: $0, pin: $1, deviceID: $2, deviceProof: $3)) }
        }
    }

    /// Signs in with a one-time token that the app's backend, or another party that the issuer trusts, requested for
    /// this person (`POST /v1/login-nonces`). Older SDKs call this `loginByNonce`.
    ///
    /// A nonce means that another party vouches for the person, and proves nothing by itself. From a device that is not
    /// linked to the account, the server asks for a second factor, and operations that require two factors still do. A
    /// linked device also proves its key; with several accounts, that of the last one signed in. A second factor after
    /// a nonce does not link the device: the result is ``Registration/Link/failed(_:)``, and a sign-in with the
    /// password links it.
    /// - Parameters:
    ///   - nonce: from the backend; it works once, within a minute, and only in this app.
    ///   - purpose: the purpose for which the backend requested it.
    ///   - properties: what the server should record with the sign-in in its audit log.
    ///   - requestedAttributes: the names of attributes to return in addition to the default ones.
    /// - Returns: ``LoginOutcome``.
    /// - Throws: ``WalletError``: `invalid_credentials` for a nonce that is wrong, spent, expired, or meant for another
    ///   app, device or purpose; `wallet_deactivated`, `device_deactivated`, `device_suspended` …
    public func login(
        nonce: String, purpose: String = "login", properties: [String: String] = [:],
        requestedAttributes: [String] = []
    ) async throws -> LoginOutcome {
        try await log.during(.loginByNonce) {
            try await nativeLogin.begin(
                nonce: nonce, purpose: purpose,
                extras: LoginExtras(properties: properties, requestedAttributes: requestedAttributes))
        }
    }

    /// Returns the thumbprint (RFC 7638) of the key that this device's next sign-in will be bound to. A backend that
    /// requests a login nonce can bind it to this key, so that an eavesdropper cannot use it.
    /// - Returns: base64url of the SHA-256; nil if the server does not support DPoP.
    /// - Throws: ``WalletError`` if the server's metadata or the device's keys are unavailable.
    public func signInKeyThumbprint() async throws -> String? {
        try await log.during(.loginByNonce) { try await keyForSignIn()?.thumbprint.rawValue }
    }

    /// Asks the server whether it accepts this app's configuration for a sign-in without a browser: whether it knows
    /// the client, lets it sign people in and request ``Configuration/scopes``, and has a given provider. No secret is
    /// sent and no sign-in begins, so that an operator's mistake shows before the person types anything.
    /// - Parameter provider: the identity provider for the sign-in; nil for none.
    /// - Throws: ``WalletError`` with the outcome ``WalletError/Outcome/misconfigured``: `invalid_client`,
    ///   `unauthorized_client`, `invalid_scope`, `unknown_provider`, `unsupported_by_server`; or if the server cannot
    ///   be asked.
    public func checkRegistration(provider: String? = nil) async throws {
        try await log.during(.checkRegistration) {
            try await nativeLogin.checkRegistration(provider: provider)
        }
    }

    /// The required strength of a sign-in.
    public enum LoginStrength: Sendable, Hashable {
        /// The server's default: a second factor from a device that is not linked to the account, and none from a
        /// linked one.
        case asTheServerAsks
        /// Always two factors; the key of a linked device counts as one.
        case twoFactors
        /// The requirements of a call that failed with ``WalletError/Outcome/stepUp(_:)``. Credentials typed now are
        /// recent enough for any call. If another person signs in, the current session stays: `another_person`.
        case required(AuthenticationRequirements)

        var acrValues: [String] {
            switch self {
            case .asTheServerAsks: []
            case .twoFactors: ["urn:wallet-auth:acr:2fa"]
            case .required(let requirements): requirements.acrValues
            }
        }
    }
}

extension Wallet {
    /// Has the signed-in person sign in again, as strongly and as recently as a call requires (RFC 9470). The
    /// browser opens with `acr_values` and `max_age`; if the person is signed in there, it asks only for what is
    /// missing. If another person is, a walletauth server asks for this one: the session's ID token names them (`id_token_hint`). The new
    /// session replaces the current one. Then repeat the call.
    ///
    /// A server may sign the person in and ignore the requirements: `acr_values` is voluntary (OpenID Connect Core
    /// §5.5.1.1), and a server that issues no ID token proves no age. Check ``unconfirmed(of:)`` before repeating the
    /// call, or it may require the same step-up again.
    ///
    /// An ID token whose sign-in was older than `max_age` when the step-up began is an error; for `max_age` 0, so is one
    /// from the previous sign-in. The comparison is by the server's clock, as its answers showed it, and tolerates 10
    /// seconds. By the time the answer arrives, the sign-in may be 60 seconds older than `max_age`. If
    /// ``Configuration/prompt`` is nil, the SDK adds `prompt=login` to `max_age` 0 at a standard server.
    ///
    /// With `signIn: .partial` or `.external`, the app or its backend controls the sign-in: pass both values to it.
    /// - Parameter requirements: from ``WalletError/Outcome/stepUp(_:)``.
    /// - Returns: whether the person signed in, or the browser's callback will arrive through
    ///   ``receivedOAuthCodeOrToken(_:)``.
    /// - Throws: ``WalletError``: `unmet_authentication_requirements` if the account has no sufficient factor, which
    ///   trying again does not change; `another_person` if another person signed in, while the current one stays signed
    ///   in; `signed_out` if no one is signed in, or if the person signed out or another one signed in while the page was
    ///   open, so that its answer is not used; `cancelled_by_person`, `wrong_sign_in_mode` …
    @discardableResult
    public func stepUp(to requirements: AuthenticationRequirements) async throws -> SetUpOutcome {
        try await stepUp(to: requirements, loginHint: nil)
    }

    /// The same as ``stepUp(to:)``, with a name that the page can put into its form.
    /// - Parameters:
    ///   - requirements: from ``WalletError/Outcome/stepUp(_:)``.
    ///   - loginHint: the signed-in person's user name or e-mail address; nil if the app does not know it.
    /// - Returns: as ``stepUp(to:)``.
    /// - Throws: ``WalletError`` as ``stepUp(to:)``.
    @discardableResult
    public func stepUp(
        to requirements: AuthenticationRequirements, loginHint: String?
    ) async throws -> SetUpOutcome {
        try await log.during(.stepUp) { () -> SetUpOutcome in
            guard case .full(let redirectURI) = configuration.signIn else {
                throw WalletError(
                    .wrongSignInMode, .misconfigured, during: .stepUp,
                    reason: "the app handles the sign-in: request acr_values and max_age there")
            }
            try await keeper.load()
            guard let session = keeper.snapshot.holding?.session else {
                // Throws the reason no one is signed in.
                _ = try await tokens.ticket(of: nil, during: .stepUp)
                return .restored
            }
            return try await browser.signIn(
                redirectURI: redirectURI,
                stepUp: BrowserSignIn.StepUp(
                    requirements: requirements, owner: session.owner,
                    authenticatedAt: session.authentication?.authenticatedAt, idToken: session.idToken,
                    loginHint: loginHint))
        }
    }

    /// Compares what the server said about the current session's sign-in with the requirements of a call. Reads memory
    /// only.
    /// - Parameter requirements: from ``WalletError/Outcome/stepUp(_:)``.
    /// - Returns: the requirements that the server has not confirmed; nil if it has confirmed all of them. Without a
    ///   session, none is confirmed.
    public func unconfirmed(of requirements: AuthenticationRequirements) -> AuthenticationRequirements? {
        let known = keeper.snapshot.holding?.session.authentication ?? Session.Authentication(nil, nil)
        return known.unconfirmed(of: requirements, at: keeper.clock.now)
    }
}
