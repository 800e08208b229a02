internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// Recovery in an app's own screens.
extension NativeSignIn {
    /// The content of a recovery's `auth_session`. It names no account, so its length reveals nothing either.
    private struct Recovering: Codable, Sendable {
        var recovery: String
        /// The enrolled device whose key was proved.
        var device: String?
        var client: ClientID
        var thumbprint: JWKThumbprint
        var challenge: CodeChallenge
        var scope: Scope
        var merchant: MerchantID?
        var requiredACR: [String]
    }

    private var recoveries: SealedState<Recovering> {
        SealedState(
            sealing, purpose: .signIn, label: "recovery-session", lifetime: PasswordRecovery.patience)
    }

    func recover(_ login: RecoveryLogin, call: NativeCall) async throws -> NativeSignInOutcome {
        let attempt = try attempt(call)
        let device = try await DeviceEvidence.app(key: call.thumbprint, login.deviceID, login.deviceProof)
            .recognized(for: attempt)
        let begun = try await attempt.checks.recoveries.begin(
            login.username, brand: attempt.brand, device: device.counted, origin: call.intent.origin, now: call.now)
        switch begun {
        case .tooManyAttempts(let seconds), .networkHeld(let seconds):
            return .refused(.tooManyAttempts(retryAfter: seconds))
        case .begun(let id, let prompt):
            let session = Recovering(
                recovery: id.uuid, device: device.enrolled?.id.uuid, client: call.intent.client.id,
                thumbprint: call.thumbprint, challenge: call.challenge, scope: call.intent.scope,
                merchant: call.intent.merchant, requiredACR: call.intent.requiredACR)
            return .refused(
                .recoveryCodeRequired(try AuthSession(recoveries.seal(session, now: call.now)), prompt))
        }
    }

    func proceedRecovery(
        _ session: AuthSession, _ continuation: Continuation, call: NativeCall
    ) async throws -> NativeSignInOutcome {
        guard let opened = recoveries.open(session.reveal(), now: call.now),
            opened.client == call.intent.client.id, opened.thumbprint == call.thumbprint,
            opened.challenge == call.challenge, opened.scope == call.intent.scope,
            opened.merchant == call.intent.merchant, let id = UniqueID(uuid: opened.recovery)
        else { return .refused(.invalidSession) }
        var call = call
        call.intent.requiredACR = opened.requiredACR
        let attempt = try attempt(call)
        switch continuation {
        case .recoveryAnswer(let code):
            let method = RecoveryCodeMethod(
                code: code, recovery: id, device: opened.device.flatMap(UniqueID.init(uuid:)))
            switch try await method.verify(for: attempt) {
            case .refused(.wrongRecoveryCode(isLast: false)): return .refused(.wrongRecoveryCode(session))
            case .refused(let refusal): return try answer(refusal, call: call)
            case .proved(let proof): return try await admit(proof, call: call)
            }
        case .resendRecovery:
            guard let prompt = try await attempt.checks.recoveries.resend(id, now: call.now) else {
                return .refused(.invalidSession)
            }
            return .refused(.recoveryCodeRequired(session, prompt))
        default: return .invalid(.invalidRequest("The sign-in is not waiting for this step."))
        }
    }
}
