package import AuthCore
package import AuthStore

/// Why a device can currently neither consent to payments nor sign transactions.
package enum DeviceRestriction: Sendable, Hashable {
    /// Suspended, deactivated or removed.
    case closed
    /// Its installation has not confirmed the code that was sent to the holder.
    case unverifiedInstance
    /// Recently enrolled.
    case cooling(until: Timestamp)
}

extension DeviceRecord {
    /// The current restriction; `nil` for none.
    package func hold(at now: Timestamp) -> DeviceRestriction? {
        if state != .active { return .closed }
        if instance == .unverified { return .unverifiedInstance }
        return now < coolingUntil ? .cooling(until: coolingUntil) : nil
    }
}
