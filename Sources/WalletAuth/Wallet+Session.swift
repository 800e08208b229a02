import Foundation
import WalletAuthTransport
public import WalletAuthWire

// The session: setting it up, reading it and renewing it.

extension Wallet {
    /// Continues with the stored session, and never opens a page. Call it when the app starts, and ``signIn()`` when the
    /// person asks for it.
    ///
    /// It awaits, in this order:
    /// 1. The store. A stored session with a valid access token is restored without the network.
    /// 2. For a session opened with Sign in with Apple, the system's answer whether the credential is still valid, for
    ///   at most two seconds. A revoked one signs out.
    /// 3. One renewal, if the stored session's access token has expired. If the server refuses the refresh token, the
    ///   session has ended. After any other failure (no network, a server that cannot answer or no longer accepts the
    ///   client, an unusable answer), the session is restored all the same. It is renewed at its next use, and
    ///   ``renewalFailure`` has the error. From there, ``logout()`` and ``signIn()`` lead to a new session.
    ///
    /// It leaves a configured code (`.partial`) or token (`.external`) to ``signIn()``. With `.external`, nothing is
    /// stored, so only a session of this process continues. While a page of ``signIn()`` is open, it returns without
    /// waiting for it; ``tokenChanges`` reports the session that follows.
    /// - Returns: the person who is signed in; nil if no one is, for the reason in ``signOutReason``.
    /// - Throws: ``WalletError`` if that cannot be known right now, which never means that no one is signed in:
    ///   `store_unavailable`, `keys_unavailable`; `CancellationError` if the task was cancelled.
    @discardableResult
    public func restore() async throws -> SignedInIdentity? {
        defer { revoker.sendInBackground() }
        return try await log.during(.restore) {
            appleCredentials.begin()
            if !configuration.signIn.isExternal { _ = try await endOfStoredSession(.restore) }
            return isLoggedIn ? identity : nil
        }
    }

    /// Signs the person in, unless someone is signed in already: call it when the person asks for it.
    ///
    /// It first awaits what ``restore()`` does. If no one is signed in, `.full` opens the browser and waits until the
    /// person has returned and the code is redeemed, however long that takes (cancel the task to dismiss the page).
    /// `.partial` redeems the configured code, unless it was sent before, or throws `signed_out` if there is none.
    /// `.external` takes the configured token.
    ///
    /// Concurrent calls, of ``setUp()`` too, share one run and one page. If the app was killed while the page was open
    /// and a callback is being redeemed, no other page opens.
    /// - Returns: how the wallet got its session, or that the browser's callback will arrive through ``handle(_:)``.
    /// - Throws: ``WalletError``: `store_unavailable`, `keys_unavailable`, `key_lost` (except with `.full`, which signs in
    ///   again) and any error of the sign-in, among them `cancelled_by_person`; `CancellationError` if the task was
    ///   cancelled.
    @discardableResult
    public func signIn() async throws -> SetUpOutcome { try await begin(.signIn) }

    /// Restores the session, or signs the person in at once: ``restore()`` and ``signIn()`` in one call, for an app that
    /// has nothing to show to people who are not signed in.
    ///
    /// Call it as often as you like; concurrent calls share one run.
    /// - Returns: as ``signIn()``.
    /// - Throws: as ``signIn()``.
    @discardableResult
    public func setUp() async throws -> SetUpOutcome { try await begin(.setUp) }

    /// The error of the last attempt to renew the current session's token; nil once a renewal has succeeded, and if no
    /// one is signed in. Reads memory only.
    public var renewalFailure: WalletError? {
        keeper.snapshot.generation.flatMap { tokens.failure(of: $0) }
    }

    /// Whether a person is signed in, as far as this process knows. Reads memory only; false before ``restore()``.
    public var isLoggedIn: Bool {
        switch keeper.reading() {
        case .notLoaded, .signedOut: false
        case .fresh, .aging: true
        case .expired: keeper.snapshot.holding?.session.refreshToken != nil
        }
    }

    /// Why no one is signed in; nil if someone is, and before ``restore()``. Reads memory only.
    public var signOutReason: WalletError.SignOutReason? {
        switch keeper.reading() {
        case .notLoaded, .fresh, .aging: nil
        case .signedOut(let reason): reason
        case .expired: isLoggedIn ? nil : .tokenExpired
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
    private func begin(_ operation: WalletError.Operation) async throws -> SetUpOutcome {
        try await settingUp.run { [self] in
            // Even if this throws: revocations of earlier sign-outs do not wait for a sign-in.
            defer { revoker.sendInBackground() }
            return try await log.during(operation) { try await signInIfNeeded(operation) }
        }
    }

    private func signInIfNeeded(_ operation: WalletError.Operation) async throws -> SetUpOutcome {
        appleCredentials.begin()
        switch configuration.signIn {
        case .external(let token, let expiresAt):
            if isLoggedIn { return .restored }
            try await external.begin(token, expiresAt: expiresAt)
            return .signedIn
        case .partial(let response?):
            if try await !isNew(response) {
                guard let end = try await endOfStoredSession(operation) else { return .restored }
                if case .keyLost = end.outcome { throw end }
            }
            try await redeem(response, operation)
            return .signedIn
        case .partial(nil):
            if let end = try await endOfStoredSession(operation) { throw end }
            return .restored
        case .full(let redirectURI):
            guard try await endOfStoredSession(operation) != nil else { return .restored }
            // A page in the browser may stay open indefinitely.
            revoker.sendInBackground()
            // The person may be back from the page of a process that was killed.
            let former = keeper.snapshot.generation
            await browser.waitForCallbacks()
            if isLoggedIn, keeper.snapshot.generation != former { return .signedIn }
            return try await browser.signIn(redirectURI: redirectURI)
        }
    }

    /// Continues with the stored session. Neither a missing network nor an answer that says nothing about the session ends
    /// it: it is renewed at its next use, and until then ``renewalFailure`` has the error.
    /// - Returns: nil if it continues; otherwise the error that says how it ended.
    /// - Throws: ``WalletError`` if that cannot be known right now.
    private func endOfStoredSession(_ operation: WalletError.Operation) async throws -> WalletError? {
        try await keeper.load()
        await appleCredentials.check()
        do {
            _ = try await tokens.ticket(of: nil, during: operation)
            return nil
        } catch let error as WalletError {
            switch error.outcome {
            case .signedOut, .keyLost: return error
            case .storeUnavailable: throw error
            case .misconfigured where error.code == .keysUnavailable: throw error
            default: return keeper.snapshot.holding == nil ? error : nil
            }
        }
    }

    private func isNew(_ response: OAuthCodeResponse) async throws -> Bool {
        guard let code = try? AuthorizationCode(response.code) else { return true }
        return try await !keeper.change { $0.hasSent(code) }
    }

    private func redeem(_ response: OAuthCodeResponse, _ operation: WalletError.Operation) async throws {
        let request: CodeRedemption.Request
        do {
            request = CodeRedemption.Request(
                code: try AuthorizationCode(response.code), verifier: response.challenge.verifier,
                redirectURI: try response.redirectURI.map { try RedirectURI($0.absoluteString) },
                nonce: try response.nonce.map { try Nonce($0) }, scopes: configuration.scopes,
                key: try await keyForSignIn(), login: nil)
        } catch let malformed as MalformedValue {
            throw WalletError(
                .invalidConfiguration, .misconfigured, during: operation,
                reason: "the code response is malformed: \(malformed)")
        }
        try await redemption.redeem(request, during: operation)
    }

    func keyForSignIn() async throws -> BoundKey? {
        try await binding.keyForSignIn(at: try await discovery.metadata())
    }
}
