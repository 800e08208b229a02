internal import AuthFoundation

/// The messages about sessions.
package enum SessionMessage: String, SecurityMessage, SecurityMessageKind, CaseIterable {
    case refreshReuse = "session_ended_reuse"
    case codeReuse = "session_ended_code_reuse"

    package var kind: SessionMessage { self }
}
