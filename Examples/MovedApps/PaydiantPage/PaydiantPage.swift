import Foundation
import PaydiantCompat

// The page's code is Objective-C, which Tests/PaydiantObjectiveC has. This is an app's Swift against the same SDK, with the names that
// the compiler gives its selectors.

/// An app's sign-in: one coordinator and its delegate.
@MainActor
public final class PaydiantPage: NSObject {
    private let authenticationCoordinator: PDAthenticationCoordinator

    /// What the app showed, in order.
    public private(set) var events: [String] = []
    /// The attributes of the last sign-in.
    public private(set) var attributes: [String: Any] = [:]
    /// The question that waits for an answer.
    public private(set) var question: PDMFAToken?
    /// The last error.
    public private(set) var error: PDPaydiantError?
    private var waiting: CheckedContinuation<Void, Never>?

    // MARK: The page's calls

    /// Initialize Authentication Facade.
    public override init() {
        self.authenticationCoordinator = PDAthenticationCoordinator()
        super.init()
        self.authenticationCoordinator.setDelegate(self)
    }

    /// loginByUsernamePassword.
    public func signIn(username: String, password: String) {
        authenticationCoordinator.login(byUsernamePassword: username, password: password)
    }

    /// loginByPIN.
    public func signIn(pin: String) {
        authenticationCoordinator.login(byPIN: pin)
    }

    /// loginByNonce.
    public func signIn(nonce: String) {
        let request = PDLoginByNonceRequest()
        request.nonce = nonce
        authenticationCoordinator.login(byNonce: request)
    }

    /// loginByFederatedIdentity; `change` adds what this server needs and the former one did not.
    public func signIn(
        identityProvider: String, authorizationCode: String,
        change: (PDLoginByFederatedIdentityRequest) -> Void = { _ in }
    ) {
        let request = PDLoginByFederatedIdentityRequest()
        request.identityProvider = identityProvider
        request.authorizationCode = authorizationCode
        change(request)
        authenticationCoordinator.login(byFederatedIdentity: request)
    }

    /// registerWithMFA.
    public func answer(_ answer: String) {
        guard let question else { return }
        question.answer = answer
        authenticationCoordinator.register(withMFA: question)
    }

    /// generateDeviceAuthenticationTokenForUsername.
    public func stayLoggedIn(username: String, password: String) {
        let request = PDGenerateDeviceAuthenticationRequest()
        request.username = username
        request.password = password
        authenticationCoordinator.generateDeviceAuthenticationToken(
            forUsername: request, completion: { self.show("stays logged in") },
            failure: { authenticationError in self.show(authenticationError) })
    }

    /// loginWithDeviceAuthenticationToken.
    public func resume() {
        guard authenticationCoordinator.isAuthroizationTokenExist() else { return show("log in") }
        authenticationCoordinator.loginWithDeviceAuthenticationToken(
            completion: { self.show("resumed") }, failure: { authenticationError in self.show(authenticationError) })
    }

    /// expireDeviceAuthenticationToken.
    public func revert() {
        authenticationCoordinator.expireDeviceAuthenticationToken(
            completion: { self.show("reverted") }, failure: { authenticationError in self.show(authenticationError) })
    }

    /// logout.
    public func leave() {
        authenticationCoordinator.logout()
    }

    // MARK: The app's own

    /// The PIN variant, to which the error of ``resume()`` points on a device without a biometric key.
    public func resume(pin: String) {
        authenticationCoordinator.loginWithDeviceAuthenticationToken(
            pin: pin, completion: { self.show("resumed") },
            failure: { authenticationError in self.show(authenticationError) })
    }

    /// The nonce that the app sends to an identity provider.
    public func federatedNonce() async -> String? {
        await withCheckedContinuation { continuation in
            authenticationCoordinator.federatedNonce(
                completion: { continuation.resume(returning: $0) },
                failure: { _ in continuation.resume(returning: nil) })
        }
    }

    /// Runs one of the calls, and waits until the app has shown its result.
    /// - Returns: what it showed.
    public func result(of call: () -> Void) async -> String {
        let before = events.count
        call()
        if events.count == before { await withCheckedContinuation { waiting = $0 } }
        return events.last ?? ""
    }

    private func show(_ event: String) {
        events.append(event)
        waiting?.resume()
        waiting = nil
    }

    private func show(_ error: PDPaydiantError) {
        self.error = error
        show("error \(error.code)")
    }
}

// MARK: The page's calls

extension PaydiantPage: PDAuthenticationDelegate {
    /// The delegate's.
    public func authenticationDidSucceed(
        _ loginResponse: PDLoginResponse, withAdditionalAttributes additionalAttributes: [String: Any]
    ) {
        attributes = additionalAttributes
        show("signed in, with attributes")
    }

    /// The delegate's.
    public func authenticationDidSucceed(_ loginResponse: PDLoginResponse) {
        show("signed in, with a response")
    }

    /// The delegate's.
    public func mfaQuestionDidPrompt(_ mfaQuestionToken: PDMFAToken) {
        question = mfaQuestionToken
        show("question")
    }

    /// The delegate's.
    public func authenticationDidFail(_ authenticationError: PDPaydiantError) {
        show(authenticationError)
    }

    /// The delegate's.
    public func authenticationInvocationDidFail(_ authenticationError: PDPaydiantError) {
        error = authenticationError
        show("unreached \(authenticationError.code)")
    }

    /// The delegate's.
    public func finishedLogout() {
        show("logged out")
    }
}
