import Foundation
import WalletAuthTransport
import WalletAuthWire

/// Signs in through an external user agent: the code flow with PKCE (RFC 8252, RFC 7636).
struct BrowserSignIn: Sendable {
    let configuration: Wallet.Configuration
    let clientID: ClientID
    let userAgent: any UserAgent
    let keeper: SessionKeeper
    let discovery: ServerDiscovery
    let binding: DeviceBinding
    let receiver: CallbackReceiver
    let redemption: CodeRedemption
    /// The sign-ins whose page is open in this process. An answer through the app's URL handler ends the wait for the
    /// page.
    private let open = LockedValue<[OAuthState: AsyncStream<Void>.Continuation]>([:])
    /// Answers being processed. If one arrives through two channels at once, it is processed once, and both learn the
    /// result.
    private let finishing = LockedValue<[OAuthState: SingleFlight<Void>]>([:])

    /// A sign-in that a call requires, and the account it must be for.
    struct StepUp: Sendable {
        var requirements: AuthenticationRequirements
        var owner: TokenOwner
        /// When the person last signed in; nil if the server did not say.
        var authenticatedAt: Instant?
        /// The ID token of the session; nil if the server issued none.
        var idToken: IDToken?
        /// The person's user name for the form; nil if the app does not know it.
        var loginHint: String?
    }

    /// Opens the page and waits for the person.
    /// - Parameters:
    ///   - redirectURI: where the page redirects to.
    ///   - stepUp: the requirements of the call; nil for an ordinary sign-in.
    func signIn(redirectURI: URL, stepUp: StepUp? = nil) async throws -> Wallet.SetUpOutcome {
        let metadata = try await discovery.metadata()
        guard let endpoint = metadata.authorizationURL else {
            throw WalletError(
                .unsupportedByServer, .misconfigured, during: .signIn, reachedServer: true,
                reason: metadata.authorizationFault ?? "the server has no authorization endpoint")
        }
        let key = try await binding.keyForSignIn(at: metadata)
        let conversation = try await userAgent.begin(redirectURI: redirectURI)
        let login: PendingLogin
        let page: URL
        do {
            (login, page) = try prepare(
                endpoint, key, conversation.redirectURI, stepUp,
                // What other servers make of an expired one is not known. The person who signs in there is checked afterwards.
                hint: metadata.keepsRefreshAttempts ? stepUp?.idToken : nil, prompt: prompt(at: metadata, for: stepUp))
            try await keeper.change { $0.begin(login) }
        } catch {
            await conversation.close()
            throw error
        }
        do {
            let ending = try await present(page, login, conversation)
            await conversation.close()
            return ending
        } catch {
            await conversation.close()
            _ = try? await keeper.change { $0.take(login.state) }
            throw error
        }
    }

    /// Redeems the code in a callback URL.
    func finish(_ url: URL, during operation: WalletError.Operation) async throws {
        guard let state = Self.state(of: url) else { return try await finishAlone(url, operation) }
        let flight = finishing.withLock { finishing in
            let flight = finishing[state] ?? SingleFlight<Void>(.outlivesItsCallers)
            finishing[state] = flight
            return flight
        }
        defer { finishing.withLock { $0[state] = flight.isFlying ? flight : nil } }
        try await flight.run { [self] in try await finishAlone(url, operation) }
    }

    /// Waits for the callbacks that are being processed: one of them may sign the person in.
    func waitForCallbacks() async {
        for flight in finishing.withLock({ Array($0.values) }) { await flight.join() }
    }

    private static func state(of url: URL) -> OAuthState? {
        let form = try? FormParameters(parsing: url.query(percentEncoded: true) ?? "")
        return form?["state"].flatMap { try? OAuthState($0) }
    }

    private func finishAlone(_ url: URL, _ operation: WalletError.Operation) async throws {
        switch try await receiver.receive(url, during: operation) {
        case .repeated:
            // Harmless if the first attempt succeeded; otherwise its code is spent.
            if keeper.snapshot.holding == nil {
                throw WalletError(
                    .signInInterrupted, .refused, during: operation,
                    reason: "this callback was used before and led to no session; sign in again")
            }
        case .code(let code, let login):
            try await redeem(code, login, operation)
            open.withLock { $0.removeValue(forKey: login.state) }?.finish()
        }
    }

