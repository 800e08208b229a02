package import Kernel

/// The events of sessions in the audit log.
package enum SessionEvent: String, SecurityEventKind, CaseIterable {
    case refreshReuse = "session.refresh_reuse"
    case codeReuse = "session.code_reuse"
    case limitReached = "session.limit_reached"
    /// An app's session goes on from the system before this one. The sign-in has an entry of its own.
    case foreignTokenExchanged = "session.foreign_token_exchanged"

    /// A client's session begins that is for what the person approved, and for nothing else (RFC 9396).
    case detailsGranted = "session.details_granted"

    package var webhookKind: WebhookKind? {
        switch self {
        case .foreignTokenExchanged, .detailsGranted: nil
        case .refreshReuse, .codeReuse, .limitReached: .sessions
        }
    }
}

/// The messages about sessions.
package enum SessionMessage: String, SecurityMessage, SecurityMessageKind, CaseIterable {
    case refreshReuse = "session_ended_reuse"
    case codeReuse = "session_ended_code_reuse"
    /// The oldest session made room for a new one.
    case limitReached = "session_ended_limit"
    /// An app stayed signed in when its people moved here.
    case foreignTokenExchanged = "session_moved_in"

    package var kind: SessionMessage { self }
}

extension SessionMessage {
    package var template: MessageTemplate { MessageTemplate(advice: .protect) }
}
