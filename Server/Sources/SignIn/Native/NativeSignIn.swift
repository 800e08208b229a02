internal import Core
package import Kernel
internal import Store
package import WalletAuthWire

/// Native sign-in without a browser (OAuth 2.0 for First-Party Applications), for first-party clients with a DPoP key.
package final class NativeSignIn: Sendable {
    let clock: any Clock
    let random: any RandomBytes
    let sealing: SealingKeys
    let callers: NativeCallCheck
    let engine: SignInEngine
    private let codes: AuthorizationCodes
    private let attributes: AdditionalAttributes
    let guests: GuestAccounts
    let registrations: Registrations

    init(
        clock: any Clock, random: any RandomBytes, sealing: SealingKeys, callers: NativeCallCheck, engine: SignInEngine,
        codes: AuthorizationCodes, attributes: AdditionalAttributes, guests: GuestAccounts,
        registrations: Registrations
    ) {
        self.clock = clock
        self.random = random
        self.sealing = sealing
        self.callers = callers
        self.engine = engine
        self.codes = codes
        self.attributes = attributes
        self.guests = guests
        self.registrations = registrations
    }

    /// The content of an `auth_session`: the sign-in so far, and its bindings.
    private struct Session: Codable, Sendable {
        var pending: PendingSignIn
        var client: ClientID
        var thumbprint: JWKThumbprint
        var challenge: CodeChallenge
        var scope: Scope
        var merchant: MerchantID?
        /// The ACR values of the first step; they apply to the whole sign-in.
        var requiredACR: [String]?
        /// The id shared by all codes that its answers lead to; one of them opens a session. There may be several,
        /// since a merchant, for example, can be chosen more than once.
        var grantID: [UInt8]

        /// Whether a step may name this merchant: only the one of the previous step, or the one being chosen.
        func allows(_ merchant: MerchantID?, _ continuation: Continuation) -> Bool {
            if case .chooseMerchant(let chosen) = continuation, pending.need == .merchant { return merchant == chosen }
            return merchant == self.merchant
        }
    }

    private var sessions: SealedState<Session> {
        SealedState(sealing, purpose: .signIn, label: "auth-session", lifetime: PendingSignIn.lifetime)
    }

    /// The authorize-challenge endpoint.
    /// - Parameter proof: the DPoP proof. It is required, because session and code are bound to its key.
    package func challenge(
        _ request: AuthorizeChallengeRequest, proof: PresentedProof, origin: RequestOrigin
    ) async throws -> NativeSignInOutcome {
        let now = clock.now()
        let call: NativeCall
        switch try await callers.check(NativeSignInRequest(request), proof: proof, origin: origin, now: now) {
        case .success(let checked): call = checked
        case .failure(let refusal): return .invalid(refusal)
        }
        switch request.step {
        case .begin(let login): return try await signIn(by: login, call: call)
        case .proceed(let session, let continuation):
            guard let answer = RequiredActionAnswer(continuation, call) else {
                return try await proceedRecovery(session, continuation, call: call)
            }
            guard let opened = sessions.open(session.reveal(), now: now), opened.client == request.clientID,
                opened.thumbprint == call.thumbprint, opened.challenge == request.codeChallenge,
                opened.scope == call.intent.scope, opened.allows(call.intent.merchant, continuation),
                allows(continuation, opened.pending)
            else { return .refused(.invalidSession) }
            var call = call
            call.intent.requiredACR = opened.requiredACR ?? []
            call.intent.grantID = opened.grantID
            return try await present(
                engine.fulfill(answer, of: opened.pending, for: attempt(call)), call: call)
        }
    }

    private func signIn(by login: LoginMethod, call: NativeCall) async throws -> NativeSignInOutcome {
        let method: any SignInMethod
        switch login {
        case .password(let login):
            method = PasswordMethod(
                username: login.username, password: login.password,
                device: .app(key: call.thumbprint, login.deviceID, login.deviceProof))
        case .pin(let login):
            method = DeviceAssertionMethod(
                assertion: login.assertion, deviceID: login.deviceID, key: call.thumbprint)
        case .accountPIN(let login):
            method = AccountPINMethod(
                username: login.username, pin: try? AccountPIN(login.pin.reveal()),
                device: .app(key: call.thumbprint, login.deviceID, login.deviceProof))
        case .nonce(let login):
            method = LoginNonceMethod(
                nonce: login.nonce, purpose: login.purpose,
                device: .app(key: call.thumbprint, login.deviceID, login.deviceProof), key: call.thumbprint)
        case .deviceToken(let login):
            let assertion = DeviceAssertionMethod(
                assertion: login.assertion, deviceID: login.deviceID, key: call.thumbprint)
            method = DeviceTokenMethod(token: login.token, assertion: assertion)
        case .federatedIdentity(let login):
            method = FederatedIdentityMethod(login: login, key: call.thumbprint)
        case .recovery(let login): return try await recover(login, call: call)
        case .passkey(let login):
            method = PasskeyMethod(
                response: login.assertion, use: call.passkeyUse, username: login.username,
                device: .app(key: call.thumbprint, login.deviceID, login.deviceProof))
        }
        let outcome = try await signIn(by: method, call: call)
        // The deactivated wallet has a number of its own here.
        guard case .deviceToken = login else { return outcome }
        switch outcome {
        case .refused(.walletDeactivated), .refused(.closedByHolder): return .refused(.walletDeactivatedForDeviceToken)
        default: return outcome
        }
    }

    /// Verifies a credential and passes the gate.
    func signIn(by method: any SignInMethod, call: NativeCall) async throws -> NativeSignInOutcome {
        switch try await method.verify(for: attempt(call)) {
        case .proved(let proof): return try await admit(proof, call: call)
        case .refused(let refusal): return try answer(refusal, call: call)
        }
    }

    /// Passes the gate.
    func admit(_ proof: SignInProof, call: NativeCall) async throws -> NativeSignInOutcome {
        var call = call
        call.intent.grantID = proof.grantID
        return try await present(engine.admit(proof, for: attempt(call)), call: call)
    }

    func attempt(_ call: NativeCall) throws -> SignInAttempt {
        SignInAttempt(
            checks: engine.checks, intent: call.intent, brand: try call.intent.client.accountBrand, now: call.now)
    }
}

