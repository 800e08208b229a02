internal import AuthEvents

/// The events of device PINs in the audit log.
package enum PINEvent: String, SecurityEventKind, CaseIterable {
    case set = "pin.set"
    case changed = "pin.changed"
    case locked = "pin.locked"
    case exhausted = "pin.exhausted"
    case forgotten = "pin.forgotten"
}
