public import Foundation

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
        try await core.login(username: username, password: password)
    }
}
