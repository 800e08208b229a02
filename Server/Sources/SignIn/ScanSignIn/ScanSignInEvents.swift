package import Core
package import Kernel

/// The events of signing in by scanning in the audit log.
package enum ScanSignInEvent: String, SecurityEventKind, CaseIterable {
    case claimed = "scan_sign_in.claimed"
    /// The person chose another number than the page showed.
    case mismatched = "scan_sign_in.mismatched"
    case approved = "scan_sign_in.approved"
    /// The sign-in opened a session.
    case opened = "scan_sign_in.opened"
    /// "This is not me", before the sign-in or after it.
    case rejected = "scan_sign_in.rejected"
    /// The device's PIN was locked.
    case failed = "scan_sign_in.failed"
}

/// The messages about signing in by scanning.
package enum ScanSignInMessage: SecurityMessage {
    /// A browser signed in.
    case signedIn(service: String)
    /// Too many wrong numbers, so the account's devices scan nothing for a while.
    case held

    package enum Kind: String, SecurityMessageKind, CaseIterable {
        case signedIn = "scan_signed_in"
        case held = "scan_held"
    }

    package var kind: Kind {
        switch self {
        case .signedIn: .signedIn
        case .held: .held
        }
    }

    package func values(at now: Timestamp) -> [String: String] {
        switch self {
        case .signedIn(let service): ["service": service]
        case .held: [:]
        }
    }
}

extension ScanSignInMessage.Kind {
    package var template: MessageTemplate { MessageTemplate(advice: .protect) }
}
