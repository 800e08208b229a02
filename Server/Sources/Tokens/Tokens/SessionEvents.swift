internal import Kernel

/// The events of sessions in the audit log.
package enum SessionEvent: String, SecurityEventKind, CaseIterable {
    case refreshReuse = "session.refresh_reuse"
    case codeReuse = "session.code_reuse"
    case signedOut = "session.signed_out"
    case limitReached = "session.limit_reached"
}
