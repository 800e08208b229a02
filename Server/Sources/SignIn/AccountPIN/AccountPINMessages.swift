package import Core
package import Kernel

/// The events of account PINs in the audit log.
package enum AccountPINEvent: String, SecurityEventKind, CaseIterable {
    case set = "account_pin.set"
    case changed = "account_pin.changed"
    case locked = "account_pin.locked"
    case removed = "account_pin.removed"
}

/// The messages about the PIN of an account.
package enum AccountPINMessage: SecurityMessage {
    /// Set or changed; it authorizes no payment until this time.
    case set(coolingUntil: Timestamp)
    case locked
    case removed

    package enum Kind: String, SecurityMessageKind, CaseIterable {
        case set = "account_pin_set"
        case locked = "account_pin_locked"
        case removed = "account_pin_removed"
    }

    package var kind: Kind {
        switch self {
        case .set: .set
        case .locked: .locked
        case .removed: .removed
        }
    }

    package func values(at now: Timestamp) -> [String: String] {
        guard case .set(let cooling) = self, now < cooling else { return [:] }
        return ["cooling": cooling.toTheMinute]
    }
}

extension AccountPINMessage.Kind {
    package var template: MessageTemplate { MessageTemplate(advice: .protect) }
}
