public import Foundation
public import WalletAuthWire

extension Wallet {
    /// Sign-in through a page that the app opens, and what a URL brings back.
    public var authentication: Authentication { Authentication(core: core) }

    /// Hands the wallet the URL with which the app was opened (`onOpenURL`, a scene delegate's user activity).
    ///
    /// The sign-in it belongs to is found by its `state`, also after the app was killed. The code is redeemed, the tokens
    /// are stored, the callbacks are told. A URL that was handed in already is ignored.
    ///
    /// A token in the URL is refused, save with `signIn: .external`: there it renews the session whose token the app
    /// brought, by the rules of ``updateToken(_:expiresAt:)``. It never begins one, since any web page can have the app
    /// opened with a token of its own author (session fixation); hand a token that the app itself asked for to
    /// ``authenticate(accessToken:expiresAt:)``.
    /// - Parameter url: as the system handed it to the app.
    /// - Throws: ``WalletError``: `unknown_state`, `issuer_mismatch`, `redirect_mismatch`, `malformed_callback`,
    ///   `token_in_callback`, `sign_in_interrupted`, `invalid_id_token`, and what the server refused with (`access_denied` …); with
    ///   `signIn: .external` also what ``updateToken(_:expiresAt:)`` throws.
    public func receivedOAuthCodeOrToken(_ url: URL) async throws {
        try await core.received(url)
    }

    /// Redeems a code that ``Authentication/callback(_:)`` verified, where the SDK is to have the session.
    /// - Parameter code: from ``Authentication/callback(_:)``; its verifier has to be the one that the SDK kept.
    /// - Throws: ``WalletError``; `code_already_used` when the code was sent before.
    public func authenticate(code: VerifiedCode) async throws {
        try await core.authenticate(code: code)
    }

    /// Begins a session with a token that the app's backend got. The backend renews it, by ``updateToken(_:expiresAt:)``.
    ///
    /// The token is kept in memory only.
    /// - Parameters:
    ///   - accessToken: the access token.
    ///   - expiresAt: when it ends; nil takes it from the token where that is a JWT.
    /// - Throws: ``WalletError``: `token_bound_elsewhere`, `invalid_configuration` for a malformed token.
    public func authenticate(accessToken: String, expiresAt: Date? = nil) async throws {
        try await core.authenticate(accessToken: accessToken, expiresAt: expiresAt)
    }

    /// Renews the token of a session that the app (or its backend) renews.
    ///
    /// The token has to belong to the person and the merchant of the session: a JWT says so itself, any other token is
    /// asked about at the userinfo endpoint. Both have to be known: where it could not be told whose the session is, no
    /// token renews it, and ``authenticate(accessToken:expiresAt:)`` begins another. With nobody signed in, `token` begins
    /// a session like that call does; so hand over only what the app itself asked for, never what a URL brought.
    /// - Parameters:
    ///   - token: the new access token.
    ///   - expiresAt: when it ends; nil takes it from the token where that is a JWT.
    /// - Throws: ``WalletError``: `another_person`, `another_merchant`, `token_owner_unknown`, `token_bound_elsewhere`.
    public func updateToken(_ token: String, expiresAt: Date? = nil) async throws {
        try await core.updateToken(token, expiresAt: expiresAt)
    }

    /// Signs in without a browser, at a server that lets this app ask for the password itself (OAuth 2.0 for First-Party
    /// Applications). Where ``Configuration/merchantID`` is set, the session is for that merchant.
    /// - Parameters:
    ///   - username: as the person typed it.
    ///   - password: as the person typed it; it is sent once and kept nowhere.
    /// - Returns: ``LoginOutcome``.
    /// - Throws: ``WalletError``: `invalid_credentials`, `wallet_deactivated`, `device_deactivated`, `device_suspended` …
    public func login(username: String, password: String) async throws -> LoginOutcome {
        try await core.login(
            username: username, password: password, strength: .asTheServerAsks, extras: LoginExtras())
    }

