import WalletAuth
import WalletAuthPIN
import WalletAuthTransport

/// Called once a long-running session exists.
public typealias GenerateDeviceAuthenticationTokenForUsernameCompletionBlock = @MainActor @Sendable () -> Void
/// Called with the reason that no long-running session exists.
public typealias GenerateDeviceAuthenticationTokenForUsernameFailureBlock =
    @MainActor @Sendable (_ authenticationError: PDPaydiantError) -> Void
/// Called once the person is signed in.
public typealias LoginWithDeviceAuthenticationTokenCompletionBlock = @MainActor @Sendable () -> Void
/// Called with the reason that the person is not signed in.
public typealias LoginWithDeviceAuthenticationTokenFailureBlock =
    @MainActor @Sendable (_ authenticationError: PDPaydiantError) -> Void
// The page writes these two with a small letter.
// swift-format-ignore: TypeNamesShouldBeCapitalized
/// Called once the long-running session has ended.
public typealias expireDeviceAuthenticationTokenCompletionBlock = @MainActor @Sendable () -> Void
// swift-format-ignore: TypeNamesShouldBeCapitalized
/// Called with the reason that the long-running session has not ended.
public typealias expireDeviceAuthenticationTokenFailureBlock =
    @MainActor @Sendable (_ authenticationError: PDPaydiantError) -> Void

/// The long-running session of this device. The page declares the calls without their blocks; so each has two forms here. Without
/// blocks, a sign-in reports to the delegate like any other, and the other two report their failures to it.
///
/// There, the stored token alone signs in. Here, each sign-in with it also takes a face, a finger or the PIN.
extension PDAthenticationCoordinator {
    /// Whether a long-running session is active on this device: one was generated, and has neither expired nor been declined. Answers
    /// at once, from what was read at the last call.
    public func isAuthroizationTokenExist() -> Bool {
        (service ?? Service.current.withLock { $0 })?.hasDeviceToken ?? false
    }

    /// The same as ``isAuthroizationTokenExist()``, as the page's text spells it.
    public func isAuthorizationTokenExist() -> Bool { isAuthroizationTokenExist() }

    /// Starts a long-running session on this device, which must be linked, and signed in. The token stays in the SDK.
    /// - Parameter request: the username and password, typed again.
    public func generateDeviceAuthenticationToken(forUsername request: PDGenerateDeviceAuthenticationRequest) {
        generateDeviceAuthenticationToken(
            forUsername: request, completion: {}, failure: { [holder] in holder.delegate?.fail($0) })
    }

    /// Starts a long-running session on this device, which must be linked, and signed in. The token stays in the SDK.
    /// - Parameters:
    ///   - request: the username and password, typed again.
    ///   - completion: called when the session exists.
    ///   - failure: receives the error.
    public func generateDeviceAuthenticationToken(
        forUsername request: PDGenerateDeviceAuthenticationRequest,
        completion: @escaping GenerateDeviceAuthenticationTokenForUsernameCompletionBlock,
        failure: @escaping GenerateDeviceAuthenticationTokenForUsernameFailureBlock
    ) {
        let (username, password) = (request.username ?? "", request.password ?? "")
        perform(kUserErrorGenerateDeviceAuthenticationTokenDomain, completion, failure) {
            try await $0.wallet.generateDeviceAuthenticationToken(username: username, password: password)
        }
    }

    /// Signs in with this device's long-running session and a face or finger. Without a biometric key it fails, and the error says to
    /// call ``loginWithDeviceAuthenticationToken(pin:)``. The prompt shows Info.plist's `NSFaceIDUsageDescription`.
    public func loginWithDeviceAuthenticationToken() {
        signIn(kUserErrorLoginWithDeviceAuthenticationTokenDomain) { try await $0.signInByBiometrics() }
    }

    /// Signs in like ``loginWithDeviceAuthenticationToken()``.
    /// - Parameters:
    ///   - completion: called when the person is signed in.
    ///   - failure: receives the error.
    public func loginWithDeviceAuthenticationToken(
        completion: @escaping LoginWithDeviceAuthenticationTokenCompletionBlock,
        failure: @escaping LoginWithDeviceAuthenticationTokenFailureBlock
    ) {
        signIn(completion, failure) { try await $0.signInByBiometrics() }
    }

