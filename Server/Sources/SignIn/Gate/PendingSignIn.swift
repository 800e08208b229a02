internal import Core
internal import Kernel
internal import Store

/// A sign-in whose first factor is proved and that waits for a required action.
package struct PendingSignIn: Codable, Sendable {
    enum Need: String, Codable, Sendable {
        case newPassword
        case emailCode
        /// The code that confirms the installation of the app.
        case instanceCode
        case secondFactor
        case merchant
        /// Consent to a third-party client.
        case clientConsent
    }

    var need: Need
    var account: String
    var securityVersion: Int64
    var amr: [String]
    var authTime: Timestamp
    /// See `SignInPolicy.Factors`.
    var providerAuthTime: Timestamp?
    /// The enrolled device that proved the first factor.
    var device: String?
    /// Whether the device's own key was proved.
    var isDeviceProved: Bool
    /// The classes that the first factor needs in place of the request's; `nil` for no change.
    var requiredACR: [String]?
    /// The second factor that it waits for.
    var factor: String?
    /// The progress of a recovery; `nil` for any other sign-in.
    var recovery: SignInPolicy.Recovery?
    /// Identifies the one session that a scanned sign-in opens, so that its holder can still take it back; `nil` for any other.
    var grantID: [UInt8]?
    /// Messages that are sent unless the recovery's second factor is proved.
    var warnings: [String]?

    static let lifetime = Duration.minutes(10)

    var accountID: UniqueID? { UniqueID(uuid: account) }
    var deviceID: UniqueID? { device.flatMap(UniqueID.init(uuid:)) }
    var factorID: UniqueID? { factor.flatMap(UniqueID.init(uuid:)) }
    var warningIDs: [UniqueID] { (warnings ?? []).compactMap(UniqueID.init(uuid:)) }

    var end: Timestamp { authTime + Self.lifetime }

    var factors: SignInPolicy.Factors {
        SignInPolicy.Factors(
            securityVersion: securityVersion, amr: amr, authTime: authTime, providerAuthTime: providerAuthTime,
            recovery: recovery)
    }

    /// Whether the sign-in has expired. The time runs from the first factor, no matter how often the state is sealed again.
    func isOver(at now: Timestamp) -> Bool { now >= end }

    init(
        _ need: Need, account: UniqueID, factors: SignInPolicy.Factors, device: UniqueID? = nil,
        isDeviceProved: Bool = false
    ) {
        self.need = need
        self.account = account.uuid
        securityVersion = factors.securityVersion
        amr = factors.amr
        authTime = factors.authTime
        providerAuthTime = factors.providerAuthTime
        self.device = device?.uuid
        self.isDeviceProved = isDeviceProved
        recovery = factors.recovery
    }
}

/// The form that an answer of a page came from. No two pages have the same form, so one that arrives twice was sent by a double click, or
/// after Back to a page that the browser kept: what it began the first time goes on.
struct SubmittedForm: Sendable, Hashable {
    private let digest: [UInt8]

    /// - Parameter request: the form's field `request`, which is sealed afresh for every page.
    init(_ request: String) { digest = Digests.of("submitted-form", Array(request.utf8)) }

    /// The id of a row that the form creates.
    /// - Parameters:
    ///   - purpose: the kind of row.
    ///   - subject: whom it is about.
    func id(of purpose: String, for subject: [UInt8]) -> UniqueID? {
        UniqueID(bytes: Array(mark(of: purpose, for: subject).prefix(16)))
    }

    /// A mark for something that the form does once.
    func mark(of purpose: String, for subject: [UInt8]) -> [UInt8] { Digests.of(purpose, digest + subject) }
}
