import Foundation
import WalletAuthTransport
public import WalletAuthWire

// The session: setting it up, reading it and renewing it.

extension Wallet {
    /// Prepares the wallet for use.
    ///
    /// It awaits, in this order:
    /// 1. The store. A stored session with a valid access token is restored without the network.
    /// 2. For a session opened with Sign in with Apple, the system's answer whether the credential is still valid, for
    ///   at most two seconds. A revoked one signs out.
    /// 3. One renewal, if the stored session's access token has expired. If the server refuses the refresh token, the
    ///   session has ended, and the next step follows. After any other failure (no network, a server that cannot answer
    ///   or no longer accepts the client, an unusable answer), the session is restored all the same. It is renewed at
    ///   its next use, and ``renewalFailure`` has the error. From there, ``logout()`` leads to the sign-in.
    /// 4. The sign-in, if no one is signed in. `.full` opens the browser and waits until the person has returned and
    ///   the code is redeemed, however long that takes (cancel the task to dismiss the page). `.partial` redeems the
    ///   configured code, or throws `signed_out` if there is none. `.external` takes the configured token.
    ///
    /// Call it as often as you like; concurrent calls share one run.
    /// - Returns: how the wallet got its session, or that the browser's callback will arrive through
    ///   ``receivedOAuthCodeOrToken(_:)``.
    /// - Throws: ``WalletError``: `store_unavailable`, `key_lost` (except with `.full`, which signs in again) and, if
    ///   no one is signed in, any error of the sign-in; `CancellationError` if the task was cancelled.
    @discardableResult
    public func setUp() async throws -> SetUpOutcome {
        try await settingUp.run { [self] in
            // Even if this throws: revocations of earlier sign-outs do not wait for a sign-in.
            defer { revoker.sendInBackground() }
            return try await log.during(.setUp) { try await signInIfNeeded() }
        }
    }

    /// The error of the last attempt to renew the current session's token; nil once a renewal has succeeded, and if no
    /// one is signed in. Reads memory only.
    public var renewalFailure: WalletError? {
        keeper.snapshot.generation.flatMap { tokens.failure(of: $0) }
    }

    /// Whether a person is signed in, as far as this process knows. Reads memory only; false before ``setUp()``.
    public var isLoggedIn: Bool {
        switch keeper.reading() {
        case .notLoaded, .signedOut: false
        case .fresh, .aging: true
        case .expired: keeper.snapshot.holding?.session.refreshToken != nil
        }
    }

    /// The owner of the session, or nil if no one is signed in. Reads memory only.
    public var identity: SignedInIdentity? {
        guard let session = keeper.snapshot.holding?.session else { return nil }
        return SignedInIdentity(
            subject: session.owner.subject, merchantID: session.owner.merchantID, sessionID: session.owner.sessionID,
            scopes: session.scopes, tokenType: session.tokenType, accessTokenExpiresAt: session.life.endsAt?.date,
            acr: session.authentication?.acr, authenticatedAt: session.authentication?.authenticatedAt?.date)
    }

    /// Returns a valid access token, renewing it first if necessary.
    ///
    /// While the token is valid, this reads memory only. A token bound to this device's key
    /// (``SignedInIdentity/tokenType`` `DPoP`) is useless without the proof that ``perform(_:)`` adds.
    /// - Returns: the token. Its description is redacted; `reveal()` returns the text.
    /// - Throws: ``WalletError``: `signed_out`, `temporarily_unavailable`, `offline`, `key_lost`, `store_unavailable`.
    public func accessToken() async throws -> AccessToken {
        try await tokens.ticket(of: nil, during: .refresh).accessToken
    }

    /// Renews the access token now, whether or not it is still valid. Joins a renewal under way.
    /// - Throws: ``WalletError``, as ``accessToken()``; `wrong_sign_in_mode` for a token that the app supplied,
    ///   `unsupported_by_server` if the server issued no refresh token and the access token is still valid.
    public func refresh() async throws {
        if case .notLoaded = keeper.reading() {
            try await log.during(.refresh) { try await keeper.load() }
        }
        guard let holding = keeper.snapshot.holding else {
            // Throws the reason no one is signed in.
            _ = try await tokens.ticket(of: nil, during: .refresh)
            return
        }
        guard holding.origin == .stored else {
            throw WalletError(
                .wrongSignInMode, .misconfigured, during: .refresh, reason: "the app renews this session")
        }
        try await tokens.renew(holding.ticket)
    }
}

// MARK: - Setting up

extension Wallet {
    private func signInIfNeeded() async throws -> SetUpOutcome {
        appleCredentials.begin()
        if case .external(let token, let expiresAt) = configuration.signIn {
            if keeper.snapshot.holding != nil, isLoggedIn { return .restored }
            try await external.begin(token, expiresAt: expiresAt)
            return .signedIn
        }
        try await keeper.load()
        await appleCredentials.check()
        // A page in the browser may stay open indefinitely.
        revoker.sendInBackground()
        if try await restore() { return .restored }
        switch configuration.signIn {
        case .full(let redirectURI):
            return try await browser.signIn(redirectURI: redirectURI)
        case .partial(let response?):
            try await redeem(response)
            return .signedIn
        case .partial(nil), .external:
            _ = try await tokens.ticket(of: nil, during: .setUp)
            return .restored
        }
    }

    /// Continues with the stored session.
    /// - Returns: whether there is one. Neither a missing network nor an answer that says nothing about it ends the
    ///   session: it is renewed at its next use, and until then ``renewalFailure`` has the error.
    private func restore() async throws -> Bool {
        if case .partial(let response?) = configuration.signIn, try await isNew(response) { return false }
        do {
            _ = try await tokens.ticket(of: nil, during: .setUp)
            return true
        } catch let error as WalletError {
            switch error.outcome {
            case .signedOut: return false
            case .keyLost:
                if case .full = configuration.signIn { return false }
                throw error
            case .storeUnavailable: throw error
            case .misconfigured where error.code == .keysUnavailable: throw error
            default: return keeper.snapshot.holding != nil
            }
        }
    }

    private func isNew(_ response: OAuthCodeResponse) async throws -> Bool {
        guard let code = try? AuthorizationCode(response.code) else { return true }
        return try await !keeper.change { $0.hasSent(code) }
    }

    private func redeem(_ response: OAuthCodeResponse) async throws {
        let request: CodeRedemption.Request
        do {
            request = CodeRedemption.Request(
                code: try AuthorizationCode(response.code), verifier: response.challenge.verifier,
                redirectURI: try response.redirectURI.map { try RedirectURI($0.absoluteString) },
                nonce: try response.nonce.map { try Nonce($0) }, scopes: configuration.scopes,
                key: try await keyForSignIn(), login: nil)
        } catch let malformed as MalformedValue {
            throw WalletError(
                .invalidConfiguration, .misconfigured, during: .setUp,
                reason: "the code response is malformed: \(malformed)")
        }
        try await redemption.redeem(request, during: .setUp)
    }

    func keyForSignIn() async throws -> BoundKey? {
        try await binding.keyForSignIn(at: try await discovery.metadata())
    }
}
