internal import Kernel

/// The events of consent to third-party clients in the audit log.
package enum ClientConsentEvent: String, SecurityEventKind, CaseIterable {
    case granted = "client_consent.granted"
    case withdrawn = "client_consent.withdrawn"
}
