import WalletAuthWire

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#else
    public import Foundation
#endif

extension SCA {
    /// Shows the operation to the person and returns their answer. Called once per question: again after a wrong value,
    /// after a code was sent again, and for a second factor if one is needed.
    ///
    /// An error it throws ends ``Wallet/perform(_:onSCA:choosing:)`` as is, and keeps the consent among
    /// ``Wallet/pendingSCA``. If the person declined, return ``Answer/refuse``, and
    /// ``Answer/disown`` if they did not start it.
    public typealias Handler = @Sendable (Prompt) async throws -> Answer

    /// Chooses among several ways to agree, sorted by effort for the person. Called before anything is sent. Nil
    /// chooses the first.
    public typealias Chooser = @Sendable ([AvailableVerification]) async throws -> Verification?

    /// One question to the person.
    public struct Prompt: Sendable {
        /// The operation, read from the same bytes that this device signs. Compare it with ``request``, and show it:
        /// above all amount and payee.
        public var operation: Operation { challenge.operation }
        /// The way to agree, which determines what to ask for.
        public var verification: Verification { challenge.verification }
        /// The challenge: the destination of a code, when it can be sent again, and when it expires.
        public let challenge: Challenge
        /// The ways the person may use instead, through ``Answer/instead(_:)``.
        public let alternatives: [AvailableVerification]
        /// How many wrong values the event still allows; nil before the first answer.
        public let remainingAttempts: Int?
        /// The reason for asking again; nil the first time.
        public let fault: Fault?
        /// The app's request that needs the consent.
        public let request: URLRequest
    }

    /// The reason for asking again.
    public enum Fault: String, Hashable, Sendable, Codable {
        /// The code or PIN was wrong, or the server did not accept the biometric key. This cost one try.
        case wrongValue
        /// The input cannot be a code or PIN. This cost nothing.
        case malformedValue
        /// The code has expired: use ``Answer/resend``. This cost nothing.
        case codeExpired
        /// The code of the authenticator app was used before: the app shows the next one within half a minute. This cost
        /// nothing.
        case codeUsed
        /// No more codes can be sent. The last one is valid until it expires.
        case noCodeLeft
        /// Another code cannot be sent yet: there must be half a minute between two. The last one is still valid.
        case tooSoon
        /// The person did not confirm by face or fingerprint, or closed the page.
        case declined
        /// The person returned from the page before finishing it, or has not approved on the other device yet.
        case unfinished
    }

    /// The person's answer to a ``Prompt``.
    public struct Answer: Sendable {
        enum Kind: Sendable {
            case code(String)
            case biometrics(reason: String)
            case passkey
            case signature(of: Verification, by: DeviceSigning<SCA.Attempt>.Prove)
            case page
            case elsewhere
            case resend
            case instead(Verification)
            case refuse
            case disown
        }
        let kind: Kind

        /// A code: for `.sms`, `.email`, `.authenticator`.
        /// - Parameter value: the code as typed.
        public static func code(_ value: String) -> Answer { Answer(kind: .code(value)) }

        /// A face or fingerprint check, after which the device signs: for `.deviceBiometric`.
        /// - Parameter reason: shown in the prompt, in the person's language. Name amount and payee.
        public static func biometrics(reason: String) -> Answer { Answer(kind: .biometrics(reason: reason)) }

        /// Has the person use a passkey, which signs the operation: for `.devicePasskey`. The system's sheet does not show amount and
        /// payee, so show them before.
        public static let passkey = Answer(kind: .passkey)

        /// Opens the hosted page and waits until the person returns, or has answered in a browser of their own
        /// (``UserAgentSession/pageStaysOpen``): for `.passkey`, `.password`, `.hostedPIN`.
        public static let page = Answer(kind: .page)

        /// Waits until the person has approved on their other device: for `.push`. It waits for a minute; then the handler is asked again,
        /// with ``Fault/unfinished``, and may wait on or offer another way.
        public static let elsewhere = Answer(kind: .elsewhere)

        /// Sends a new code and invalidates the last one, or repeats the push message: for `.sms`, `.email` and `.push`.
        public static let resend = Answer(kind: .resend)

        /// Switches to another way.
        /// - Parameter verification: one of ``Prompt/alternatives``.
        public static func instead(_ verification: Verification) -> Answer { Answer(kind: .instead(verification)) }

        /// "Not now". The call ends with `cancelled_by_person`, and nothing is carried out. The server learns nothing of it: until it
        /// expires, the person can still approve it another way, for instance on a page that is open.
        public static let refuse = Answer(kind: .refuse)

        /// "I didn't start this". The server ends the operation, so that no one can approve it any more, and notifies the person. Then
        /// the call ends with `cancelled_by_person`.
        ///
        /// If the server cannot be reached, the call throws that error instead, and the consent stays among ``Wallet/pendingSCA``: say
        /// that it could not be stopped yet, and that it can be approved until ``Operation/expiresAt``.
        public static let disown = Answer(kind: .disown)

        /// A factor that another product of this package proves.
        package static func signature(
            of verification: Verification, by prove: @escaping DeviceSigning<SCA.Attempt>.Prove
        ) -> Answer {
            Answer(kind: .signature(of: verification, by: prove))
        }

        /// Whether this answer suits the way. It may still be wrong.
        func fits(_ verification: Verification) -> Bool {
            switch kind {
            case .code: verification.method == .otp
            case .biometrics: verification == .deviceBiometric
            case .passkey: verification == .devicePasskey
            case .signature(let own, _): verification == own
            case .page: verification.channel == .redirect
            case .elsewhere: verification == .push
            case .resend: verification.isSent
            case .instead, .refuse, .disown: true
            }
        }
    }
}

extension SCA.Verification {
    /// The answers that fit, for the app's developer: `PASSKEY by REDIRECT takes .page`.
    var expectation: String {
        let answer =
            switch self {
            case .deviceBiometric: ".biometrics(reason:)"
            case .devicePasskey: ".passkey"
            case .devicePIN: ".pin(_:) of WalletAuthPIN"
            case let way where way.channel == .redirect: ".page"
            case .push: ".elsewhere"
            default: ".code(_:)"
            }
        return "\(method.rawValue) by \(channel.rawValue) takes \(answer)"
    }
}

extension SCA.Answer: CustomStringConvertible, CustomReflectable {
    /// A redacted description, without the code.
    public var description: String { "SCA.Answer(<redacted>)" }
    /// An empty mirror, without the code.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
