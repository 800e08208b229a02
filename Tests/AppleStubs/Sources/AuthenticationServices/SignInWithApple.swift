// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// What each symbol does is for Apple's documentation to say.
// Stubs: AuthenticationServices, Sign in with Apple. Bodies never run.
public import Foundation

open class ASAuthorizationRequest: NSObject {}

open class ASAuthorizationOpenIDRequest: ASAuthorizationRequest {
    open var requestedScopes: [ASAuthorization.Scope]?
    open var state: String?
    open var nonce: String?
}

open class ASAuthorizationAppleIDRequest: ASAuthorizationOpenIDRequest {
    open var user: String?
}

public protocol ASAuthorizationCredential: NSObjectProtocol {}

open class ASAuthorizationAppleIDCredential: NSObject, ASAuthorizationCredential {
    open var user: String { script.user }
    open var state: String? { nil }
    open var authorizationCode: Data? { script.authorizationCode }
    open var identityToken: Data? { script.identityToken }
    open var email: String? { nil }

    private let script: AppleIDScript.Credential
    init(_ script: AppleIDScript.Credential) { self.script = script }
}

open class ASAuthorization: NSObject {
    public struct Scope: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static let fullName = Scope(rawValue: "full_name")
        public static let email = Scope(rawValue: "email")
    }

    open var credential: any ASAuthorizationCredential { given }

    private let given: any ASAuthorizationCredential
    init(_ credential: any ASAuthorizationCredential) { given = credential }
}

open class ASAuthorizationAppleIDProvider: NSObject {
    public enum CredentialState: Int, Sendable {
        case revoked = 0
        case authorized = 1
        case notFound = 2
        case transferred = 3
    }

    public class var credentialRevokedNotification: NSNotification.Name {
        NSNotification.Name("ASAuthorizationAppleIDProviderCredentialRevokedNotification")
    }

    open func createRequest() -> ASAuthorizationAppleIDRequest { ASAuthorizationAppleIDRequest() }

    open func getCredentialState(
        forUserID userID: String, completion: @escaping @Sendable (CredentialState, (any Error)?) -> Void
    ) {
        let (state, error) = AppleIDScript.state(userID)
        completion(state, error)
    }
}

public struct ASAuthorizationError: Error, Sendable {
    public enum Code: Int, Sendable {
        case unknown = 1000
        case canceled = 1001
        case invalidResponse = 1002
        case notHandled = 1003
        case failed = 1004
        case notInteractive = 1005
    }
    public let code: Code
    public init(code: Code) { self.code = code }
}

@MainActor public protocol ASAuthorizationControllerDelegate: NSObjectProtocol {
    func authorizationController(
        controller: ASAuthorizationController, didCompleteWithAuthorization authorization: ASAuthorization)
    func authorizationController(controller: ASAuthorizationController, didCompleteWithError error: any Error)
}

@MainActor public protocol ASAuthorizationControllerPresentationContextProviding: NSObjectProtocol {
    func presentationAnchor(for controller: ASAuthorizationController) -> ASPresentationAnchor
}

open class ASAuthorizationController: NSObject {
    public init(authorizationRequests: [ASAuthorizationRequest]) { self.authorizationRequests = authorizationRequests }

    public let authorizationRequests: [ASAuthorizationRequest]
    open weak var delegate: (any ASAuthorizationControllerDelegate)?
    open weak var presentationContextProvider: (any ASAuthorizationControllerPresentationContextProviding)?

    @MainActor open func performRequests() {
        if let request = authorizationRequests.first, !(request is ASAuthorizationAppleIDRequest) {
            return PasskeyScript.answer(request, from: self, to: delegate)
        }
        AppleIDScript.asked = authorizationRequests.first as? ASAuthorizationAppleIDRequest
        switch AppleIDScript.sheet {
        case .credential(let credential):
            delegate?.authorizationController(
                controller: self,
                didCompleteWithAuthorization: ASAuthorization(ASAuthorizationAppleIDCredential(credential)))
        case .failure(let error): delegate?.authorizationController(controller: self, didCompleteWithError: error)
        case .nothing(let shown): shown()
        }
    }

    open func cancel() { AppleIDScript.cancelled += 1 }
}

/// No part of Apple's framework: what a test has Apple answer. One test at a time.
public enum AppleIDScript {
    public struct Credential: Sendable {
        public var user: String
        public var authorizationCode: Data?
        public var identityToken: Data?
        public init(user: String, authorizationCode: Data?, identityToken: Data?) {
            self.user = user
            self.authorizationCode = authorizationCode
            self.identityToken = identityToken
        }
    }

    public enum Sheet: Sendable {
        case credential(Credential)
        case failure(any Error)
        /// It stays open.
        case nothing(@Sendable () -> Void)
    }

    public nonisolated(unsafe) static var sheet = Sheet.nothing {}
    public nonisolated(unsafe) static var asked: ASAuthorizationAppleIDRequest?
    public nonisolated(unsafe) static var cancelled = 0
    public nonisolated(unsafe) static var state:
        (String) -> (ASAuthorizationAppleIDProvider.CredentialState, (any Error)?) =
            { _ in (.authorized, nil) }
}
