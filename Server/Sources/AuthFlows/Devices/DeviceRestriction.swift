package import AuthCore
package import AuthStore

/// Why a device agrees to no payment and signs no transaction now.
package enum DeviceRestriction: Sendable, Hashable {
    /// It is suspended, deactivated or removed.
    case closed
    /// Its installation has not confirmed the code that was sent to the holder.
    case unverifiedInstance
    /// It was enrolled a short time ago.
    case cooling(until: Timestamp)
}

extension DeviceRecord {
    /// Why the device agrees to nothing now; `nil` where it may.
    package func hold(at now: Timestamp) -> DeviceRestriction? {
        if state != .active { return .closed }
        if instance == .unverified { return .unverifiedInstance }
        return now < coolingUntil ? .cooling(until: coolingUntil) : nil
    }
}
