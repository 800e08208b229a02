internal import Kernel

/// The events of passkeys in the audit log.
package enum PasskeyEvent: String, SecurityEventKind, CaseIterable {
    case added = "passkey.added"
    case renamed = "passkey.renamed"
    case removed = "passkey.removed"
    case counterBehind = "passkey.counter_behind"
}
