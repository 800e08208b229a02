package import Core
package import Kernel

/// The events of identities at other providers in the audit log.
package enum IdentityEvent: String, SecurityEventKind, CaseIterable {
    case linked = "identity.linked"
    case unlinked = "identity.unlinked"

    package var webhookKind: WebhookKind? { .identities }
}

/// The messages about identities at other providers.
package enum IdentityMessage: SecurityMessage {
    /// The holder linked an identity.
    case joined
    /// The holder unlinked an identity.
    case left
    /// The provider reports that the person withdrew consent.
    case suspended(service: String)
    /// The provider reports that the person closed their account there.
    case removed(service: String)

    package enum Kind: String, SecurityMessageKind, CaseIterable {
        case joined = "identity_joined"
        case left = "identity_left"
        case suspended = "identity_suspended"
        case removed = "identity_removed"
    }

    package var kind: Kind {
        switch self {
        case .joined: .joined
        case .left: .left
        case .suspended: .suspended
        case .removed: .removed
        }
    }

    package func values(at now: Timestamp) -> [String: String] {
        switch self {
        case .joined, .left: [:]
        case .suspended(let service), .removed(let service): ["service": service]
        }
    }
}

extension IdentityMessage.Kind {
    package var template: MessageTemplate {
        switch self {
        case .joined: MessageTemplate(advice: .protectRemoving(.removeIdentity))
        case .left: MessageTemplate(advice: .protect)
        case .suspended, .removed: MessageTemplate(advice: .ask)
        }
    }
}