// MARK: - Answers

extension NativeSignIn {
    private func present(_ progress: SignInProgress, call: NativeCall) async throws -> NativeSignInOutcome {
        switch progress {
        case .admitted(let admission):
            let code = try await codes.code(for: admission)
            let attributes = try await attributes.of(
                admission.account, device: admission.grant.device.flatMap { UniqueID(uuid: $0.rawValue) },
                requested: call.requestedAttributes)
            return .authorized(AuthorizeChallengeResponse(authorizationCode: code, additionalAttributes: attributes))
        case .required(let action, let pending, after: let fault):
            return .refused(try refusal(action, pending, after: fault, call: call))
        case .refused(let refusal): return try answer(refusal, call: call)
        }
    }

    private func refusal(
        _ action: RequiredAction, _ pending: PendingSignIn, after fault: AnswerFault?, call: NativeCall
    ) throws -> NativeSignInRefusal {
        switch fault {
        case .held(let seconds): return .tooManyWrongCodes(retryAfter: seconds)
        case .busy(let seconds): return .busy(retryAfter: seconds)
        case nil, .wrong, .used, .unacceptable: break
        }
        let session = try session(pending, call: call)
        switch (action, fault) {
        case (.newPassword, .unacceptable(let violation)?): return .passwordUnacceptable(session, violation)
        case (.newPassword, _): return .passwordChangeRequired(session)
        case (.emailCode, .wrong?): return .invalidEmailCode(session)
        case (.emailCode(_, let sending), _): return .emailUnverified(session, sending)
        case (.instanceCode, .wrong?): return .invalidInstanceCode(session)
        case (.instanceCode(let sending), _): return .appInstanceUnverified(session, sending)
        case (.secondFactor, .wrong?), (.secondFactor, .used?): return .wrongSecondFactor(session)
        case (.secondFactor(let prompt?), _): return .mfaRequired(session, prompt)
        case (.secondFactor(nil), _): return .invalidSession
        case (.heldFactor(let until, _), _):
            return .tooManyWrongCodes(retryAfter: RetryAfter.seconds(until: until, now: call.now))
        case (.merchant(let merchants), _): return .merchantRequired(session, merchants)
        // Only first-party clients get here, and they need no consent. A page can ask for it.
        case (.clientConsent, _): return .redirectToWeb
        }
    }

