import Foundation
import WalletAuth
import WalletAuthPIN
import WalletAuthTransport

/// The right spelling of ``PDAthenticationCoordinator``.
public typealias PDAuthenticationCoordinator = PDAthenticationCoordinator

/// Signs people in, and reports to a delegate, which is not retained.
///
/// Call ``configure(_:)-(_)`` once, before the first coordinator is used.
public final class PDAthenticationCoordinator: PDCoordinator, @unchecked Sendable {
    private let reference = LockedValue(DelegateReference())

    /// Receives the results.
    public var delegate: (any PDAuthenticationDelegate)? {
        get { reference.withLock { $0.delegate } }
        set { reference.withLock { $0.delegate = newValue } }
    }

    override func fail(_ error: PDPaydiantError) { delegate?.fail(error) }

    /// Signs in by username and password. From a device that is not linked to the account, `mfaQuestionDidPrompt` follows.
    /// - Parameters:
    ///   - username: the username as typed.
    ///   - paramPassword: the password as typed; it is sent once and not stored.
    public func login(byUsernamePassword username: String, password paramPassword: String) {
        signIn(kUserErrorLoginWithUsernamePasswordDomain) {
            try await $0.wallet.login(username: username, password: paramPassword)
        }
    }

    /// Signs in with the PIN of this device, which must be linked to the account and have a PIN (`Wallet.pin` of WalletAuthPIN). The
    /// former vendor's PINs do not move.
    /// - Parameter pin: the PIN as typed; it never leaves the device.
    public func login(byPIN pin: String) {
        signIn(kUserErrorLoginWithPinDomain) { try await $0.wallet.login(pin: pin) }
    }

    /// Signs in with a one-time token from the app's backend, or from another party that the issuer trusts.
    /// - Parameter request: the token.
    public func login(byNonce request: PDLoginByNonceRequest) {
        let (nonce, properties) = (request.nonce ?? "", request.properties)
        signIn(kUserErrorLoginWithNonceDomain, properties) {
            try await $0.wallet.login(nonce: nonce, properties: properties)
        }
    }

    /// Signs in with a credential from an identity provider. A code whose provider was not sent the nonce of
    /// ``federatedNonce(completion:failure:)`` fails before anything is sent.
    /// - Parameter request: the credential.
    public func login(byFederatedIdentity request: PDLoginByFederatedIdentityRequest) {
        let (identity, properties) = (Result { try request.identity(boundBy: service) }, request.properties)
        signIn(kUserErrorLoginWithFederatedIdentityDomain, properties) {
            try await $0.wallet.login(federatedIdentity: identity.get(), properties: properties)
        }
    }

    /// Asks the server for the nonce of the next ``login(byFederatedIdentity:)`` with a code. It is not on the page: a code is bound to
    /// the device by it.
    /// - Parameters:
    ///   - completion: receives the value to send to the provider as `nonce`. It works once, within five minutes.
    ///   - failure: receives the error.
    public func federatedNonce(
        completion: @escaping @MainActor @Sendable (String) -> Void, failure: @escaping PDFailure
    ) {
        perform(kUserErrorLoginWithFederatedIdentityDomain, completion, failure) { service in
            let nonce = try await service.wallet.federatedNonce()
            service.nonce.withLock { $0 = nonce }
            return nonce.value
        }
    }

    /// Submits the answer of a second factor, and links the device to the account, so that the next sign-in from here needs none. (The
    /// answer to a secret question signs in and links nothing.) Its errors have the domain of the sign-in that it continues.
    /// - Parameter mfaToken: the token of `mfaQuestionDidPrompt`, with its answer.
    public func register(withMFA mfaToken: PDMFAToken) {
        let (challenge, answer) = (mfaToken.challenge, mfaToken.answer ?? "")
        signIn(mfaToken.domain) {
            guard let challenge else {
                throw WalletError.refused(.badRequest, 400, "not a token of mfaQuestionDidPrompt")
            }
            return try await $0.wallet.register(mfa: challenge, answer: answer).login
        }
    }

    /// Signs out on this device, whatever the state of the network. Clear what the app keeps of the person in memory.
    public func logout() {
        perform(kUserErrorLogoutDomain, { [self] in delegate?.end() }) {
            guard try await $0.wallet.logout() == .notSignedIn else { return }
            throw WalletError.refused("not_signed_in", 403, during: .logout, "no one is signed in")
        }
    }

    // MARK: The long-running session of this device
    //
    // The page declares the calls without their blocks; so each has two forms here. Without blocks, a sign-in reports to the delegate
    // like any other, and the other two report their failures to it. There, the stored token alone signs in. Here, each sign-in with it
    // also takes a face, a finger or the PIN.

    /// Whether a long-running session is active on this device: one was generated, and has neither expired nor been declined. Answers
    /// at once, from what was read at the last call.
    public func isAuthroizationTokenExist() -> Bool { service?.hasDeviceToken ?? false }

    /// The same as ``isAuthroizationTokenExist()``, as the page's text spells it.
    public func isAuthorizationTokenExist() -> Bool { isAuthroizationTokenExist() }

    /// Starts a long-running session on this device, which must be linked, and signed in. The token stays in the SDK.
    /// - Parameter request: the username and password, typed again.
    public func generateDeviceAuthenticationToken(forUsername request: PDGenerateDeviceAuthenticationRequest) {
        generateDeviceAuthenticationToken(forUsername: request, completion: {}, failure: nil)
    }

