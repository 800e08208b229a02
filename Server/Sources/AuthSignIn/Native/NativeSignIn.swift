package import AuthCallers
internal import AuthCore
internal import AuthCredentials
package import AuthFoundation
internal import AuthStore
package import WalletAuthWire

/// Native sign-in without a browser (OAuth 2.0 for First-Party Applications), for first-party clients with a DPoP key.
///
/// This folder owns native sign-in by every login method, and login nonces. It does not own the credentials (`AuthCredentials`), the
/// required actions (`RequiredActions`) or the gate (`Gate`), which it shares with the pages (`Pages`).
package struct NativeSignIn: Sendable {
    package let context: ServerContext

    package init(context: ServerContext) { self.context = context }

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
        /// Identifies the proof of the first step if it may open only one session.
        var grantID: [UInt8]?

        /// Whether a step may name this merchant: only the one of the previous step, or the one being chosen.
        func allows(_ merchant: MerchantID?, _ continuation: Continuation) -> Bool {
            if case .chooseMerchant(let chosen) = continuation, pending.need == .merchant { return merchant == chosen }
            return merchant == self.merchant
        }
    }

    private var sessions: SealedState<Session> {
        SealedState(context: context, purpose: .signIn, label: "auth-session", lifetime: PendingSignIn.lifetime)
    }

    var requiredActions: RequiredActions { RequiredActions(context: context) }

    /// One call whose client and proof are verified.
    struct Call: Sendable {
        var intent: SignInIntent
        var thumbprint: JWKThumbprint
        /// The additional attributes that the app requests.
        var requestedAttributes: [String]
        var now: Timestamp
    }

    /// The authorize-challenge endpoint.
    /// - Parameter proof: the DPoP proof. It is required, because session and code are bound to its key.
    package func challenge(
        _ request: AuthorizeChallengeRequest, proof: PresentedProof, origin: RequestOrigin
    ) async throws -> NativeSignInOutcome {
        let now = context.clock.now()
        let call: Call
        switch try await check(Opening(request), proof: proof, origin: origin, now: now) {
        case .success(let checked): call = checked
        case .failure(let refusal): return .invalid(refusal)
        }
        switch request.step {
        case .begin(.password(let login)): return try await signIn(login, call: call)
        case .begin(.pin(let login)): return try await signIn(login, call: call)
        case .begin(.nonce(let login)): return try await signIn(login, call: call)
        case .begin(.deviceToken(let login)): return try await signIn(login, call: call)
        case .begin(.federatedIdentity(let login)): return try await signIn(login, call: call)
        case .begin(.recovery(let login)): return try await recover(login, call: call)
        case .proceed(let session, let continuation) where continuation.isOfRecovery:
            return try await proceedRecovery(session, continuation, call: call)
        case .proceed(let session, let continuation):
            guard let opened = sessions.open(session.reveal(), now: now), opened.client == request.clientID,
                opened.thumbprint == call.thumbprint, opened.challenge == request.codeChallenge,
                opened.scope == call.intent.scope, opened.allows(call.intent.merchant, continuation),
                !opened.pending.isOver(at: now)
            else { return .refused(.invalidSession) }
            var call = call
            call.intent.requiredACR = opened.requiredACR ?? []
            call.intent.grantID = opened.grantID
            return try await proceed(opened.pending, continuation, call: call)
        }
    }

    /// Checks the requirements of every step: a first-party client, an allowed scope, and a fresh proof.
    func check(
        _ request: Opening, proof: PresentedProof, origin: RequestOrigin, now: Timestamp
    ) async throws -> Result<Call, OAuthRefusal> {
        let checked: CheckedProof
        switch ProofOfPossession(context: context).check(proof, now: now) {
        case .failure(let refusal): return .failure(refusal)
        case .success(nil): return .failure(.invalidDPoPProof("Native sign-in needs a DPoP proof."))
        case .success(let proof?): checked = proof
        }
        guard let client = try await context.clients.find(request.clientID, now: now) else {
            return .failure(.invalidClient)
        }
        guard client.isFirstParty, client.kind == .public else { return .failure(.unauthorizedClient) }
        let scope = request.scope.flatMap { $0.isEmpty ? nil : $0 } ?? client.scope
        guard scope.isSubset(of: client.scope) else { return .failure(.invalidScope) }
        // Replaying a request must not try its password again.
        guard context.replays.remember(checked.digest, life: DPoPNonces.life, now: now) else {
            return .failure(.invalidDPoPProof("The proof has already been used."))
        }
        let intent = SignInIntent(
            client: client, redirectURI: nil, challenge: request.codeChallenge, scope: scope, nonce: nil,
            keyThumbprint: checked.thumbprint.bytes, merchant: request.merchantID, resources: [],
            requiredACR: request.acrValues, entrance: .native, properties: request.properties, origin: origin)
        return .success(
            Call(
                intent: intent, thumbprint: checked.thumbprint, requestedAttributes: request.requestedAttributes,
                now: now))
    }

    private func signIn(_ login: PasswordLogin, call: Call) async throws -> NativeSignInOutcome {
        let device = try await DeviceRecognition(context: context).device(
            login.deviceID, proof: login.deviceProof, thumbprint: call.thumbprint,
            challenge: call.intent.challenge, client: call.intent.client.id, now: call.now)
        let outcome = try await PasswordVerification(context: context).verifyToSignIn(
            login.password, username: login.username, brand: try call.intent.client.accountBrand,
            device: device.map { .enrolled($0) } ?? .key(call.thumbprint.bytes, of: call.intent.client.id),
            origin: call.intent.origin, now: call.now)
        switch outcome {
        case .deviceSuspended: return .refused(.deviceSuspended)
        case .deviceDeactivated: return .refused(.deviceDeactivated)
        case .invalid: return .refused(.invalidCredentials)
        case .deactivated: return .refused(.walletDeactivated)
        case .tooManyAttempts(let seconds): return .refused(.tooManyAttempts(retryAfter: seconds))
        case .busy(let seconds): return .refused(.busy(retryAfter: seconds))
        case .verified(let account):
            // A proof by another account's device counts for nothing.
            let own = device.flatMap { $0.accountID == account.id ? $0 : nil }
            let factors = SignInPolicy.Factors(
                securityVersion: account.securityVersion,
                amr: [AuthenticationStrength.password] + (own.map { [$0.keyStorage.method] } ?? []),
                authTime: call.now)
            var call = call
            if let own {
                call.intent.device = own.id
                call.intent.isDeviceProved = true
            } else {
                call.intent.device = try await unnamedDevice(of: account.id, call: call)
            }
            return try await finish(account.id, factors: factors, call: call)
        }
    }

    /// The enrolled device with this sign-in's key, if the app omitted its enrollment. Its state applies, but its key is no factor.
    func unnamedDevice(of account: UniqueID, call: Call) async throws -> UniqueID? {
        let thumbprint = call.thumbprint.bytes
        let device = try await context.database.read { try Devices.find(dpopKey: thumbprint, of: account, on: $0) }
        return device.flatMap { $0.state == .removed ? nil : $0.id }
    }

    private func signIn(_ login: PINLogin, call: Call) async throws -> NativeSignInOutcome {
        switch try await assertedSignIn(login.assertion, on: login.deviceID, call: call) {
        case .refused(let refusal): return .refused(refusal)
        case .proven(let account, _, let factors, let call):
            return try await finish(account.id, factors: factors, call: call)
        }
    }

    private func proceed(
        _ pending: PendingSignIn, _ continuation: Continuation, call: Call
    ) async throws -> NativeSignInOutcome {
        guard let id = pending.accountID else { return .refused(.invalidSession) }
        var call = call
        call.intent.device = pending.deviceID
        call.intent.isDeviceProved = pending.factors.haveDeviceKey
        switch (pending.need, continuation) {
        case (.newPassword, .newPassword(let password)):
            return try await setPassword(password, pending, of: id, call: call)
        case (.emailCode, .emailCode(let code)):
            return try await confirm(code, pending, of: id, call: call)
        case (.emailCode, .resendEmail):
            guard let account = try await requiredActions.account(of: pending, need: .emailCode) else {
                return .refused(.invalidSession)
            }
            let sent = try await EmailCodes(context: context).send(to: account, now: call.now)
            return .refused(.emailUnverified(try session(pending, call: call), sent.told))
        case (.instanceCode, .appInstanceCode(let code)):
            guard let (_, device) = try await requiredActions.device(of: pending) else {
                return .refused(.invalidSession)
            }
            switch try await InstanceCodes(context: context)
                .confirm(code, device: device, origin: call.intent.origin, now: call.now)
            {
            case .confirmed: return try await finish(id, factors: pending.factors, call: call)
            case .wrong, .tooManyAttempts: return .refused(.invalidInstanceCode(try session(pending, call: call)))
            }
        case (.instanceCode, .resendAppInstanceCode):
            guard let (account, device) = try await requiredActions.device(of: pending) else {
                return .refused(.invalidSession)
            }
            let sent = try await InstanceCodes(context: context).send(to: account, device: device, now: call.now)
            return .refused(.appInstanceUnverified(try session(pending, call: call), sent.told))
        // The request names the merchant by now, and the gate checks it.
        case (.merchant, .chooseMerchant): return try await finish(id, factors: pending.factors, call: call)
        case (.secondFactor, .mfa(let token, let answer)):
            return try await verify(answer, token: token, pending, call: call)
        case (.secondFactor, .chooseFactor(let kind)):
            return try await choose(kind, pending, call: call)
        case (.secondFactor, .resendFactor):
            guard let (prompts, factor) = try await prompts(pending, call: call) else {
                return .refused(.invalidSession)
            }
            return try asked(try await prompts.resend(factor), pending, call: call)
        default:
            return .invalid(.invalidRequest("The sign-in is not waiting for this step."))
        }
    }

    private func setPassword(
        _ password: Password, _ pending: PendingSignIn, of id: UniqueID, call: Call
    ) async throws -> NativeSignInOutcome {
        let outcome = try await requiredActions.setPassword(
            password, for: pending, origin: call.intent.origin, now: call.now)
        switch outcome {
        case .changed(let factors): return try await finish(id, factors: factors, call: call)
        case .unacceptable(let fault):
            return .refused(.passwordUnacceptable(try session(pending, call: call), fault))
        case .over: return .refused(.invalidSession)
        case .busy(let seconds): return .refused(.busy(retryAfter: seconds))
        }
    }

    private func confirm(
        _ code: EmailCode, _ pending: PendingSignIn, of id: UniqueID, call: Call
    ) async throws -> NativeSignInOutcome {
        guard let account = try await requiredActions.account(of: pending, need: .emailCode) else {
            return .refused(.invalidSession)
        }
        guard
            try await EmailCodes(context: context)
                .confirm(code, for: account, origin: call.intent.origin, now: call.now)
        else { return .refused(.invalidEmailCode(try session(pending, call: call))) }
        let factors = try await requiredActions.factors(of: pending, afterEmailOf: account)
        return try await finish(id, factors: factors, call: call)
    }

    private func choose(
        _ kind: FactorKind, _ pending: PendingSignIn, call: Call
    ) async throws -> NativeSignInOutcome {
        guard let (prompts, factor) = try await prompts(pending, call: call) else {
            return .refused(.invalidSession)
        }
        guard prompts.kinds.contains(kind) else {
            return .invalid(.invalidRequest("The account has no such factor."))
        }
        return try asked(try await prompts.choose(kind, for: factor), pending, call: call)
    }

    /// Passes the gate.
    func finish(
        _ id: UniqueID, factors: SignInPolicy.Factors, call: Call
    ) async throws -> NativeSignInOutcome {
        switch try await SignInGate(context: context).admit(id, factors: factors, intent: call.intent, now: call.now) {
        case .admitted(let admission):
            let code = try await AuthorizationCodes(context: context).code(for: admission)
            let attributes = try await AdditionalAttributes(context: context)
                .of(admission.account, device: call.intent.device, requested: call.requestedAttributes)
            return .authorized(AuthorizeChallengeResponse(authorizationCode: code, additionalAttributes: attributes))
        case .merchantRequired(let merchants, _):
            let pending = PendingSignIn(.merchant, account: id, factors: factors, device: call.intent.device)
            return .refused(.merchantRequired(try session(pending, call: call), merchants))
        // Only first-party clients get here, and they need no consent. A page can ask for it.
        case .consentRequired: return .refused(.redirectToWeb)
        case .refused(let decision, let account):
            switch decision {
            case .admit, .unknown, .changed: return .refused(.invalidCredentials)
            case .deactivated: return .refused(.walletDeactivated)
            case .recoveryUnavailable:
                if let account {
                    _ = try await AbandonedRecovery(context: context, now: call.now).warn(account, due: call.now)
                }
                return .refused(.recoveryUnavailable)
            case .secondFactorRequired: return try await askSecondFactor(account, factors: factors, call: call)
            case .passwordChangeRequired:
                let pending = PendingSignIn(.newPassword, account: id, factors: factors, device: call.intent.device)
                return .refused(.passwordChangeRequired(try session(pending, call: call)))
            case .emailUnverified:
                var sending: CodeSending?
                if let account {
                    sending = try await EmailCodes(context: context).send(to: account, now: call.now).told
                }
                let pending = PendingSignIn(.emailCode, account: id, factors: factors, device: call.intent.device)
                return .refused(.emailUnverified(try session(pending, call: call), sending))
            case .deviceSuspended: return .refused(.deviceSuspended)
            case .deviceDeactivated: return .refused(.deviceDeactivated)
            case .appInstanceUnverified:
                let pending = PendingSignIn(.instanceCode, account: id, factors: factors, device: call.intent.device)
                var sending: CodeSending?
                if let (account, device) = try await requiredActions.device(of: pending) {
                    sending = try await InstanceCodes(context: context)
                        .send(to: account, device: device, now: call.now).told
                }
                return .refused(.appInstanceUnverified(try session(pending, call: call), sending))
            case .merchant(let fault): return .refused(.merchant(fault))
            // A sign-in on a page may reach the required class.
            case .merchantMissing, .unmetACR: return .refused(.redirectToWeb)
            }
        }
    }

    func session(_ pending: PendingSignIn, call: Call) throws -> AuthSession {
        try AuthSession(
            sessions.seal(
                Session(
                    pending: pending, client: call.intent.client.id, thumbprint: call.thumbprint,
                    challenge: call.intent.challenge, scope: call.intent.scope, merchant: call.intent.merchant,
                    requiredACR: call.intent.requiredACR, grantID: call.intent.grantID), now: call.now))
    }
}