    /// Signs in as ``login(username:password:)`` does, as strongly as asked: where a call was refused with
    /// `insufficient_user_authentication`, it wants a stronger or a fresher sign-in.
    ///
    /// With ``LoginStrength/required(_:)`` it is whoever is signed in who signs in again: somebody else's sign-in is refused
    /// and ended, and the present session goes on. With nobody signed in it is anybody's.
    /// - Parameters:
    ///   - username: as the person typed it.
    ///   - password: as the person typed it; it is sent once and kept nowhere.
    ///   - strength: what has to be proved.
    ///   - properties: what the app wants kept with the sign-in's entry in the server's journal: at most 16, names of up
    ///     to 64 and values of up to 256 bytes, nothing secret.
    ///   - requestedAttributes: the names of additional attributes beside those that are always told, such as
    ///     `push_enabled`, `email_verified`, `locale`, `preferred_username`.
    /// - Returns: ``LoginOutcome``; ``LoginOutcome/redirectToWeb`` where the account has nothing that would do.
    /// - Throws: ``WalletError``: `another_person` as said above, also from the steps that follow; `invalid_credentials`,
    ///   `wallet_deactivated`, `device_deactivated`, `device_suspended` …
    public func login(
        username: String, password: String, strength: LoginStrength = .asTheServerAsks,
        properties: [String: String] = [:], requestedAttributes: [String] = []
    ) async throws -> LoginOutcome {
        try await core.login(
            username: username, password: password, strength: strength,
            extras: LoginExtras(properties: properties, requestedAttributes: requestedAttributes))
    }

    /// Signs in by a one-time token that the app's own backend, or somebody else whom the issuer trusts with it, had
    /// issued for this person (`POST /v1/login-nonces`). Older kits call this `loginByNonce`.
    ///
    /// A nonce says that somebody vouches for the person, and proves nothing by itself: from a device that is not linked
    /// to the account a second factor is asked for, and what wants two factors wants them as well. A linked device proves its
    /// key beside the nonce; where several accounts have it, that of the one that was signed in with last. A second factor after
    /// a nonce links no device: ``Registration/Link/failed(_:)`` then, and a sign-in by password links it.
    /// - Parameters:
    ///   - nonce: as the backend handed it to the app; it serves once, within a minute, and in this app alone.
    ///   - purpose: what the backend had it issued for.
    ///   - properties: what the app wants kept with the sign-in's entry in the server's journal.
    ///   - requestedAttributes: the names of additional attributes beside those that are always told.
    /// - Returns: ``LoginOutcome``.
    /// - Throws: ``WalletError``: `invalid_credentials` for a nonce that is wrong, spent, too old, or meant for another
    ///   app, device or purpose; `wallet_deactivated`, `device_deactivated`, `device_suspended` …
    public func login(
        nonce: String, purpose: String = "login", properties: [String: String] = [:],
        requestedAttributes: [String] = []
    ) async throws -> LoginOutcome {
        try await core.login(
            nonce: nonce, purpose: purpose,
            extras: LoginExtras(properties: properties, requestedAttributes: requestedAttributes))
    }

    /// The thumbprint (RFC 7638) of the key that this device's next sign-in is bound to. A backend that has a login nonce
    /// issued binds it to this key, so that nobody else can use it, whoever sees it on its way.
    /// - Returns: base64url of the SHA-256; nil where the server offers no DPoP.
    /// - Throws: ``WalletError`` where the server's metadata or the device's keys cannot be had.
    public func signInKeyThumbprint() async throws -> String? { try await core.signInKeyThumbprint() }

    /// Asks the server whether it takes this app as it is configured, for a sign-in without a browser: whether it knows the
    /// client, lets it sign people in and ask for ``Configuration/scopes``, and has a provider of a name. Nobody's secret is
    /// sent and nothing begins, so that an operator's mistake is told before the person types anything.
    /// - Parameter provider: an identity provider that is to sign somebody in; nil for none.
    /// - Throws: ``WalletError`` with the outcome ``WalletError/Outcome/misconfigured``: `invalid_client`,
    ///   `unauthorized_client`, `invalid_scope`, `unknown_provider`, `unsupported_by_server`; or where the server cannot be asked.
    public func checkRegistration(provider: String? = nil) async throws {
        try await core.checkRegistration(provider: provider)
    }

