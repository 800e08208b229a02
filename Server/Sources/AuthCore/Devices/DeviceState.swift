/// Where an enrolled device is in its life.
///
/// ```
/// active ⇄ suspended        by an operator
/// active → deactivated      by failures on it, or by an operator
/// deactivated → active      by an operator; by its holder's recovery, where failures deactivated it
/// deactivated → suspended   by an operator, where failures deactivated it
/// any → removed             by its holder or an operator; nothing leaves this state
/// ```
package enum DeviceState: String, Sendable, Codable, Hashable, CaseIterable {
    /// May sign in.
    case active
    /// May not, until an operator resumes it.
    case suspended
    /// May not: too many failures, until its holder recovers or an operator reactivates it; or an operator's decision.
    case deactivated
    /// Is gone. Its key is never taken again.
    case removed

    /// What an operator may do to it.
    package enum Transition: String, Sendable, Codable, Hashable, CaseIterable {
        /// Keeps it from signing in for a while.
        case suspend
        /// Ends a suspension.
        case resume
        /// Keeps it from signing in as its failures would.
        case deactivate
        /// Ends a deactivation.
        case reactivate
    }
}

extension DeviceState.Transition {
    /// The states that it applies to, and the one that it leads to.
    package var states: (from: Set<DeviceState>, to: DeviceState) {
        switch self {
        case .suspend: ([.active], .suspended)
        case .resume: ([.suspended], .active)
        case .deactivate: ([.active, .suspended], .deactivated)
        case .reactivate: ([.deactivated], .active)
        }
    }
}

/// Where a device keeps the private half of its key, as far as somebody trustworthy says so.
package enum KeyStorage: String, Sendable, Codable, Hashable {
    /// In software, or not attested: `swk` (RFC 8176).
    case software
    /// In hardware that was attested: `hwk` (RFC 8176).
    case hardware

    /// The authentication method that a signature by the key is.
    package var method: String {
        switch self {
        case .software: "swk"
        case .hardware: "hwk"
        }
    }
}

/// Whether the installation of an app confirmed the code that was sent to its holder.
package enum InstanceVerification: String, Sendable, Codable, Hashable {
    /// The client does not ask for it.
    case exempt
    /// It has not.
    case unverified
    /// It has.
    case verified
}
