internal import AuthCore
internal import AuthCredentials
internal import AuthFoundation
internal import AuthStore
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
            context: context, purpose: .signIn, label: "recovery-session", lifetime: PasswordRecovery.patience)
    }

    func recover(_ login: RecoveryLogin, call: Call) async throws -> NativeSignInOutcome {
        let device = try await DeviceRecognition(context: context).device(
            login.deviceID, proof: login.deviceProof, thumbprint: call.thumbprint,
            challenge: call.intent.challenge, client: call.intent.client.id, now: call.now)
        let begun = try await recovery(call).begin(
            login.username, brand: try call.intent.client.accountBrand,
            device: device.map { .enrolled($0) } ?? .key(call.thumbprint.bytes, of: call.intent.client.id))
        switch begun {
        case .tooManyAttempts(let seconds): return .refused(.tooManyAttempts(retryAfter: seconds))
        case .begun(let id, let prompt):
            let session = Recovering(
                recovery: id.uuid, device: device?.id.uuid, client: call.intent.client.id,
                thumbprint: call.thumbprint, challenge: call.intent.challenge, scope: call.intent.scope,
                merchant: call.intent.merchant, requiredACR: call.intent.requiredACR)
            return .refused(
                .recoveryCodeRequired(try AuthSession(recoveries.seal(session, now: call.now)), prompt))
        }
    }

    func proceedRecovery(
        _ session: AuthSession, _ continuation: Continuation, call: Call
    ) async throws -> NativeSignInOutcome {
        guard let opened = recoveries.open(session.reveal(), now: call.now),
            opened.client == call.intent.client.id, opened.thumbprint == call.thumbprint,
            opened.challenge == call.intent.challenge, opened.scope == call.intent.scope,
            opened.merchant == call.intent.merchant, let id = UniqueID(uuid: opened.recovery)
        else { return .refused(.invalidSession) }
        var call = call
        call.intent.requiredACR = opened.requiredACR
        switch continuation {
        case .recoveryAnswer(let code):
            switch try await recovery(call).answer(code, for: id) {
            case .over: return .refused(.invalidSession)
            case .wrong(let isLast): return .refused(.wrongRecoveryCode(isLast ? nil : session))
            case .proved(let account):
                return try await recovered(account, device: opened.device.flatMap(UniqueID.init(uuid:)), call: call)
            }
        case .resendRecovery:
            guard let prompt = try await recovery(call).resend(id) else { return .refused(.invalidSession) }
            return .refused(.recoveryCodeRequired(session, prompt))
        default: return .invalid(.invalidRequest("The sign-in is not waiting for this step."))
        }
    }

    /// Enters the gate after the correct code. Like for any other sign-in, the gate asks for what is missing.
    private func recovered(
        _ account: AccountRecord, device id: UniqueID?, call: Call
    ) async throws -> NativeSignInOutcome {
        var call = call
        var methods = [FactorKind.email.authenticationMethod]
        let device = try await context.database.read { connection in
            try id.flatMap { try Devices.find($0, on: connection) }
        }
        if let device, device.accountID == account.id, device.state != .removed {
            methods.append(device.keyStorage.method)
            call.intent.device = device.id
            call.intent.isDeviceProved = true
        } else {
            call.intent.device = try await unnamedDevice(of: account.id, call: call)
        }
        let factors = SignInPolicy.Factors(
            securityVersion: account.securityVersion, amr: methods, authTime: call.now, recovery: .mailbox)
        return try await finish(account.id, factors: factors, call: call)
    }

    private func recovery(_ call: Call) -> PasswordRecovery {
        PasswordRecovery(context: context, origin: call.intent.origin, now: call.now)
    }
}

extension Continuation {
    /// Whether it continues a recovery whose code is not proved yet. Such a recovery has its own kind of session.
    var isOfRecovery: Bool {
        switch self {
        case .recoveryAnswer, .resendRecovery: true
        default: false
        }
    }
}
