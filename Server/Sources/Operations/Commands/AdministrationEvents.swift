internal import Consent
internal import Kernel
internal import SignIn
internal import Tokens

/// The events of operators' changes that concern no single account.
package enum AdministrationEvent: String, SecurityEventKind, CaseIterable {
    case clientCreated = "client.created"
    case clientChanged = "client.changed"
    case clientDeleted = "client.deleted"
    case brandCreated = "brand.created"
    case brandChanged = "brand.changed"
    case merchantCreated = "merchant.created"
    case merchantChanged = "merchant.changed"
    case providerChanged = "provider.changed"
    case keysRotated = "keys.rotated"
    case messageRetried = "message.retried"
    case issuerChanged = "issuer.changed"
    case databaseRestored = "database.restored"
    case clockAccepted = "clock.accepted"
}

extension Administration {
    /// The events of every flow below. Flows of targets above name theirs in ``AdministeredFlow/eventKinds``.
    static let eventKinds: [any SecurityEventKind] = {
        let flows: [[any SecurityEventKind]] = [
            AccountEvent.allCases, AccountPINEvent.allCases, AdministrationEvent.allCases, AuditEvent.allCases,
            ClientConsentEvent.allCases, DeviceEvent.allCases, DeviceTokenEvent.allCases, FactorEvent.allCases,
            IdentityEvent.allCases, LoginEvent.allCases, OperationEvent.allCases, PasskeyEvent.allCases,
            PINEvent.allCases, RecoveryEvent.allCases, SessionEvent.allCases,
        ]
        return flows.flatMap { $0 }
    }()
}
