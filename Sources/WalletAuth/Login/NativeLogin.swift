import Foundation
import WalletAuthTransport
import WalletAuthWire

/// Signs in without a browser (OAuth 2.0 for First-Party Applications), step by step, up to a code.
struct NativeLogin: Sendable {
    let clientID: ClientID
    let scopes: [String]
    /// The merchant that the app configured.
    let merchantID: String?
    let exchange: Exchange
    let discovery: ServerDiscovery
    let binding: DeviceBinding
    let redemption: CodeRedemption
    let enroller: DeviceEnroller
    /// Nil if this device has no passkeys.
    let passkeys: (any PasskeyAuthenticator)?
    let log: DiagnosticsLog

    /// The values that all steps of a sign-in share.
    struct Attempt: Sendable {
        /// The call that began the sign-in; every error of every step belongs to it.
        var operation: WalletError.Operation
        var challenge = OAuthCodeChallenge()
        var scopes: [String]
        var acrValues: [String] = []
        /// What the app reports and requests with the sign-in; every step sends it.
        var extras = LoginExtras()
        var key: BoundKey?
        /// The user name of the sign-in, so that a device linked afterwards is found by it.
        var username: String?
        /// The account the session must belong to, if a call required a fresh sign-in; nil for any account.
        var owner: TokenOwner?
        /// The merchant that the person chose; nil for the configured one.
        var chosenMerchant: MerchantID?
        /// Apple's identifier for the person, after Sign in with Apple.
        var appleUser: String?
    }

    /// Signs in with a user name and a secret that the server compares.
    func begin(
        _ operation: WalletError.Operation, username: String, secret typed: String, strength: Wallet.LoginStrength,
        extras: LoginExtras,
        _ method: @escaping @Sendable (Username, Password, DeviceID?, DeviceProof?) -> LoginMethod
    ) async throws -> LoginOutcome {
        let (name, secret) = try WalletError.argument(
            operation, .invalidCredentials, reason: { _ in "no account can have these credentials" }
        ) { (try Username(username), try Password(typed)) }
        let attempt = try await attempt(operation, username: username, strength: strength, extras: extras)
        let enrollment = try await enroller.enrollments.find(name)
        let outcome = try await send(attempt) { nonce in
            let (device, deviceProof) = try await proof(by: enrollment, nonce: nonce, of: attempt)
            return .begin(method(name, secret, device, deviceProof))
        }
        // The sign-in itself matters more than which account is offered first next time.
        if let enrollment {
            try? await enroller.enrollments.noteUse(of: enrollment.deviceID, at: enroller.keeper.clock.now)
        }
        return outcome
    }

    func begin(nonce: String, purpose: String, extras: LoginExtras) async throws -> LoginOutcome {
        let operation = WalletError.Operation.loginByNonce
        let login = try WalletError.argument(
            operation, .invalidCredentials, reason: { "this cannot be a nonce: \($0)" }
        ) { NonceLogin(nonce: try LoginNonce(nonce), purpose: try LoginPurpose(purpose)) }
        let attempt = try await attempt(operation, extras: extras)
        // A nonce does not name its account: the last account signed in on this device is the likely one.
        let enrollment = try await enroller.enrollments.lastUsed()
        return try await send(attempt) { nonce in
            var login = login
            (login.deviceID, login.deviceProof) = try await proof(by: enrollment, nonce: nonce, of: attempt)
            return .begin(.nonce(login))
        }
    }

    /// Proves to the server that this device is enrolled.
    /// - Returns: nil if it is not enrolled, if its key is lost, or before the server has issued a nonce.
    func proof(
        by enrollment: Enrollment?, nonce: Nonce?, of attempt: Attempt
    ) async throws -> (DeviceID?, DeviceProof?) {
        guard let enrollment, let nonce, let key = attempt.key,
            let proof = try await enroller.proof(
                for: enrollment, thumbprint: key.thumbprint, challenge: attempt.challenge.challenge, nonce: nonce)
        else { return (nil, nil) }
        return (enrollment.deviceID, proof)
    }

