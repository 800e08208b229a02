public import Foundation
import WalletAuth
import WalletAuthPIN
import WalletAuthTransport
import WalletAuthWire

/// The right spelling of ``PDAthenticationCoordinator``.
public typealias PDAuthenticationCoordinator = PDAthenticationCoordinator

/// Signs people in, and reports to a delegate.
///
/// Calls may be made from any thread. They run one after another, in the order in which they were made, whichever coordinator they were
/// made with. Each reports once, on the main actor, after it has returned, even if the coordinator is gone by then. The delegate is not
/// retained.
///
/// Call ``configure(_:)-(_)`` once, before the first coordinator is used.
#if canImport(ObjectiveC)
    @objc(PDAthenticationCoordinator) @objcMembers
#endif
public final class PDAthenticationCoordinator: NSObject, Sendable {
    let service: Service?
    let holder = DelegateHolder()

    /// Creates a coordinator. It may be created before ``configure(_:)-(_)``; its calls fail until then.
    public override init() { service = nil }

    /// Creates a coordinator with a service of its own, for tests.
    package init(_ service: Service) { self.service = service }

    /// Receives the results.
    public var delegate: (any PDAuthenticationDelegate)? {
        get { holder.delegate }
        set { holder.delegate = newValue }
    }

    /// Signs in by username and password. From a device that is not linked to the account, `mfaQuestionDidPrompt` follows.
    /// - Parameters:
    ///   - username: the username as typed.
    ///   - paramPassword: the password as typed; it is sent once and not stored.
    public func loginByUsernamePassword(_ username: String, password paramPassword: String) {
        signIn(kUserErrorLoginWithUsernamePasswordDomain) {
            try await $0.wallet.login(username: username, password: paramPassword)
        }
    }

    /// Signs in with the PIN of this device, which must be linked to the account and have a PIN (`Wallet.pin` of WalletAuthPIN). The
    /// former vendor's PINs do not move.
    /// - Parameter pin: the PIN as typed; it never leaves the device.
    public func loginByPIN(_ pin: String) {
        signIn(kUserErrorLoginWithPinDomain) { try await $0.wallet.login(pin: pin) }
    }

    /// Signs in with a one-time token from the app's backend, or from another party that the issuer trusts.
    /// - Parameter request: the token.
    public func loginByNonce(_ request: PDLoginByNonceRequest) {
        let (nonce, properties) = (request.nonce ?? "", Properties(request.additionalData))
        signIn(kUserErrorLoginWithNonceDomain, properties) {
            try await $0.wallet.login(nonce: nonce, properties: properties.byName)
        }
    }

    /// Signs in with a credential from an identity provider. A code whose provider was not sent the nonce of
    /// ``federatedNonce(completion:failure:)`` fails before anything is sent.
    /// - Parameter request: the credential.
    public func loginByFederatedIdentity(_ request: PDLoginByFederatedIdentityRequest) {
        let (credential, properties) = (FederatedCredential(request), Properties(request.additionalData))
        signIn(kUserErrorLoginWithFederatedIdentityDomain, properties) {
            try await $0.wallet.login(
                federatedIdentity: credential.identity(by: $0), properties: properties.byName)
        }
    }

    /// Asks the server for the nonce of the next ``loginByFederatedIdentity(_:)`` with a code. It is not on the page: a code is bound to
    /// the device by it.
    /// - Parameters:
    ///   - completion: receives the value to send to the provider as `nonce`. It works once, within five minutes.
    ///   - failure: receives the error.
    public func federatedNonce(
        completion: @escaping @MainActor @Sendable (String) -> Void,
        failure: @escaping @MainActor @Sendable (PDPaydiantError) -> Void
    ) {
        Service.add(to: service, kUserErrorLoginWithFederatedIdentityDomain, { try await $0.issueNonce() }) {
            switch $0 {
            case .success(let nonce): completion(nonce)
            case .failure(let error): failure(error)
            }
        }
    }

