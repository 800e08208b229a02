internal import AuthCore
internal import AuthStore
internal import WalletAuthWire

/// How the PIN of a device stands, for an operator.
enum DevicePINStatus: Sendable, Hashable {
    /// None is in use.
    case unset
    /// It signs in.
    case active
    /// Nothing is evaluated until another is set.
    case locked(PINLockReason)
    /// The tries of thirty days are used up: nothing is evaluated and none is set until then.
    case exhausted(until: Timestamp)

    /// How the PIN of a device stands now.
    /// - Throws: `StoreError`.
    static func of(_ device: UniqueID, at now: Timestamp, on connection: any SQLConnection) throws -> DevicePINStatus {
        guard let record = try PINs.find(device, on: connection) else { return .unset }
        if record.state != .none, let until = try PINs.exhaustedUntil(device, now: now, on: connection) {
            return .exhausted(until: until)
        }
        if let reason = record.lockReason { return .locked(reason) }
        guard let epoch = record.state.active else { return .unset }
        // The last try may be under way, or not swept yet.
        let left = try PINs.triesLeft(device, epoch: epoch, now: now, on: connection)
        return left > 0 ? .active : .locked(.tooManyTries)
    }

    /// The state without its reason.
    var name: String {
        switch self {
        case .unset: "unset"
        case .active: "active"
        case .locked: "locked"
        case .exhausted: "exhausted"
        }
    }

    /// Why it is locked; `nil` where it is not.
    var lockReason: PINLockReason? {
        if case .locked(let reason) = self { reason } else { nil }
    }
}

extension PINLockReason {
    /// What an operator reads after "The PIN is locked".
    var inWords: String {
        switch self {
        case .tooManyTries: "after too many wrong PINs"
        case .restore: "since the database was restored from a backup"
        }
    }
}