    /// Signs in with this device's long-running session and its PIN.
    /// - Parameter pin: the PIN as typed.
    public func loginWithDeviceAuthenticationToken(pin: String) {
        signIn(kUserErrorLoginWithDeviceAuthenticationTokenDomain) {
            try await $0.wallet.loginWithDeviceAuthenticationToken(pin: pin)
        }
    }

    /// Signs in with this device's long-running session and its PIN.
    /// - Parameters:
    ///   - pin: the PIN as typed.
    ///   - completion: called when the person is signed in.
    ///   - failure: receives the error.
    public func loginWithDeviceAuthenticationToken(
        pin: String, completion: @escaping LoginWithDeviceAuthenticationTokenCompletionBlock,
        failure: @escaping LoginWithDeviceAuthenticationTokenFailureBlock
    ) {
        signIn(completion, failure) { try await $0.wallet.loginWithDeviceAuthenticationToken(pin: pin) }
    }

    /// Ends the long-running session. The person must be signed in, and stays so.
    public func expireDeviceAuthenticationToken() {
        expireDeviceAuthenticationToken(completion: {}, failure: { [holder] in holder.delegate?.fail($0) })
    }

    /// Ends the long-running session. The person must be signed in, and stays so.
    /// - Parameters:
    ///   - completion: called when the session has ended.
    ///   - failure: receives the error.
    public func expireDeviceAuthenticationToken(
        completion: @escaping expireDeviceAuthenticationTokenCompletionBlock,
        failure: @escaping expireDeviceAuthenticationTokenFailureBlock
    ) {
        perform(kUserErrorExpireDeviceAuthenticationTokenDomain, completion, failure) {
            try await $0.wallet.expireDeviceAuthenticationToken()
        }
    }
}

extension PDAthenticationCoordinator {
    private func perform(
        _ domain: String, _ completion: @escaping @MainActor @Sendable () -> Void,
        _ failure: @escaping @MainActor @Sendable (PDPaydiantError) -> Void,
        _ call: @escaping @Sendable (Service) async throws -> Void
    ) {
        Service.add(to: service, domain, call) { result in
            switch result {
            case .success: completion()
            case .failure(let error): failure(error)
            }
        }
    }

    private func signIn(
        _ completion: @escaping @MainActor @Sendable () -> Void,
        _ failure: @escaping @MainActor @Sendable (PDPaydiantError) -> Void,
        _ call: @escaping @Sendable (Service) async throws -> LoginOutcome
    ) {
        let domain = kUserErrorLoginWithDeviceAuthenticationTokenDomain
        perform(domain, completion, failure) {
            let outcome = try await call($0)
            guard case .authenticated = outcome else { throw PDPaydiantError(outcome, domain: domain) }
        }
    }
}

extension Service {
    /// Signs in with the long-running session and a face or finger; never with the token alone.
    fileprivate func signInByBiometrics() async throws -> LoginOutcome {
        let operation = WalletError.Operation.loginWithDeviceToken
        guard try await wallet.biometrics.state() != .none else {
            let device = wallet.deviceAuthentication
            try await device.during(operation) {
                let enrollment = try await device.enrollment(of: nil, during: operation)
                try await device.requireDeviceToken(of: enrollment, during: operation)
            }
            throw WalletError(
                .biometricsNotEnabled, .refused, during: operation,
                reason: """
                    this device has no biometric key: ask for the PIN, and call loginWithDeviceAuthenticationToken(pin:)
                    """)
        }
        guard let biometricsReason else {
            throw WalletError(
                .invalidConfiguration, .misconfigured, during: operation,
                reason: "Info.plist has no NSFaceIDUsageDescription, which the system's prompt shows")
        }
        return try await wallet.loginWithDeviceAuthenticationToken(biometrics: biometricsReason)
    }
}