    /// How strong a sign-in has to be.
    public enum LoginStrength: Sendable, Hashable {
        /// As the server asks: a second factor from a device that is not linked to the account, and none from one that is.
        case asTheServerAsks
        /// Two factors in any case: a linked device's key counts as one of them.
        case twoFactors
        /// As a call asked for that was refused with ``WalletError/Outcome/stepUp(_:)``. What is typed now is as fresh as
        /// any call can ask for. Whoever is signed in stays so where somebody else signs in: `another_person`.
        case required(AuthenticationRequirements)

        var acrValues: [String] {
            switch self {
            case .asTheServerAsks: []
            case .twoFactors: ["urn:wallet-auth:acr:2fa"]
            case .required(let requirements): requirements.acrValues
            }
        }
    }

    /// Answers the second factor, and links this device to the account: it is enrolled, and the next sign-in from here asks
    /// for no second factor. Older kits call this `registerWithMFA`.
    ///
    /// Where ``Configuration/linksDevice`` is false the answer is given and nothing is linked. A good moment to ask the
    /// person's permission for push messages, see ``Devices/setPushAddress(token:environment:for:)``.
    /// - Parameters:
    ///   - mfa: the challenge that the sign-in came with.
    ///   - answer: as the person typed it.
    /// - Returns: how the sign-in went on, and whether the device is linked: a device that could not be linked leaves the
    ///   person signed in.
    /// - Throws: ``WalletError`` of the sign-in that was begun: a wrong answer is its `invalid_credentials`, and leaves the
    ///   challenge usable as long as the server lets it.
    public func register(mfa: MFAChallenge, answer: String) async throws -> Registration {
        try await core.register(mfa: mfa, answer: answer)
    }

    /// How ``Wallet/register(mfa:answer:)`` ended.
    public struct Registration: Sendable {
        /// How the sign-in went on.
        public let login: LoginOutcome
        /// Whether this device is linked.
        public let link: Link

        /// What became of the link between this device and the account.
        public enum Link: Sendable {
            /// This device is enrolled. Where `awaitsVerification` is true, ``Devices/confirm(code:for:)`` comes next.
            case linked(Device)
            /// ``Configuration/linksDevice`` says that it should not be.
            case notWanted
            /// The sign-in asks for something more first; ``Devices/enroll(name:username:)`` afterwards.
            case signInUnfinished
            /// It could not be enrolled; ``Devices/enroll(name:username:)`` tries again. A sign-in by a secret question or by a
            /// login nonce ends here with `insufficient_user_authentication`: an answer that others may find out, and a backend's
            /// word, link no device.
            case failed(WalletError)
        }
    }

    /// Has the person who is signed in sign in again, as strongly and as lately as a call asked for (RFC 9470). The browser
    /// opens with `acr_values` and `max_age`; where the person is signed in there, only what is missing is asked for. The
    /// session that comes of it takes the place of the present one; repeat the call then.
    ///
    /// With `signIn: .partial` or `.external` it is the app, or its backend, that leads the sign-in: hand both values on.
    /// - Parameter requirements: from ``WalletError/Outcome/stepUp(_:)``.
    /// - Returns: that the person signed in, or that the browser's answer will come through ``receivedOAuthCodeOrToken(_:)``.
    /// - Throws: ``WalletError``: `unmet_authentication_requirements` where the account has nothing that would do, which no
    ///   other try changes; `another_person` where somebody else signed in, and whoever was signed in still is;
    ///   `cancelled_by_person`, `signed_out` with nobody signed in, `wrong_sign_in_mode` …
    @discardableResult
    public func stepUp(to requirements: AuthenticationRequirements) async throws -> SetUpOutcome {
        try await core.stepUp(to: requirements)
    }

    /// Sets another password. Every other session of the account ends, on this device and on others; this one goes on.
    /// - Parameters:
    ///   - current: the password in use; nil will do minutes after a sign-in.
    ///   - new: the one to be used from now on, as the person typed it.
    /// - Throws: ``WalletError``: `invalid_credentials` for a wrong current one, `password_too_short`,
    ///   `password_too_common`, `password_breached` for one that was stolen somewhere, `password_unchanged`,
    ///   `insufficient_user_authentication` where a stronger or fresher sign-in is needed …
    public func changePassword(current: String?, new: String) async throws {
        try await core.changePassword(current: current, new: new)
    }
}
