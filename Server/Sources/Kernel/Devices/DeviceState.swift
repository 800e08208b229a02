// The states and limits of enrolled devices.

import Core

/// The lifecycle of an enrolled device.
///
/// ```
/// active ⇄ suspended        by an operator
/// active → deactivated      by failures on it, or by an operator
/// deactivated → active      by an operator; by its holder's recovery, if failures deactivated it
/// deactivated → suspended   by an operator, if failures deactivated it
/// any → removed             by its holder or an operator; final
/// ```
package enum DeviceState: String, Sendable, Codable, Hashable, CaseIterable {
    case active
    /// Cannot sign in until an operator resumes it.
    case suspended
    /// Cannot sign in: too many failures, until its holder recovers or an operator reactivates it; or an operator's
    /// decision.
    case deactivated
    /// Its key is never accepted again.
    case removed

    /// An operator's action on a device.
    package enum Transition: String, Sendable, Codable, Hashable, CaseIterable {
        /// Blocks sign-in temporarily.
        case suspend
        case resume
        /// Blocks sign-in as failures would.
        case deactivate
        case reactivate
    }
}

extension DeviceState.Transition {
    /// The states it applies to, and the resulting one.
    package var states: (from: Set<DeviceState>, to: DeviceState) {
        switch self {
        case .suspend: ([.active], .suspended)
        case .resume: ([.suspended], .active)
        case .deactivate: ([.active, .suspended], .deactivated)
        case .reactivate: ([.deactivated], .active)
        }
    }
}

/// The storage of the device's private key, as far as it is attested.
package enum KeyStorage: String, Sendable, Codable, Hashable {
    /// In software, or not attested: `swk` (RFC 8176).
    case software
    /// In attested hardware: `hwk` (RFC 8176).
    case hardware

    /// The `amr` value of a signature by the key.
    package var method: String {
        switch self {
        case .software: "swk"
        case .hardware: "hwk"
        }
    }
}

/// Whether the app's installation confirmed the code sent to the holder.
package enum InstanceVerification: String, Sendable, Codable, Hashable {
    /// The client does not require it.
    case exempt
    case unverified
    case verified
}

/// The limits for enrolling and using devices.
package struct DevicePolicy: Sendable {
    /// The largest age of a sign-in that enrolls a device or changes its keys. Default 5 minutes.
    package var enrollmentFreshness: Duration
    /// How long lower limits apply after an enrollment. Default 24 hours.
    package var coolingPeriod: Duration
    /// The devices that an account may have, not counting removed ones. Default 20.
    package var limit: Int
    /// Which biometric keys count in production. Default none.
    package var biometricKeys: BiometricKeyAcceptance
    /// Whose attestations are believed.
    package var attestation: AttestationTrust

    package init() {
        enrollmentFreshness = .minutes(5)
        coolingPeriod = .hours(24)
        limit = 20
        biometricKeys = .never
        attestation = AttestationTrust()
    }
}
