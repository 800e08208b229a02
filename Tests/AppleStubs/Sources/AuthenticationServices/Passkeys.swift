// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, NeverUseImplicitlyUnwrappedOptionals

// What each symbol does is for Apple's documentation to say.
// Stubs: AuthenticationServices, passkeys. Bodies never run, except what a test scripts.
public import Foundation

@available(macOS 12.0, iOS 15.0, *)
open class ASAuthorizationPlatformPublicKeyCredentialProvider: NSObject {
    public let relyingPartyIdentifier: String
    public init(relyingPartyIdentifier: String) { self.relyingPartyIdentifier = relyingPartyIdentifier }

    open func createCredentialRegistrationRequest(
        challenge: Data, name: String, userID: Data
    ) -> ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest {
        ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest(
            relyingPartyIdentifier: relyingPartyIdentifier, challenge: challenge, name: name, userID: userID)
    }

    open func createCredentialAssertionRequest(
        challenge: Data
    ) -> ASAuthorizationPlatformPublicKeyCredentialAssertionRequest {
        ASAuthorizationPlatformPublicKeyCredentialAssertionRequest(
            relyingPartyIdentifier: relyingPartyIdentifier, challenge: challenge)
    }
}

public struct ASAuthorizationPublicKeyCredentialUserVerificationPreference: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let preferred = Self(rawValue: "preferred")
    public static let required = Self(rawValue: "required")
    public static let discouraged = Self(rawValue: "discouraged")
}

@available(macOS 12.0, iOS 15.0, *)
open class ASAuthorizationPlatformPublicKeyCredentialDescriptor: NSObject {
    open var credentialID: Data
    public init(credentialID: Data) { self.credentialID = credentialID }
}

@available(macOS 12.0, iOS 15.0, *)
open class ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest: ASAuthorizationRequest {
    public let relyingPartyIdentifier: String
    open var challenge: Data
    open var name: String
    open var userID: Data
    open var userVerificationPreference = ASAuthorizationPublicKeyCredentialUserVerificationPreference.preferred
    @available(macOS 13.5, iOS 17.4, *)
    open var excludedCredentials: [ASAuthorizationPlatformPublicKeyCredentialDescriptor]? {
        get { excluded }
        set { excluded = newValue }
    }
    private var excluded: [ASAuthorizationPlatformPublicKeyCredentialDescriptor]?

    init(relyingPartyIdentifier: String, challenge: Data, name: String, userID: Data) {
        self.relyingPartyIdentifier = relyingPartyIdentifier
        self.challenge = challenge
        self.name = name
        self.userID = userID
    }
}

@available(macOS 12.0, iOS 15.0, *)
open class ASAuthorizationPlatformPublicKeyCredentialAssertionRequest: ASAuthorizationRequest {
    public let relyingPartyIdentifier: String
    open var challenge: Data
    open var userVerificationPreference = ASAuthorizationPublicKeyCredentialUserVerificationPreference.preferred

    init(relyingPartyIdentifier: String, challenge: Data) {
        self.relyingPartyIdentifier = relyingPartyIdentifier
        self.challenge = challenge
    }
}

@available(macOS 12.0, iOS 15.0, *)
open class ASAuthorizationPlatformPublicKeyCredentialRegistration: NSObject, ASAuthorizationCredential {
    open var credentialID: Data { script.id }
    open var rawClientDataJSON: Data { script.clientData }
    open var rawAttestationObject: Data? { script.attestationObject }

    private let script: PasskeyScript.Registration
    init(_ script: PasskeyScript.Registration) { self.script = script }
}

@available(macOS 12.0, iOS 15.0, *)
open class ASAuthorizationPlatformPublicKeyCredentialAssertion: NSObject, ASAuthorizationCredential {
    open var credentialID: Data { script.id }
    open var rawClientDataJSON: Data { script.clientData }
    open var rawAuthenticatorData: Data! { script.authenticatorData }
    open var signature: Data! { script.signature }
    open var userID: Data! { script.userID }

    private let script: PasskeyScript.Assertion
    init(_ script: PasskeyScript.Assertion) { self.script = script }
}

/// No part of Apple's framework: what a test has the system answer. One test at a time.
public enum PasskeyScript {
    public struct Registration: Sendable {
        public var id: Data
        public var clientData: Data
        public var attestationObject: Data?
        public init(id: Data, clientData: Data, attestationObject: Data?) {
            self.id = id
            self.clientData = clientData
            self.attestationObject = attestationObject
        }
    }

    public struct Assertion: Sendable {
        public var id: Data
        public var clientData: Data
        public var authenticatorData: Data?
        public var signature: Data?
        public var userID: Data?
        public init(id: Data, clientData: Data, authenticatorData: Data?, signature: Data?, userID: Data?) {
            self.id = id
            self.clientData = clientData
            self.authenticatorData = authenticatorData
            self.signature = signature
            self.userID = userID
        }
    }

    public enum Sheet: Sendable {
        case registration(Registration)
        case assertion(Assertion)
        case failure(any Error)
    }

    public nonisolated(unsafe) static var sheet = Sheet.failure(ASAuthorizationError(code: .unknown))
    public nonisolated(unsafe) static var asked: ASAuthorizationRequest?

    @MainActor static func answer(
        _ request: ASAuthorizationRequest, from controller: ASAuthorizationController,
        to delegate: (any ASAuthorizationControllerDelegate)?
    ) {
        asked = request
        switch sheet {
        case .registration(let made):
            delegate?.authorizationController(
                controller: controller,
                didCompleteWithAuthorization: ASAuthorization(
                    ASAuthorizationPlatformPublicKeyCredentialRegistration(made)))
        case .assertion(let used):
            delegate?.authorizationController(
                controller: controller,
                didCompleteWithAuthorization: ASAuthorization(ASAuthorizationPlatformPublicKeyCredentialAssertion(used))
            )
        case .failure(let error): delegate?.authorizationController(controller: controller, didCompleteWithError: error)
        }
    }
}