    func answer(_ refusal: SignInRefusal, call: NativeCall) throws -> NativeSignInOutcome {
        switch refusal {
        // Only pages take a hint, so the account is never an unexpected one here.
        case .invalidCredentials, .outdated, .unexpectedAccount: .refused(.invalidCredentials)
        case .device(let refusal): .refused(.device(refusal))
        case .walletDeactivated: .refused(.walletDeactivated)
        case .closedByHolder(let end): .refused(.closedByHolder(eraseAt: end))
        case .deviceTokenExpired: .refused(.deviceTokenExpired)
        case .deviceTokensNotAllowed: .refused(.deviceAuthenticationUnsupported)
        case .methodNotOffered: .refused(.loginStrategyUnavailable)
        case .passwordNeeded: .refused(.passwordNeeded)
        case .unknownProvider: .invalid(.invalidRequest("There is no such provider."))
        case .providerUnavailable: .refused(.providerUnavailable(retryAfter: ProviderFailure.retryAfter))
        case .noAccount(let identity): .refused(.noMatchingGuest(try guestSession(for: identity, call: call)))
        // The session of a recovery has its own content; see `proceedRecovery`.
        case .wrongRecoveryCode: .refused(.wrongRecoveryCode(nil))
        case .tooManyAttempts(let seconds), .networkHeld(let seconds):
            .refused(.tooManyAttempts(retryAfter: seconds))
        case .busy(let seconds): .refused(.busy(retryAfter: seconds))
        case .unavailable(let seconds): .refused(.unavailable(retryAfter: seconds))
        case .merchant(let fault): .refused(.merchant(fault))
        case .recoveryUnavailable: .refused(.recoveryUnavailable)
        case .codeUndeliverable: .refused(.codeUndeliverable)
        case .secondFactorFailed: .refused(.wrongSecondFactor(nil))
        case .expired, .over, .secondFactorOver: .refused(.invalidSession)
        case .notAsked: .invalid(.invalidRequest("The sign-in is not waiting for this step."))
        case .noSuchFactor: .invalid(.invalidRequest("The account has no such factor."))
        // A sign-in on a page may reach the required class, or ask for what is missing.
        case .unmetACR, .secondFactorUnavailable, .interactionRequired, .consentRequired,
            .providerDeclined, .providerSessionOld, .providerAnswerUsed:
            .refused(.redirectToWeb)
        }
    }

    private func session(_ pending: PendingSignIn, call: NativeCall) throws -> AuthSession {
        try AuthSession(
            sessions.seal(
                Session(
                    pending: pending, client: call.intent.client.id, thumbprint: call.thumbprint,
                    challenge: call.challenge, scope: call.intent.scope, merchant: call.intent.merchant,
                    requiredACR: call.intent.requiredACR,
                    grantID: call.intent.grantID ?? random.bytes(16)), now: call.now))
    }

    /// Whether the answer to a second factor names the factor that the sign-in waits for.
    private func allows(_ continuation: Continuation, _ pending: PendingSignIn) -> Bool {
        guard case .mfa(let token, _) = continuation, pending.need == .secondFactor else { return true }
        return token.reveal() == pending.factorID?.uuid
    }
}

extension RequiredActionAnswer {
    /// `nil` for a step of a recovery whose code is not proved yet. Such a recovery has its own kind of session.
    fileprivate init?(_ continuation: Continuation, _ call: NativeCall) {
        switch continuation {
        case .newPassword(let password): self = .newPassword(password)
        case .emailCode(let code): self = .emailCode(code)
        case .resendEmail: self = .resendEmailCode
        case .appInstanceCode(let code): self = .instanceCode(code)
        case .resendAppInstanceCode: self = .resendInstanceCode
        case .mfa(_, let answer): self = .secondFactor(answer)
        case .chooseFactor(let kind): self = .chooseFactor(kind)
        case .resendFactor: self = .resendFactor
        case .passkey(let response): self = .passkey(response, call.passkeyUse)
        case .chooseMerchant: self = .merchant
        case .recoveryAnswer, .resendRecovery: return nil
        }
    }
}

/// The response of the authorize-challenge endpoint.
package enum NativeSignInOutcome: Sendable {
    /// 200: a code, which the token endpoint redeems with the same key.
    case authorized(AuthorizeChallengeResponse)
    /// One of the states in the table of docs/protocol.md, with a session if the person can continue.
    case refused(NativeSignInRefusal)
    /// The request itself is invalid: the client, the scope or the proof.
    case invalid(OAuthRefusal)
}

