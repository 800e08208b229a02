package import AuthCore
package import AuthFoundation
package import WalletAuthWire

/// The messages about the PIN of a device.
package enum PINMessage: SecurityMessage {
    /// Set or changed.
    case set(DeviceName)
    case locked(DeviceName)
    case forgotten(DeviceName)

    package enum Kind: String, SecurityMessageKind, CaseIterable {
        case set = "pin_set"
        case locked = "pin_locked"
        case forgotten = "pin_forgotten"
    }

    package var kind: Kind {
        switch self {
        case .set: .set
        case .locked: .locked
        case .forgotten: .forgotten
        }
    }

    package func values(at now: Timestamp) -> [String: String] {
        switch self {
        case .set(let name), .locked(let name), .forgotten(let name): ["device": name.rawValue]
        }
    }
}

extension PINMessage.Kind {
    package var template: MessageTemplate { MessageTemplate(advice: .protect) }
}
