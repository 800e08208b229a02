internal import Kernel

/// The events of sign-ins in the audit log.
package enum LoginEvent: String, SecurityEventKind, CaseIterable {
    case signedIn = "account.signed_in"
    case nonceIssued = "login_nonce.issued"
}
