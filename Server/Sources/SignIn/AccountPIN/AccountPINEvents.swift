internal import Kernel

/// The events of account PINs in the audit log.
package enum AccountPINEvent: String, SecurityEventKind, CaseIterable {
    case set = "account_pin.set"
    case changed = "account_pin.changed"
    case locked = "account_pin.locked"
    case removed = "account_pin.removed"
}
