package import AuthCore
package import AuthStore
package import WalletAuthWire

/// The status of a device's PIN, for operators.
package enum DevicePINStatus: Sendable, Hashable {
    case unset
    case active
    /// Nothing is evaluated until another PIN is set.
    case locked(PINLockReason)
    /// The attempts of thirty days are used up. Until then, nothing is evaluated and no PIN can be set.
    case exhausted(until: Timestamp)

    package static func of(_ device: UniqueID, at now: Timestamp, on connection: any SQLConnection) throws
        -> DevicePINStatus
    {
        guard let record = try PINs.find(device, on: connection) else { return .unset }
        if record.state != .none, let until = try PINs.exhaustedUntil(device, now: now, on: connection) {
            return .exhausted(until: until)
        }
        if let reason = record.lockReason { return .locked(reason) }
        guard let epoch = record.state.active else { return .unset }
        // The last attempt may be in progress, or expired and not yet cleaned up.
        let left = try PINs.triesLeft(device, epoch: epoch, now: now, on: connection)
        return left > 0 ? .active : .locked(.tooManyTries)
    }

    /// The status without its reason.
    package var name: String {
        switch self {
        case .unset: "unset"
        case .active: "active"
        case .locked: "locked"
        case .exhausted: "exhausted"
        }
    }

    /// Why it is locked; `nil` if it is not.
    package var lockReason: PINLockReason? {
        if case .locked(let reason) = self { reason } else { nil }
    }
}

extension PINLockReason {
    /// Follows "The PIN is locked" in the output for operators.
    package var inWords: String {
        switch self {
        case .tooManyTries: "after too many wrong PINs"
        case .restore: "because the database was restored from a backup"
        }
    }
}
