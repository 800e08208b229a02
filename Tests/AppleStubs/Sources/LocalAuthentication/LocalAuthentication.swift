// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// What each symbol does is for Apple's documentation to say.
// Stubs: LocalAuthentication. Bodies never run.
public import Foundation

public enum LAPolicy: Int, Sendable {
    case deviceOwnerAuthenticationWithBiometrics = 1
    case deviceOwnerAuthentication = 2
}

public struct LAError: Error, Sendable {
    public enum Code: Int, Sendable {
        case authenticationFailed = -1
        case userCancel = -2
        case userFallback = -3
        case systemCancel = -4
        case passcodeNotSet = -5
        case biometryNotAvailable = -6
        case biometryNotEnrolled = -7
        case biometryLockout = -8
        case appCancel = -9
        case invalidContext = -10
        case notInteractive = -1004
    }
    public let code: Code
}

// Not Sendable, as in the SDKs up to iOS 18.
open class LAContext: NSObject {
    open var localizedReason = ""
    open func canEvaluatePolicy(_ policy: LAPolicy, error: UnsafeMutablePointer<NSError?>?) -> Bool {
        PresenceScript.policies.contains(policy)
    }
    open func evaluatePolicy(
        _ policy: LAPolicy, localizedReason: String, reply: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        PresenceScript.whileAsking()
        let failure = PresenceScript.failure
        reply(failure == nil, failure.map { LAError(code: $0) })
    }
    open func invalidate() {}
}

/// No part of Apple's framework: what a test has the device's holder do. One test at a time.
public enum PresenceScript {
    public nonisolated(unsafe) static var policies: Set<LAPolicy> = []
    public nonisolated(unsafe) static var failure: LAError.Code?
    /// What happens while the prompt is shown.
    public nonisolated(unsafe) static var whileAsking: () -> Void = {}
}
