internal import Kernel

/// The events of Sign in with Apple in the audit log.
enum AppleEvent: String, SecurityEventKind, CaseIterable {
    case suspended = "identity.suspended"
    case resumed = "identity.resumed"
    case transferPrepared = "provider.transfer_prepared"
    case transferred = "identity.transferred"
    case addressReachable = "identity.address_reachable"
    case addressUnreachable = "identity.address_unreachable"
    case revoked = "identity.consent_revoked"
    case revocationWithheld = "identity.revocation_withheld"
    case revocationAbandoned = "identity.revocation_abandoned"
}
