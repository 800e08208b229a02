internal import Kernel

/// The events of identities at other providers in the audit log.
package enum IdentityEvent: String, SecurityEventKind, CaseIterable {
    case linked = "identity.linked"
    case unlinked = "identity.unlinked"
}