/// One call whose client and proof are verified.
struct NativeCall: Sendable {
    var intent: SignInIntent
    var thumbprint: JWKThumbprint
    /// The intent's, which every app sends.
    var challenge: CodeChallenge
    /// The additional attributes that the app requests.
    var requestedAttributes: [String]
    var now: Timestamp
}

extension NativeCall {
    /// The use of a passkey's challenge in this sign-in.
    fileprivate var passkeyUse: PasskeyChallenges.Use {
        .app(client: intent.client.id, key: thumbprint, challenge: challenge)
    }
}

extension NativeSignIn {
    /// What a passkey has to sign in this sign-in.
    package func passkeyOptions(
        _ request: PasskeyOptionsRequest, proof: PresentedProof, origin: RequestOrigin
    ) async throws -> Result<PasskeyRequestOptions, OAuthRefusal> {
        let now = clock.now()
        let opening = NativeSignInRequest(clientID: request.clientID, codeChallenge: request.codeChallenge)
        let call: NativeCall
        switch try await callers.check(opening, proof: proof, origin: origin, now: now) {
        case .success(let checked): call = checked
        case .failure(let refusal): return .failure(refusal)
        }
        let passkeys = engine.checks.passkeys
        guard let party = passkeys.party else {
            return .failure(.invalidRequest(PasskeyOverview.noHostName))
        }
        return .success(
            PasskeyRequestOptions(
                relyingPartyID: party.id, challenge: try passkeys.challenges.issue(call.passkeyUse, now: now),
                timeout: PasskeyOverview.patience.wholeMilliseconds))
    }
}

/// The members that every step of a native sign-in has, at either endpoint.
struct NativeSignInRequest: Sendable {
    var clientID: ClientID
    var scope: Scope?
    var codeChallenge: CodeChallenge
    var merchantID: MerchantID?
    var acrValues: [String] = []
    var properties: [String: String] = [:]
    var requestedAttributes: [String] = []
}

extension NativeSignInRequest {
    init(_ request: AuthorizeChallengeRequest) {
        clientID = request.clientID
        scope = request.scope
        codeChallenge = request.codeChallenge
        merchantID = request.merchantID
        acrValues = request.acrValues
        properties = request.properties
        requestedAttributes = request.requestedAttributes
    }
}

/// Checks who calls, before anything of a sign-in is read.
struct NativeCallCheck: Sendable {
    let proofs: ProofOfPossession
    let clients: ClientDirectory

    /// Checks the requirements of every step: a first-party client, an allowed scope, and a fresh proof.
    func check(
        _ request: NativeSignInRequest, proof: PresentedProof, origin: RequestOrigin, now: Timestamp
    ) async throws -> Result<NativeCall, OAuthRefusal> {
        let checked: CheckedProof
        switch proofs.check(proof, now: now) {
        case .failure(let refusal): return .failure(refusal)
        case .success(nil): return .failure(.invalidDPoPProof("Native sign-in needs a DPoP proof."))
        case .success(let proof?): checked = proof
        }
        guard let client = try await clients.find(request.clientID, now: now) else {
            return .failure(.invalidClient(.unknown))
        }
        guard client.isFirstParty, client.kind == .public else { return .failure(.unauthorizedClient) }
        let scope = request.scope.flatMap { $0.isEmpty ? nil : $0 } ?? client.scope
        guard scope.isSubset(of: client.scope) else {
            return .failure(.invalidScope(scope.tokens.filter { !client.scope.contains($0) }))
        }
        // Replaying a request must not try its password again.
        if let refusal = try await proofs.use(checked, now: now) { return .failure(refusal) }
        let intent = SignInIntent(
            client: client, redirectURI: nil, challenge: request.codeChallenge, scope: scope, nonce: nil,
            keyThumbprint: checked.thumbprint.bytes, merchant: request.merchantID, resources: [],
            requiredACR: request.acrValues, entrance: .native, properties: request.properties, origin: origin)
        return .success(
            NativeCall(
                intent: intent, thumbprint: checked.thumbprint, challenge: request.codeChallenge,
                requestedAttributes: request.requestedAttributes, now: now))
    }
}