    /// Submits the answer of a second factor, and links the device to the account, so that the next sign-in from here needs none. (The
    /// answer to a secret question signs in and links nothing.) Its errors have the domain of the sign-in that it continues.
    /// - Parameter mfaToken: the token of `mfaQuestionDidPrompt`, with its answer.
    public func registerWithMFA(_ mfaToken: PDMFAToken) {
        let (challenge, answer, domain) = (mfaToken.challenge, mfaToken.answer ?? "", mfaToken.domain)
        signIn(domain) {
            guard let challenge else {
                throw PDPaydiantError(incomplete: "pass the token of mfaQuestionDidPrompt itself", domain: domain)
            }
            return try await $0.wallet.register(mfa: challenge, answer: answer).login
        }
    }

    /// Signs out on this device, whatever the state of the network. Clear what the app keeps of the person in memory.
    public func logout() {
        Service.add(to: service, kUserErrorLogoutDomain, { try await $0.wallet.logout() }) { [holder] result in
            switch result {
            case .success(.notSignedIn):
                let error = WalletError(
                    .init(rawValue: "not_signed_in"), .refused, during: .logout,
                    statusCode: Wallet.LogoutOutcome.notSignedIn.statusCode, reason: "no one is signed in")
                holder.delegate?.fail(PDPaydiantError(error, domain: kUserErrorLogoutDomain))
            case .success: _ = holder.delegate?.call(.logout)
            case .failure(let error): holder.delegate?.fail(error)
            }
        }
    }
}

extension PDAthenticationCoordinator {
    /// Runs a sign-in, and reports it to the delegate.
    /// - Parameter properties: those of the request, for the response; nil for a sign-in that the page gives no response.
    func signIn(
        _ domain: String, _ properties: Properties? = nil,
        _ call: @escaping @Sendable (Service) async throws -> LoginOutcome
    ) {
        Service.add(to: service, domain, call) { [holder] result in
            guard let delegate = holder.delegate else { return }
            switch result {
            case .success(.authenticated(let attributes)):
                let response = PDLoginResponse(attributes, properties)
                let withAttributes = DelegateCall.attributes(response, attributes.forDelegate)
                delegate.callFirst(
                    of: properties == nil
                        ? [withAttributes, .response(response), .success]
                        : [.response(response), withAttributes, .success])
            case .success(.mfaRequired(let challenge)):
                delegate.callFirst(of: [
                    .question(PDMFAToken(challenge, domain: domain)),
                    .failure(PDPaydiantError(.mfaRequired(challenge), domain: domain)),
                ])
            case .success(let outcome): delegate.fail(PDPaydiantError(outcome, domain: domain))
            case .failure(let error): delegate.fail(error)
            }
        }
    }
}

/// Keeps the delegate without retaining it.
final class DelegateHolder: Sendable {
    private struct Reference: @unchecked Sendable {
        weak var delegate: (any PDAuthenticationDelegate)?
    }

    private let reference = LockedValue(Reference())

    var delegate: (any PDAuthenticationDelegate)? {
        get { reference.withLock { $0 }.delegate }
        set {
            let new = Reference(delegate: newValue)
            reference.withLock { $0 = new }
        }
    }
}

/// A credential of a request, which the app may change meanwhile.
private struct FederatedCredential: Sendable {
    let provider: String?
    let code: String?
    let username: String?
    let password: String?
    let redirectURI: URL?
    let codeVerifier: String?

    init(_ request: PDLoginByFederatedIdentityRequest) {
        provider = request.identityProvider
        code = request.authorizationCode
        username = request.username
        password = request.password
        redirectURI = request.redirectURI
        codeVerifier = request.codeVerifier
    }

    func identity(by service: Service) throws -> FederatedIdentity {
        guard let provider else { throw incomplete("identityProvider is missing") }
        guard let code else {
            guard let username, let password else {
                throw incomplete("neither authorizationCode nor username and password are set")
            }
            return FederatedIdentity(provider: provider, username: username, password: password)
        }
        guard let nonce = service.takeNonce() else {
            throw incomplete("call federatedNonce(completion:failure:) first, and send the provider its value as nonce")
        }
        return FederatedIdentity(
            provider: provider, authorizationCode: code, redirectURI: redirectURI, codeVerifier: codeVerifier,
            nonce: nonce)
    }

    private func incomplete(_ reason: String) -> PDPaydiantError {
        PDPaydiantError(incomplete: reason, domain: kUserErrorLoginWithFederatedIdentityDomain)
    }
}