    private func redeem(
        _ code: AuthorizationCode, _ login: PendingLogin, _ operation: WalletError.Operation
    ) async throws {
        guard let verifier = login.verifier else {
            throw WalletError(
                .wrongSignInMode, .misconfigured, during: operation,
                reason: "the app kept the verifier of this sign-in: use authentication.callback(_:)")
        }
        try await redemption.redeem(
            CodeRedemption.Request(
                code: code, verifier: verifier, redirectURI: login.redirectURI, nonce: login.nonce,
                scopes: login.scopes, key: try await key(for: login), login: login, owner: login.stepUp?.owner),
            during: operation)
    }

    /// The key to redeem a code with. Without one nothing is sent, so the sign-in becomes pending again.
    private func key(for login: PendingLogin) async throws -> BoundKey? {
        do { return try await binding.keyForSignIn(at: try await discovery.metadata()) } catch {
            try await keeper.change { $0.begin(login) }
            throw error
        }
    }

    /// The `prompt` to send: the app's choice, or what standard servers need: the consent without which they drop
    /// `offline_access` (OpenID Connect Core §11), and the sign-in that some do not show for `max_age` 0 alone.
    private func prompt(
        at metadata: ServerDiscovery.Metadata, for stepUp: StepUp?
    ) -> [AuthorizationRequest.Prompt] {
        if let chosen = configuration.prompt { return chosen }
        if metadata.keepsRefreshAttempts { return [] }
        var needed: [AuthorizationRequest.Prompt] = []
        if stepUp?.requirements.maximumAge == 0 { needed.append(.login) }
        if configuration.scopes.contains("offline_access") { needed.append(.consent) }
        return needed.filter { metadata.promptValues.isEmpty || metadata.promptValues.contains($0.rawValue) }
    }

    private func prepare(
        _ endpoint: URL, _ key: BoundKey?, _ redirectURI: URL, _ stepUp: StepUp?, hint: IDToken?,
        prompt: [AuthorizationRequest.Prompt]
    ) throws -> (PendingLogin, URL) {
        let redirect = try RedirectURI(redirectURI.absoluteString)
        let challenge = OAuthCodeChallenge()
        let scopes = configuration.scopes
        let state = try OAuthState(Randomness.token())
        let nonce = scopes.contains("openid") ? try Nonce(Randomness.token()) : nil
        var request = AuthorizationRequest(
            clientID: clientID, redirectURI: redirect, codeChallenge: challenge.challenge,
            scope: try Scope(tokens: scopes), state: state)
        request.nonce = nonce
        request.prompt = prompt
        request.uiLocales = configuration.locales.compactMap { try? LocaleTag($0) }
        request.merchantID = try stepUp?.owner.merchant ?? configuration.merchantID.map { try MerchantID($0) }
        request.dpopKeyThumbprint = key?.thumbprint
        request.acrValues = stepUp?.requirements.acrValues ?? []
        request.maxAge = stepUp?.requirements.maximumAge
        request.idTokenHint = hint
        request.loginHint = stepUp?.loginHint
        let query = request.form.encoded
        let separator = endpoint.query() == nil ? "?" : "&"
        guard let page = URL(string: endpoint.absoluteString + separator + query) else {
            throw MalformedValue(field: "authorization_endpoint", reason: "is not a URL")
        }
        let login = PendingLogin(
            state: state, verifier: challenge.verifier, nonce: nonce, redirectURI: redirect, scopes: scopes,
            begunAt: keeper.clock.now,
            stepUp: stepUp.map {
                PendingLogin.StepUp(
                    owner: $0.owner, maximumAge: $0.requirements.maximumAge, authenticatedAt: $0.authenticatedAt,
                    isTimedByServer: keeper.clock.isMeasured, isNamed: hint != nil && !prompt.contains(.none))
            })
        return (login, page)
    }

    /// Shows the page until it redirects back, or until the answer arrives through the app's URL handler.
    private func present(
        _ page: URL, _ login: PendingLogin, _ conversation: any UserAgentSession
    ) async throws -> Wallet.SetUpOutcome {
        let (answered, continuation) = AsyncStream.makeStream(of: Void.self)
        open.withLock { $0[login.state] = continuation }
        defer { open.withLock { $0.removeValue(forKey: login.state) }?.finish() }
        let outcome = try await withThrowingTaskGroup(of: UserAgentOutcome?.self) { group in
            group.addTask { try await conversation.present(page) }
            group.addTask {
                for await _ in answered {}
                try Task.checkCancellation()
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
        switch outcome {
        case nil: return .signedIn
        case .opened?: return .awaitingCallback
        case .callback(let url)?:
            try await finish(url, during: login.stepUp == nil ? .signIn : .stepUp)
            return .signedIn
        }
    }
}