    /// Starts a long-running session on this device, which must be linked, and signed in. The token stays in the SDK.
    /// - Parameters:
    ///   - request: the username and password, typed again.
    ///   - completion: called when the session exists.
    ///   - failure: receives the error; nil leaves it to the delegate.
    public func generateDeviceAuthenticationToken(
        forUsername request: PDGenerateDeviceAuthenticationRequest, completion: @escaping PDCompletion,
        failure: PDFailure?
    ) {
        let (username, password) = (request.username ?? "", request.password ?? "")
        perform(kUserErrorGenerateDeviceAuthenticationTokenDomain, completion, failure) {
            try await $0.wallet.generateDeviceAuthenticationToken(username: username, password: password)
        }
    }

    /// Signs in with this device's long-running session and a face or finger. Without a biometric key it fails, and the error says to
    /// call ``loginWithDeviceAuthenticationToken(pin:completion:failure:)``. The prompt shows Info.plist's `NSFaceIDUsageDescription`,
    /// or the app's name without one.
    public func loginWithDeviceAuthenticationToken() {
        loginWithDeviceAuthenticationToken(completion: nil, failure: nil)
    }

    /// Signs in like ``loginWithDeviceAuthenticationToken()``.
    /// - Parameters:
    ///   - completion: called when the person is signed in; nil leaves it to the delegate.
    ///   - failure: receives the error; nil leaves it to the delegate.
    public func loginWithDeviceAuthenticationToken(completion: PDCompletion?, failure: PDFailure?) {
        let usage = Bundle.main.object(forInfoDictionaryKey: "NSFaceIDUsageDescription") as? String
        let reason = usage ?? ProcessInfo.processInfo.processName
        signIn(kUserErrorLoginWithDeviceAuthenticationTokenDomain, nil, completion, failure) {
            try await $0.wallet.loginWithDeviceAuthenticationToken(biometrics: reason)
        }
    }

    /// Signs in with this device's long-running session and its PIN.
    /// - Parameters:
    ///   - pin: the PIN as typed.
    ///   - completion: called when the person is signed in; nil leaves it to the delegate.
    ///   - failure: receives the error; nil leaves it to the delegate.
    public func loginWithDeviceAuthenticationToken(
        pin: String, completion: PDCompletion? = nil, failure: PDFailure? = nil
    ) {
        signIn(kUserErrorLoginWithDeviceAuthenticationTokenDomain, nil, completion, failure) {
            try await $0.wallet.loginWithDeviceAuthenticationToken(pin: pin)
        }
    }

    /// Ends the long-running session. The person must be signed in, and stays so.
    public func expireDeviceAuthenticationToken() {
        expireDeviceAuthenticationToken(completion: {}, failure: nil)
    }

    /// Ends the long-running session. The person must be signed in, and stays so.
    /// - Parameters:
    ///   - completion: called when the session has ended.
    ///   - failure: receives the error; nil leaves it to the delegate.
    public func expireDeviceAuthenticationToken(completion: @escaping PDCompletion, failure: PDFailure?) {
        perform(kUserErrorExpireDeviceAuthenticationTokenDomain, completion, failure) {
            try await $0.wallet.expireDeviceAuthenticationToken()
        }
    }

    // MARK: Reports

    /// Runs a sign-in. Its result goes to the blocks, or to the delegate if there are none.
    /// - Parameter properties: those of the request; nil for a sign-in that has no response on the page.
    func signIn(
        _ domain: String, _ properties: [String: String]? = nil, _ completion: PDCompletion? = nil,
        _ failure: PDFailure? = nil, _ call: @escaping @Sendable (Service) async throws -> LoginOutcome
    ) {
        let report = { @MainActor @Sendable [self] (outcome: LoginOutcome) throws(PDPaydiantError) -> Void in
            switch outcome {
            case .authenticated(let attributes):
                if let completion { completion() } else { delegate?.succeed(PDLoginResponse(attributes, properties)) }
            case .mfaRequired(let challenge) where failure == nil:
                delegate?.ask(PDMFAToken(challenge, domain: domain))
            default: throw PDPaydiantError(outcome, domain: domain)
            }
        }
        perform(domain, report, failure, call)
    }
}

/// Keeps the delegate without retaining it.
private struct DelegateReference: @unchecked Sendable {
    weak var delegate: (any PDAuthenticationDelegate)?
}

extension PDLoginByFederatedIdentityRequest {
    /// The credential. A code is bound to this device by the last nonce, which works once.
    fileprivate func identity(boundBy service: Service?) throws(WalletError) -> FederatedIdentity {
        let provider = identityProvider ?? ""
        guard let code = authorizationCode else {
            return FederatedIdentity(provider: provider, username: username ?? "", password: password ?? "")
        }
        guard let nonce = service?.nonce.withLock({ $0.take() }) else {
            throw .refused(.badRequest, 400, "send the provider the value of federatedNonce(completion:failure:)")
        }
        return FederatedIdentity(
            provider: provider, authorizationCode: code, redirectURI: redirectURI, codeVerifier: codeVerifier,
            nonce: nonce)
    }
}
