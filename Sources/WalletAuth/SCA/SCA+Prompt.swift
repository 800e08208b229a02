import WalletAuthWire

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#else
    public import Foundation
#endif

extension SCA {
    /// Shows the person what they agree to, and brings their answer. Called once for each question: again after a wrong
    /// value, after a code was sent again, and for a second factor where one is needed.
    ///
    /// What it throws ends ``Wallet/perform(_:onSCA:choosing:)`` as it is, and leaves the consent among
    /// ``Wallet/pendingSCA``; where the person said no, return ``Answer/refuse``.
    public typealias Handler = @Sendable (Prompt) async throws -> Answer

    /// Chooses among several ways to agree, those that ask least of the person first. Called before anything is sent. Nil
    /// takes the first.
    public typealias Chooser = @Sendable ([AvailableVerification]) async throws -> Verification?

    /// One question to the person.
    public struct Prompt: Sendable {
        /// What they agree to, read from the very bytes that this device signs. Compare it with what ``request`` asked for,
        /// and show it: amount and payee above all.
        public var operation: Operation { challenge.operation }
        /// In which way they agree: what to ask for.
        public var verification: Verification { challenge.verification }
        /// Where a code went, when it can be sent again, and until when it counts.
        public let challenge: Challenge
        /// What they may use instead, by ``Answer/instead(_:)``.
        public let alternatives: [AvailableVerification]
        /// How many wrong values the event still bears; nil before the first answer.
        public let remainingAttempts: Int?
        /// Why they are asked once more; nil the first time.
        public let fault: Fault?
        /// The app's own request that needs the consent.
        public let request: URLRequest
    }

    /// Why the person is asked once more.
    public enum Fault: String, Hashable, Sendable, Codable {
        /// The code or PIN was wrong, or face or finger were not known at the server. It cost one of the tries.
        case wrongValue
        /// What was typed can be no such code or PIN. It cost nothing.
        case malformedValue
        /// The code is too old: ``Answer/resend``. It cost nothing.
        case codeExpired
        /// No further code is sent. The one that was sent last counts as long as it is not too old.
        case noCodeLeft
        /// Another code cannot be sent yet: half a minute lies between two. What was asked for before still counts.
        case tooSoon
        /// The person did not confirm by face or finger, or closed the page.
        case declined
        /// The person came back from the page before it was done.
        case unfinished
    }

    /// What the person answers to a ``Prompt``.
    public struct Answer: Sendable {
        enum Kind: Sendable {
            case code(String)
            case biometrics(reason: String)
            case signature(of: Verification, by: ConsentSigning.Prove)
            case page
            case resend
            case instead(Verification)
            case refuse
        }
        let kind: Kind

        /// A code, as typed: for `.sms`, `.email`, `.authenticator`.
        /// - Parameter value: as the person typed it.
        public static func code(_ value: String) -> Answer { Answer(kind: .code(value)) }

        /// Face or finger: for `.deviceBiometric`. The device asks for it and signs.
        /// - Parameter reason: shown beside the question, in the person's language: name amount and payee.
        public static func biometrics(reason: String) -> Answer { Answer(kind: .biometrics(reason: reason)) }

        /// Opens the hosted page and waits until the person comes back: for `.passkey`, `.password`, `.hostedPIN`.
        public static let page = Answer(kind: .page)

        /// Sends the code again: for `.sms` and `.email`. The one before is void then.
        public static let resend = Answer(kind: .resend)

        /// Another way.
        /// - Parameter verification: one of ``Prompt/alternatives``.
        public static func instead(_ verification: Verification) -> Answer { Answer(kind: .instead(verification)) }

        /// The person does not agree. The call ends with `cancelled_by_person`; nothing was carried out.
        public static let refuse = Answer(kind: .refuse)

        /// What another product of this package proves a way by.
        package static func signature(of verification: Verification, by prove: @escaping ConsentSigning.Prove) -> Answer
        {
            Answer(kind: .signature(of: verification, by: prove))
        }

        /// Whether it answers to a way at all; how it goes on is another matter.
        func fits(_ verification: Verification) -> Bool {
            switch kind {
            case .code: verification.method == .otp
            case .biometrics: verification == .deviceBiometric
            case .signature(let own, _): verification == own
            case .page: verification.channel == .redirect
            case .resend: verification.sendsCode
            case .instead, .refuse: true
            }
        }
    }
}

extension SCA.Verification {
    /// Which answer fits it, for the app's developer: `PASSKEY by REDIRECT takes .page`.
    var expectation: String {
        let answer =
            switch self {
            case .deviceBiometric: ".biometrics(reason:)"
            case .devicePIN: ".pin(_:) of WalletAuthPIN"
            case let way where way.channel == .redirect: ".page"
            default: ".code(_:)"
            }
        return "\(method.rawValue) by \(channel.rawValue) takes \(answer)"
    }
}

extension SCA.Answer: CustomStringConvertible, CustomReflectable {
    /// Never the code.
    public var description: String { "SCA.Answer(<redacted>)" }
    /// Never the code.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
