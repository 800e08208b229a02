package import Core
package import Kernel
package import WalletAuthWire

/// The events of passkeys in the audit log.
package enum PasskeyEvent: String, SecurityEventKind, CaseIterable {
    case added = "passkey.added"
    case renamed = "passkey.renamed"
    case removed = "passkey.removed"
    case counterBehind = "passkey.counter_behind"
}

/// The messages about passkeys.
package enum PasskeyMessage: SecurityMessage {
    case added(DeviceName)
    case removed(DeviceName)
    /// The signature counter went back.
    case copied(DeviceName)

    package enum Kind: String, SecurityMessageKind, CaseIterable {
        case added = "passkey_added"
        case removed = "passkey_removed"
        case copied = "passkey_copied"
    }

    package var kind: Kind {
        switch self {
        case .added: .added
        case .removed: .removed
        case .copied: .copied
        }
    }

    package func values(at now: Timestamp) -> [String: String] {
        switch self {
        case .added(let name), .removed(let name), .copied(let name): ["device": name.rawValue]
        }
    }
}

extension PasskeyMessage.Kind {
    package var template: MessageTemplate {
        switch self {
        case .added: MessageTemplate(advice: .protectRemoving(.removePasskey))
        case .removed, .copied: MessageTemplate(advice: .protect)
        }
    }
}