    /// Begins a sign-in, bound to a key if the server supports that.
    func attempt(
        _ operation: WalletError.Operation, username: String? = nil, strength: Wallet.LoginStrength = .asTheServerAsks,
        extras: LoginExtras = LoginExtras(), appleUser: String? = nil
    ) async throws -> Attempt {
        var attempt = Attempt(
            operation: operation, scopes: scopes, acrValues: strength.acrValues, extras: extras,
            key: try await binding.keyForSignIn(at: try await discovery.metadata()), username: username,
            appleUser: appleUser)
        // If a call of the signed-in account required this sign-in, another account must not replace its session.
        if case .required = strength {
            try await enroller.keeper.load()
            attempt.owner = enroller.keeper.snapshot.holding?.session.owner
        }
        return attempt
    }

    /// Sends one step.
    /// - Parameters:
    ///   - attempt: the values that the steps share.
    ///   - policy: the retry policy; a step that the server counts is sent once.
    ///   - step: creates the step from the server's current nonce. Nil before the server has issued one: the server
    ///     then asks for it before it looks at the step, and the step is created again.
    func send(
        _ attempt: Attempt, policy: RetryPolicy = .untilSent,
        _ step: @escaping @Sendable (Nonce?) async throws -> AuthorizeChallengeRequest.Step
    ) async throws -> LoginOutcome {
        try await outcome(of: answer(to: step, attempt, policy: policy), attempt)
    }

    func answer(
        to step: @escaping @Sendable (Nonce?) async throws -> AuthorizeChallengeRequest.Step, _ attempt: Attempt,
        policy: RetryPolicy
    ) async throws -> ServerAnswer {
        guard let url = try await discovery.metadata().challengeURL else {
            throw WalletError(
                .unsupportedByServer, .misconfigured, during: attempt.operation, reachedServer: true,
                reason: "the server has no endpoint for native sign-in")
        }
        let scope = try Scope(tokens: attempt.scopes)
        let merchant =
            try attempt.chosenMerchant ?? attempt.owner?.merchant ?? merchantID.map { try MerchantID($0) }
        return try await exchange.send(HTTPRequest(url), proof: attempt.key, policy: policy) {
            [clientID] request, nonce in
            let form = AuthorizeChallengeRequest(
                clientID: clientID, codeChallenge: attempt.challenge.challenge, step: try await step(nonce),
                scope: scope, merchantID: merchant, properties: attempt.extras.properties,
                requestedAttributes: attempt.extras.requestedAttributes, acrValues: attempt.acrValues
            ).form
            request.set(.form(form))
        }
    }

    /// Sends a step that requests a recovery code. It reports only that the code was sent.
    func sendForCode(
        _ attempt: Attempt, _ step: @escaping @Sendable (Nonce?) async throws -> AuthorizeChallengeRequest.Step
    ) async throws -> RecoveryChallenge {
        let answer = try await answer(to: step, attempt, policy: .untilSent)
        guard !answer.isSuccess, !answer.isTemporaryFailure, let object = try? answer.object(),
            let refusal = try? InsufficientAuthorization(object), let prompt = refusal.recovery,
            let session = refusal.authSession
        else { throw answer.failure(during: attempt.operation) }
        return RecoveryChallenge(
            prompt: prompt, continuation: LoginContinuation(login: self, session: session, attempt: attempt))
    }

    /// Interprets an answer: a session, or the next state.
    func outcome(of answer: ServerAnswer, _ attempt: Attempt) async throws -> LoginOutcome {
        guard answer.isSuccess else { return try further(answer, attempt) }
        return try await redeem(try AuthorizeChallengeResponse(try answer.object()), attempt)
    }

    private func redeem(_ response: AuthorizeChallengeResponse, _ attempt: Attempt) async throws -> LoginOutcome {
        try await redemption.redeem(
            CodeRedemption.Request(
                code: response.authorizationCode, verifier: attempt.challenge.verifier, redirectURI: nil, nonce: nil,
                scopes: attempt.scopes, key: attempt.key, login: nil, owner: attempt.owner,
                appleUser: attempt.appleUser),
            during: attempt.operation)
        let attributes = response.additionalAttributes.members.map { ($0.name, $0.value) }
        return .authenticated(additionalAttributes: Dictionary(attributes) { $1 })
    }

