import Foundation
import WalletAuthWire

extension WalletCore {
    func received(_ url: URL) async throws {
        // The person may be back from the page of a consent. The call that opened the page waits for this.
        if consentPages.returns.receive(url) { return }
        defer { revoker.sendBeside() }
        try await during(.signIn) {
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

    func stepUp(to requirements: AuthenticationRequirements) async throws -> Wallet.SetUpOutcome {
        let outcome = try await during(.stepUp) { () -> Wallet.SetUpOutcome in
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
            let ending = try await browser.signIn(
                redirectURI: redirectURI,
                stepUp: BrowserSignIn.StepUp(
                    requirements: requirements, owner: session.owner,
                    authenticatedAt: session.authentication?.authenticatedAt))
            return switch ending {
            case .signedIn: .signedIn
            case .opened: .awaitingCallback
            }
        }
        revoker.sendBeside()
        return outcome
    }

    private static func token(in url: URL) -> String? {
        [url.fragment(percentEncoded: true), url.query(percentEncoded: true)].lazy
            .compactMap { $0.flatMap { try? FormParameters(parsing: $0) }?["access_token"] }.first
    }

    func callback(_ url: URL) async throws -> Wallet.VerifiedCode {
        try await during(.signIn) {
            switch try await receiver.receive(url, during: .signIn) {
            case .code(let code, let login):
                guard let redirectURI = URL(string: login.redirectURI.rawValue) else {
                    throw MalformedValue(field: "redirect_uri", reason: "is not a URL")
                }
                return Wallet.VerifiedCode(
                    code: code, verifier: login.verifier, redirectURI: redirectURI, state: login.state.rawValue,
                    nonce: login.nonce, scopes: login.scopes)
            case .repeated:
                throw WalletError(
                    .codeAlreadyUsed, .refused, during: .signIn, reason: "this response has already been used")
            }
        }
    }

    func authenticate(code: Wallet.VerifiedCode) async throws {
        try await during(.authenticate) {
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
        revoker.sendBeside()
    }

    func authenticate(accessToken: String, expiresAt: Date?) async throws {
        try await during(.authenticate) {
            try await external.begin(accessToken, expiresAt: expiresAt)
        }
        revoker.sendBeside()
    }

    func updateToken(_ token: String, expiresAt: Date?) async throws {
        try await during(.authenticate) {
            try await external.update(token, expiresAt: expiresAt)
        }
    }

    func login(
        username: String, password: String, strength: Wallet.LoginStrength, extras: LoginExtras
    ) async throws -> LoginOutcome {
        let outcome = try await during(.loginByUsernamePassword) {
            try await nativeLogin.begin(
                username: username, password: password, strength: strength.forNativeLogin, extras: extras)
        }
        revoker.sendBeside()
        return outcome
    }

    func login(
        username: String, accountPIN: String, strength: Wallet.LoginStrength, extras: LoginExtras
    ) async throws -> LoginOutcome {
        let outcome = try await during(.loginByAccountPIN) {
            try await nativeLogin.begin(
                username: username, accountPIN: accountPIN, strength: strength.forNativeLogin, extras: extras)
        }
        revoker.sendBeside()
        return outcome
    }

    func login(nonce: String, purpose: String, extras: LoginExtras) async throws -> LoginOutcome {
        let outcome = try await during(.loginByNonce) {
            try await nativeLogin.begin(nonce: nonce, purpose: purpose, extras: extras)
        }
        revoker.sendBeside()
        return outcome
    }

    func federatedNonce() async throws -> FederatedNonce {
        try await during(.loginByFederatedIdentity) { try await nativeLogin.federatedNonce() }
    }

    func login(
        _ identity: FederatedIdentity, strength: Wallet.LoginStrength, extras: LoginExtras
    ) async throws -> LoginOutcome {
        let outcome = try await during(.loginByFederatedIdentity) {
            try await nativeLogin.begin(identity, strength: strength.forNativeLogin, extras: extras)
        }
        revoker.sendBeside()
        return outcome
    }

    func login(
        _ credential: AppleCredential, provider: String, strength: Wallet.LoginStrength, extras: LoginExtras
    ) async throws -> LoginOutcome {
        appleCredentials.begin()
        let outcome = try await during(.loginByApple) {
            try await nativeLogin.begin(
                credential, provider: provider, strength: strength.forNativeLogin, extras: extras)
        }
        revoker.sendBeside()
        return outcome
    }

    func createAccount(_ account: NewAccount, for guest: LoginContinuation) async throws -> LoginOutcome {
        let outcome = try await during(guest.attempt.operation) {
            try await nativeLogin.createAccount(account, for: guest)
        }
        revoker.sendBeside()
        return outcome
    }

    func recover(username: String) async throws -> RecoveryChallenge {
        try await during(.recover) { try await nativeLogin.recover(username: username) }
    }

    func checkRegistration(provider: String?) async throws {
        try await during(.checkRegistration) { try await nativeLogin.checkRegistration(provider: provider) }
    }

    func signInKeyThumbprint() async throws -> String? {
        try await during(.loginByNonce) { try await keyForSignIn()?.thumbprint.rawValue }
    }

    func register(mfa: MFAChallenge, answer: String) async throws -> Wallet.Registration {
        let attempt = mfa.continuation.attempt
        let login = try await during(attempt.operation) { try await mfa.answer(answer) }
        guard case .authenticated = login else { return Wallet.Registration(login: login, link: .signInUnfinished) }
        guard configuration.linksDevice else { return Wallet.Registration(login: login, link: .notWanted) }
        do {
            let device = try await during(.enrollDevice) {
                try await enroller.enroll(
                    name: configuration.deviceName ?? DevicePlatform.usualName, platform: DevicePlatform.here,
                    username: attempt.username)
            }
            return Wallet.Registration(login: login, link: .linked(device))
        } catch let error as WalletError {
            return Wallet.Registration(login: login, link: .failed(error))
        }
    }

    func changePassword(current: String?, new: String) async throws {
        try await during(.changePassword) {
            let request: PasswordChangeRequest
            do {
                request = PasswordChangeRequest(
                    currentPassword: try current.map { try Password($0) }, newPassword: try Password(new))
            } catch {
                throw WalletError(.badRequest, .refused, during: .changePassword, reason: "\(error)")
            }
            _ = try await sessionCalls.send(
                .put, Endpoints.accountPassword.path, request.json, during: .changePassword)
        }
    }

    /// Removes an enrollment from this device, and its keys with it; where it is the session's, the session is over.
    /// - Returns: whether the enrollment was here.
    @discardableResult
    func forgetEnrollment(_ id: DeviceID) async throws -> Bool {
        guard let removed = try await enroller.enrollments.remove(id) else { return false }
        await enroller.dropKeys(of: removed)
        if keeper.snapshot.holding?.session.owner.subject == removed.account.rawValue { _ = try await logout() }
        return true
    }

    func authenticationDetails(
        brandIdentity: String, request: Wallet.AuthenticationDetailsRequest
    ) async throws -> Wallet.AuthenticationDetails {
        try await during(.authenticationDetails) {
            let brand: BrandID
            let wire: AuthenticationDetailsRequest
            do {
                brand = try BrandID(brandIdentity)
                wire = try request.wire
            } catch {
                throw WalletError(
                    .invalidConfiguration, .misconfigured, during: .authenticationDetails,
                    reason: "the request is malformed: \(error)")
            }
            let page = try await detailsCall.page(of: brand, request: wire, verifier: request.codeVerifier)
            return Wallet.AuthenticationDetails(authenticationURL: page.url, expiresIn: page.expiresIn)
        }
    }

    /// Signs out here first, then tells the server, once.
    func logout() async throws -> Wallet.LogoutOutcome {
        // In memory at once; the rest is carried through even when the caller is cancelled.
        let session = keeper.signOutInMemory()
        let stored = try await signOutInStore(of: session)
        await revoker.countDropped()
        switch (stored, session.flatMap { StoredSessions.QueuedRevocation($0) }) {
        case (.queued(let revocation), _): return Wallet.LogoutOutcome(await revoke(revocation))
        case (.nobody, let revocation?): return await outcome(ofEarlierSignOut: revocation)
        case (.full(let own, let earlier), _): return await revokeUnqueued(own, earlier)
        case (.nobody, nil):
            _ = await sendQueuedRevocations()
            return .notSignedIn
        }
    }

    /// Removes the session from the store, and what belongs to it, before anything is sent.
    /// - Throws: ``WalletError`` with code `store_unavailable`.
    private func signOutInStore(of session: Session?) async throws -> SessionKeeper.StoredSignOut {
        let stored = await Task { [self] in
            await revoker.holding { () -> Result<SessionKeeper.StoredSignOut, any Error> in
                let stored: Result<SessionKeeper.StoredSignOut, any Error>
                do { stored = .success(try await keeper.signOutInStore(of: session)) } catch {
                    stored = .failure(error)
                }
                // A consent that cannot be removed belongs to no session any more, so no other session sees it.
                try? await consents.removeAll()
                await logoutHooks.run()
                return stored
            }
        }.value
        do { return try stored.get() } catch {
            diagnosticsLog.note(.logout, WalletError.Code.storeUnavailable.rawValue)
            throw WalletError.wrap(error, .logout)
        }
    }

    /// The outcome if another call, or another process, has signed out meanwhile: its revocation may be answered or wait.
    private func outcome(ofEarlierSignOut revocation: StoredSessions.QueuedRevocation) async -> Wallet.LogoutOutcome {
        if await isQueued(revocation) { return Wallet.LogoutOutcome(await revoke(revocation)) }
        return revoker.answer(to: revocation).map { Wallet.LogoutOutcome($0) } ?? .notSignedIn
    }

    /// Sends the revocations that the full store has no room for, each once, within five seconds for the session's own.
    private func revokeUnqueued(
        _ own: StoredSessions.QueuedRevocation?, _ earlier: [StoredSessions.QueuedRevocation]
    ) async -> Wallet.LogoutOutcome {
        var answer: Revoker.Outcome?
        if let own {
            answer = await time.within(.seconds(5)) { [revoker] in await revoker.sendUnqueued(own) } ?? nil
        }
        await time.within(.seconds(5)) { [revoker] in
            for revocation in earlier { _ = await revoker.sendUnqueued(revocation) }
        }
        return own == nil ? .notSignedIn : Wallet.LogoutOutcome(answer)
    }

    /// Has the server revoke one session, and then the others that wait, within five seconds.
    /// - Returns: the server's answer; nil if the server has yet to learn of this session, or of one that it replaced.
    private func revoke(_ revocation: StoredSessions.QueuedRevocation) async -> Revoker.Outcome? {
        await time.within(.seconds(5)) { [revoker] in await revoker.send(revocation) }
        // The limit may have ended only the wait for the others.
        let answer = revoker.answer(to: revocation)
        guard answer == .revoked else { return answer }
        let isComplete = try? await keeper.change { record in
            !record.revocations.contains { $0.token != revocation.token && $0.mayShareSession(with: revocation) }
        }
        return isComplete ?? true ? answer : nil
    }

    private func isQueued(_ revocation: StoredSessions.QueuedRevocation) async -> Bool {
        let queued = try? await keeper.change { record in record.revocations.contains { $0.token == revocation.token } }
        return queued ?? false
    }

    /// Tells the server what earlier sign-outs left to be told.
    func sendQueuedRevocations() async -> Bool {
        await time.within(.seconds(5)) { [revoker] in (try? await revoker.send()) ?? false } ?? false
    }
}

extension Wallet.LogoutOutcome {
    /// - Parameter answer: the server's; nil if it has yet to learn of the sign-out.
    fileprivate init(_ answer: Revoker.Outcome?) {
        self =
            switch answer {
            case .revoked: .revoked
            case .refused: .refused
            case .notOffered: .notOffered
            case nil: .queued
            }
    }
}