    /// The next state, if the person can continue; anything else is an error.
    private func further(_ answer: ServerAnswer, _ attempt: Attempt) throws -> LoginOutcome {
        guard !answer.isTemporaryFailure, let object = try? answer.object(),
            let refusal = try? InsufficientAuthorization(object)
        else { throw answer.failure(during: attempt.operation) }
        if refusal.error.code == .redirectToWeb { return .redirectToWeb }
        if refusal.error.code == .invalidSession {
            throw WalletError(
                .invalidSession, .refused, during: attempt.operation, statusCode: refusal.error.statusCode,
                reachedServer: true, traceID: answer.traceID,
                reason: "the sign-in took too long between two steps; start again")
        }
        guard let session = refusal.authSession else { throw answer.failure(during: attempt.operation) }
        let continuation = LoginContinuation(login: self, session: session, attempt: attempt)
        if let factor = refusal.secondFactor {
            return .mfaRequired(MFAChallenge(factor: factor, continuation: continuation))
        }
        switch refusal.error.errorCode {
        case .noMatchingGuest: return .noMatchingGuest(GuestContinuation(continuation: continuation))
        case .passwordChangeRequired:
            let fault = object["password_fault"]?.string.map(PasswordFault.init(rawValue:))
            return .passwordChangeRequired(PasswordChange(fault: fault, continuation: continuation))
        case .emailUnverified:
            return .emailUnverified(EmailVerification(sending: refusal.sentCode, continuation: continuation))
        case .appInstanceUnverified:
            return .appInstanceUnverified(
                AppInstanceVerification(sending: refusal.sentCode, continuation: continuation))
        case .merchantRequired:
            guard let choice = MerchantChoice(refusal.merchants, continuation: continuation) else {
                throw answer.failure(during: attempt.operation)
            }
            return .merchantRequired(choice)
        default: throw answer.failure(during: attempt.operation)
        }
    }
}

/// What an app reports with a sign-in, and the attributes it requests.
package struct LoginExtras: Sendable {
    /// Recorded with the sign-in in the server's audit log.
    var properties: [String: String]
    /// The names of additional attributes.
    var requestedAttributes: [String]

    /// Creates the extras. Each parameter sets the property of the same name.
    package init(properties: [String: String] = [:], requestedAttributes: [String] = []) {
        self.properties = properties
        self.requestedAttributes = requestedAttributes
    }
}

/// A native sign-in that waits for its next step.
struct LoginContinuation: Sendable {
    let login: NativeLogin
    let session: AuthSession
    var attempt: NativeLogin.Attempt

    func resume(_ step: @autoclosure () throws -> Continuation) async throws -> LoginOutcome {
        try await login.log.during(attempt.operation) {
            do {
                let continuation = try WalletError.argument(
                    attempt.operation, .invalidCredentials, reason: { _ in "the value is malformed" }, step)
                return try await login.send(attempt) { _ in .proceed(session, continuation) }
            } catch let error as WalletError where error.code == .invalidCredentials {
                throw error.concerningAnswer
            }
        }
    }

    /// Continues for a merchant, which every later step names.
    func resume(choosing id: String) async throws -> LoginOutcome {
        let merchant = try WalletError.argument(
            attempt.operation, reason: { _ in "no merchant can have this id" }
        ) { try MerchantID(id) }
        var chosen = self
        chosen.attempt.chosenMerchant = merchant
        return try await chosen.resume(.chooseMerchant(merchant))
    }

    /// Sends a recovery code again.
    func recovery(_ step: Continuation) async throws -> RecoveryChallenge {
        try await login.log.during(attempt.operation) {
            try await login.sendForCode(attempt) { _ in .proceed(session, step) }
        }
    }
}
